// The values that templates of an attempt may name: what steps said, what Pawl knows of the run, its story and its protocol.

import type { RunValues } from "../../../domain/context.ts";
import { contextOf, type Run, scopeOf } from "../../../domain/run.ts";
import { templateKeys } from "../../../prompts/template.ts";
import { storyVariables } from "../../../prompts/variables.ts";
import { type AgentHome, readProgress } from "../../../protocols/files/agent-home.ts";
import { hasFrontendChanges } from "../../../workspaces/trees/changes.ts";
import type { Parts } from "../../parts.ts";
import { progressHome, progressPlaces } from "../../trees/agent-homes.ts";
import { workspacePath } from "../../trees/places.ts";
import type { Claim } from "../claim/claim.ts";
import { listedPaths } from "./step-paths.ts";

export type ValuePorts = Pick<Parts, "store" | "home" | "protocols">;

/** `template`: what costs time is computed only if it names it. */
export async function templateValues(
  parts: ValuePorts,
  claim: Claim,
  template: string,
): Promise<Readonly<Record<string, string>>> {
  const { run, attempt } = claim;
  const { header } = run;
  const feedback = feedbackFor(claim);
  const spec = attempt.story === null ? null : await parts.store.storySpec(header.id, attempt.story);
  const home = progressHome(parts, run);
  const path = workspacePath(parts, run, attempt.story);
  const values = {
    ...contextOf(run, attempt.story),
    ...(await builtIn(parts, run, { home, path }, feedback, template)),
    ...(spec
      ? storyVariables({ spec, entries: header.stories, feedback, progress: progressOf(parts, run, home) })
      : {}),
    ...parts.protocols.of(header.definition).values(claim, path),
  };
  const isListed = /\{\{\s*(?:reads|writes)\b/i.test(template);
  return isListed ? { ...values, ...listedPaths(claim.definition, values, attempt.story, path) } : values;
}

/** Why the work was sent back. */
export function feedbackFor({ run, attempt }: Claim): string {
  return scopeOf(run, attempt.story)?.chain.find(({ id }) => id === attempt.step)?.feedback ?? "";
}

function progressOf(parts: Pick<Parts, "home">, run: Run, home: AgentHome | null): string {
  return readProgress(home === null ? [] : progressPlaces(parts, run, home));
}

async function builtIn(
  parts: Pick<Parts, "home">,
  run: Run,
  { home, path }: { readonly home: AgentHome | null; readonly path: string },
  feedback: string,
  template: string,
): Promise<Omit<RunValues, "reads" | "writes">> {
  const { header } = run;
  const named = new Set(templateKeys(template).map((key) => key.toLowerCase()));
  const frontend =
    named.has("has_frontend_changes") &&
    header.place.base !== null &&
    (await hasFrontendChanges(path, header.place.base));
  return {
    task: header.task,
    run_id: header.id,
    repo: path,
    base: header.place.baseName ?? "",
    feedback,
    verify_feedback: feedback,
    retry_feedback: feedback,
    progress: named.has("progress") ? progressOf(parts, run, home) : "",
    progress_file: home?.progressFile ?? "",
    has_frontend_changes: String(frontend),
  };
}
