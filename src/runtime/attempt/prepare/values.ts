// The values that templates of an attempt may name: what steps said, what Pawl knows of the run, its story and its protocol.

import type { RunValues } from "../../../domain/context.ts";
import type { Item } from "../../../domain/item.ts";
import { contextOf, type Run, saidPlaces, scopeOf } from "../../../domain/run.ts";
import { saidValues } from "../../../domain/said.ts";
import type { Step } from "../../../domain/step.ts";
import { templateKeys } from "../../../prompts/template.ts";
import { storyVariables } from "../../../prompts/variables.ts";
import { type AgentHome, readProgress } from "../../../protocols/files/agent-home.ts";
import { hasFrontendChanges } from "../../../workspaces/trees/changes.ts";
import type { Parts } from "../../parts.ts";
import { progressHome, progressPlaces } from "../../trees/agent-homes.ts";
import { treeOfAttempt } from "../../trees/part-trees.ts";
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
  const path = treeOfAttempt(parts, run, attempt);
  const values = {
    ...contextOf(run, attempt.story),
    ...saidValues(saidPlaces(run, attempt.story)),
    ...(await builtIn(parts, claim, { home, path }, feedback, template)),
    part: attempt.part ?? "",
    item: itemOf(claim)?.value ?? "",
    ...(spec
      ? storyVariables({ spec, entries: header.stories, feedback, progress: progressOf(parts, run, home) })
      : {}),
    ...parts.protocols.of(header.definition).values(claim, path),
  };
  const isListed = /\{\{\s*(?:reads|writes)\b/i.test(template);
  return isListed ? { ...values, ...listedPaths(claim.definition, values, attempt.story, path) } : values;
}

/** Why the work was sent back. */
export function feedbackFor(claim: Claim): string {
  const step = stepOf(claim);
  const part = step?.parts?.find(({ name }) => name === claim.attempt.part);
  return (part ?? step)?.feedback ?? "";
}

/** The entry of a list that its step runs for; null: none. */
export function itemOf(claim: Pick<Claim, "run" | "attempt">): Item | null {
  return stepOf(claim)?.item ?? null;
}

function stepOf({ run, attempt }: Pick<Claim, "run" | "attempt">): Step | undefined {
  return scopeOf(run, attempt.story)?.chain.find(({ id }) => id === attempt.step);
}

function progressOf(parts: Pick<Parts, "home">, run: Run, home: AgentHome | null): string {
  return readProgress(home === null ? [] : progressPlaces(parts, run, home));
}

async function builtIn(
  parts: Pick<Parts, "home">,
  { run, attempt }: Claim,
  { home, path }: { readonly home: AgentHome | null; readonly path: string },
  feedback: string,
  template: string,
): Promise<Omit<RunValues, "reads" | "writes" | "part" | "item">> {
  const { header } = run;
  const named = new Set(templateKeys(template).map((key) => key.toLowerCase()));
  const frontend =
    named.has("has_frontend_changes") &&
    header.place.base !== null &&
    (await hasFrontendChanges(path, header.place.base));
  return {
    task: header.task,
    run_id: header.id,
    attempt: String(attempt.number),
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
