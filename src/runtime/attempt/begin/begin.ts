// Begins an attempt: the store records its tree, and from here on the attempt may change things.

import type { Parts } from "../../parts.ts";
import { type TransitionPorts, transition } from "../../runs/transition.ts";
import { authorOf, type Claim } from "../claim/claim.ts";
import { logStep } from "../finish/step-log.ts";
import type { Input } from "../prepare/input.ts";
import type { Workspace } from "../prepare/workspace.ts";
import { recordBegin } from "./begin-record.ts";

/** What the phases after `execute` need, in this process or in another one (find-begun.ts). */
export interface BegunAttempt {
  readonly claim: Claim;
  readonly workspace: Workspace;
  /** Keys that its prompt names and that have no value. */
  readonly missingKeys: readonly string[];
}

interface Prepared {
  readonly workspace: Workspace;
  readonly input: Pick<Input, "missing">;
}

export type BeginPorts = TransitionPorts & Pick<Parts, "home" | "clock" | "log" | "protocols">;

/** null: the attempt was told to stop, or was ended, since it was claimed. */
export async function begin(
  parts: BeginPorts,
  claim: Claim,
  { workspace, input }: Prepared,
): Promise<BegunAttempt | null> {
  const { run, attempt } = claim;
  const begun = { claim, workspace, missingKeys: input.missing };
  recordBegin(parts, begun);
  const decision = await transition(parts, run.header.id, {
    type: "begin_attempt",
    at: parts.clock.now(),
    author: authorOf(claim),
    story: attempt.story,
    attempt: attempt.id,
    workspace: workspace.path,
    base: workspace.base,
  });
  if (!decision.accepted) return null;
  logStep(parts, claim, "step_started");
  return begun;
}
