// Steps and chains. Owns: a node of a chain and the states it can be in.

import type { AttemptId, GateId, StepId, StepName } from "./ids.ts";

export type StepState =
  | { readonly status: "waiting" }
  | { readonly status: "ready"; readonly notBefore: number }
  | { readonly status: "running"; readonly attempt: AttemptId }
  /** A `stories` step while its stories are worked on. */
  | { readonly status: "running"; readonly attempt: null }
  /** Waits for a person. */
  | { readonly status: "held"; readonly gate: GateId }
  | { readonly status: "done" }
  | { readonly status: "failed"; readonly reason: string }
  /** Skipped by a route comes back to life when a route goes back before it; skipped by an edit does not. */
  | { readonly status: "skipped"; readonly by: "route" | "edit"; readonly reason: string }
  | { readonly status: "cancelled" };

export type StepStatus = StepState["status"];

export interface Step {
  readonly id: StepId;
  readonly name: StepName;
  readonly state: StepState;
  /** One passage of the chain through this step; a route back starts a new one. */
  readonly visit: number;
  /** The context keys that its last accepted attempt set: cleared when it is reset, replaced when it ends again. */
  readonly produced: readonly string[];
  /** For the next attempt: why the step was sent back, or what was wrong with its output. */
  readonly feedback: string;
  /** What is to be done here, where an edit said it; absent: what the definition says. */
  readonly description?: string;
  /** What its last accepted attempt hands on to the steps after it. */
  readonly notes?: string;
  /** Restarts from a life before this store knew it. */
  readonly restartsBefore?: number;
}

/** Order is the list's. */
export type Chain = readonly Step[];

export function isOver(step: Step): boolean {
  return step.state.status === "done" || step.state.status === "skipped";
}
