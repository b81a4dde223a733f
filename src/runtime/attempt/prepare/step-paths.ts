// The files that a step reads and writes, as its attempt has them: values filled in, and safe.

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { PerformedWork } from "../../../domain/definition.ts";
import { AppError } from "../../../domain/error.ts";
import { wrongPath } from "../../../domain/project-path.ts";
import { storyPath } from "../../../domain/story-path.ts";
import { renderTemplate } from "../../../prompts/template.ts";

type Paths = Pick<PerformedWork, "name" | "reads" | "writes">;

/** The paths, values filled in. */
export function renderedPaths(
  step: Paths,
  paths: readonly string[],
  values: Readonly<Record<string, string>>,
  story: string | null,
): readonly string[] {
  return paths.map((path) => rendered(step, path, values, story));
}

/** `{{reads}}` and `{{writes}}`: a list each, where a file that is missing is marked. */
export function listedPaths(
  step: Paths,
  values: Readonly<Record<string, string>>,
  story: string | null,
  workspace: string,
): { readonly reads: string; readonly writes: string } {
  const list = (paths: readonly string[] = []) => renderedPaths(step, paths, values, story);
  const isThere = (path: string) => /[*?]/.test(path) || existsSync(join(workspace, path));
  const reads = list(step.reads).map((path) => `- ${path}${isThere(path) ? "" : " (not present)"}`);
  return {
    reads: reads.join("\n"),
    writes: list(step.writes)
      .map((path) => `- ${path}`)
      .join("\n"),
  };
}

function rendered(
  { name }: Paths,
  template: string,
  values: Readonly<Record<string, string>>,
  story: string | null,
): string {
  const { text } = renderTemplate(template, values, []);
  const path = story === null ? text : storyPath(text, story);
  const wrong = wrongPath(path);
  if (wrong === null) return path;
  // A value came from an agent or a person: it must not lead an agent out of the project.
  throw new AppError("INPUT_INVALID", `${name}: ${template} becomes ${JSON.stringify(path)}: ${wrong}`, {
    hint: "let the step name a path inside of the project",
  });
}
