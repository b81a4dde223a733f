// Steps, the states that they can be in, and chains.

import type { AttemptId, GateId, StepId, StepName } from "./ids.ts";

export type StepState =
  | { readonly status: "waiting" }
  | ReadyState
  | { readonly status: "running"; readonly attempt: AttemptId }
  /** `attempt` is null for a `stories` step while its stories are worked on. */
  | { readonly status: "running"; readonly attempt: null }
  /** Waits for a person. */
  | { readonly status: "held"; readonly gate: GateId }
  | { readonly status: "done" }
  | { readonly status: "failed"; readonly reason: string }
  /** A step that a route skipped waits again when a route goes back before it; one that an edit skipped does not. */
  | { readonly status: "skipped"; readonly by: "route" | "edit"; readonly reason: string }
  | { readonly status: "cancelled" };

export interface ReadyState {
  readonly status: "ready";
  readonly notBefore: number;
  /** How long it was to wait when it became ready; 0: not at all. Absent in runs that an older Pawl began. */
  readonly pauseMs?: number;
}

export type StepStatus = StepState["status"];

export interface Step {
  readonly id: StepId;
  readonly name: StepName;
  readonly state: StepState;
  /** The number of times the chain has entered this step; a route back starts a new visit. */
  readonly visit: number;
  /** The context keys that its last accepted attempt set: cleared when it is reset, replaced when it ends again. */
  readonly produced: readonly string[];
  /** For the next attempt: why the step was sent back, or what was wrong with its output. */
  readonly feedback: string;
  /** The task of this step, if an edit set it; absent: the title from the definition. */
  readonly description?: string;
  /** The summary of its last accepted attempt, for the steps after it. */
  readonly notes?: string;
  /** Restarts in an earlier run, before the story was imported. */
  readonly restartsBefore?: number;
  /** Attempts before the story was imported: its own are numbered on from there. */
  readonly attemptsBefore?: number;
}

/** The steps in their order. */
export type Chain = readonly Step[];

/** No wait is longer than twice its pause, so that a clock that was put back does not prolong it. */
export function isDue({ notBefore, pauseMs = Number.POSITIVE_INFINITY }: ReadyState, at: number): boolean {
  const wait = notBefore - at;
  return wait <= 0 || wait >= 2 * pauseMs;
}

export function isOver(step: Step): boolean {
  return step.state.status === "done" || step.state.status === "skipped";
}
