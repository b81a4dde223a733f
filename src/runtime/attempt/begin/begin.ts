// Beginning an attempt. Owns: what comes between a claim and the work, whoever does the work: its tree, its input, and the record
// that from here on things may change.

import type { Decision } from "../../../domain/decision.ts";
import type { Parts } from "../../parts.ts";
import { transition } from "../../runs/transition.ts";
import type { Claim } from "../claim/claim.ts";
import { writePrompt } from "../logs.ts";
import { gatherInput, type Input } from "../prepare/input.ts";
import { prepareWorkspace, type Workspace } from "../prepare/workspace.ts";
import type { Control } from "../settle/checks.ts";

export interface Begun {
  readonly workspace: Workspace;
  readonly input: Input;
  /** Refused when it was told to stop meanwhile. */
  readonly decision: Decision;
}

/** `told`: what this agent gets; it is kept beside its log. `control`: how making its tree ready is stopped. */
export async function beginClaimed(
  parts: Parts,
  claim: Claim,
  author: string,
  told: "input" | { readonly hasTools: boolean },
  control: Control = () => undefined,
): Promise<Begun> {
  const { run, attempt } = claim;
  const workspace = await prepareWorkspace(parts, run, attempt, control);
  await parts.protocols.of(run.header.definition).prepare(claim, workspace.path);
  // What happened so far is in the files that the prompt shows.
  await parts.projections.of(run.header)?.settle();
  const input = await gatherInput(parts, claim, told !== "input" && told.hasTools);
  if (claim.definition.kind !== "integrate") {
    const whole =
      told === "input" ? input.input : [input.system, input.prompt].filter((part) => part !== "").join("\n\n");
    writePrompt(parts, run.header.id, attempt, whole);
  }
  const decision = await transition(parts, run.header.id, {
    type: "begin_attempt",
    at: parts.clock.now(),
    author,
    story: attempt.story,
    attempt: attempt.id,
    workspace: workspace.path,
    base: workspace.base,
  });
  return { workspace, input, decision };
}
