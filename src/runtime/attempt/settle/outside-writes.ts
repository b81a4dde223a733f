// Says what an attempt changed outside of the `writes` of its step. A note, never a failure: the list may be wrong, and the work good.

import type { Report } from "../../../domain/report.ts";
import { changedSince, changedSinceTree } from "../../../workspaces/trees/changes.ts";
import { pathMatcher } from "../../../workspaces/trees/path-patterns.ts";
import type { Parts } from "../../parts.ts";
import { byProductsOf } from "../../trees/left-work.ts";
import { keptOutOf } from "../../trees/protocol-folder.ts";
import type { BegunAttempt } from "../begin/begin.ts";
import type { Answer } from "../execute/answer.ts";
import { renderedPaths } from "../prepare/step-paths.ts";
import { templateValues } from "../prepare/values.ts";

const namesShown = 5;

export async function noteOutside(
  parts: Pick<Parts, "store" | "home" | "protocols">,
  begun: BegunAttempt,
  answer: Answer,
  report: Report,
): Promise<Report> {
  const { claim } = begun;
  const { attempt, definition } = claim;
  if (answer.kind === "performed" || definition.writes === undefined) return report;
  const values = await templateValues(parts, claim, "");
  const isNamed = pathMatcher(renderedPaths(definition, definition.writes, values, attempt.story));
  const changed = await changesOf(begun);
  const isByProduct = byProductsOf(claim.run.header);
  const isKeptOut = keptOutOf(parts, claim.run) ?? (() => false);
  const outside = changed.filter((name) => !isNamed(name) && !isByProduct(name) && !isKeptOut(name));
  if (outside.length === 0) return report;
  const rest = outside.length > namesShown ? ` and ${outside.length - namesShown} more` : "";
  const note = `changed outside of its \`writes\`: ${outside.slice(0, namesShown).join(", ")}${rest}`;
  return { ...report, notes: [...report.notes, note] };
}

/** In place, the files as they were when it began: what a person changed meanwhile is among it. */
async function changesOf({ workspace, treeBefore }: BegunAttempt): Promise<readonly string[]> {
  if (workspace.base !== null) return await changedSince(workspace.path, workspace.base);
  return treeBefore === null ? [] : await changedSinceTree(workspace.path, treeBefore);
}
