// Steps, the states that they can be in, and chains.

import type { AttemptId, GateId, StepId, StepName, StoryId } from "./ids.ts";
import type { Item } from "./item.ts";
import type { Part } from "./part.ts";
import type { ReadyState } from "./ready.ts";

export type StepState =
  | { readonly status: "waiting" }
  | ReadyState
  | { readonly status: "running"; readonly attempt: AttemptId }
  /** `attempt` is null while stories or parts are worked on. */
  | { readonly status: "running"; readonly attempt: null }
  /** Waits for a person. */
  | { readonly status: "held"; readonly gate: GateId }
  | { readonly status: "done" }
  | { readonly status: "failed"; readonly reason: string }
  | { readonly status: "skipped"; readonly by: SkippedBy; readonly reason: string }
  | { readonly status: "cancelled" };

/**
 * A step that a route skipped waits again when a route goes back before it. One that an edit skipped does not, nor does one that runs
 * for an entry of a list that was read again.
 */
export type SkippedBy = "route" | "edit" | "list";

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
  /** It is dropped, or its story is stopped, and its attempt has not ended yet; absent: neither. */
  readonly dropping?: Dropping;
  /** The task of this step, if an edit set it; absent: the title from the definition. */
  readonly description?: string;
  /** The summary of its last accepted attempt, for the steps after it. */
  readonly notes?: string;
  /** Its parts in their order, since its parts were opened in this visit; absent: it has none. */
  readonly parts?: readonly Part[];
  /** Of a `stories` step: what its stories must come to, since it was opened; absent: all stories of the run must be done. */
  readonly round?: StoriesRound;
  /** Restarts in an earlier run, before the story was imported. */
  readonly restartsBefore?: number;
  /** The entry of a list that it runs for; absent: it runs for none. */
  readonly item?: Item;
  /** The visit in which it took that list. Only the step that took it has this. */
  readonly itemsVisit?: number;
  /** Attempts before the story was imported: its own are numbered on from there. */
  readonly attemptsBefore?: number;
}

/** One round of a `stories` step: from its opening to its end, over retries. Going back to the step begins another one. */
export interface StoriesRound {
  /** How many stories of the run must be done, with those that were done before the round; null: all. */
  readonly needed: number | null;
  /** Stories that had failed, were blocked or were stopped before the round: they are none of it. */
  readonly without: readonly StoryId[];
}

/**
 * What becomes of a step that a person drops. `whole`: its whole story is dropped. `stopped`: no person dropped it; the story is not
 * needed any more.
 */
export interface Dropping {
  readonly as: "done" | "failed" | "stopped";
  readonly reason: string;
  readonly whole: boolean;
}

/** The steps in their order. */
export type Chain = readonly Step[];

/** Its stories are worked on. */
export function hasOpenStories({ state, parts }: Step): boolean {
  return state.status === "running" && state.attempt === null && parts === undefined;
}

/** Its parts are worked on. */
export function hasOpenParts(step: Step): step is Step & { readonly parts: readonly Part[] } {
  return step.state.status === "running" && step.parts !== undefined;
}

export function isOver(step: Step): boolean {
  return step.state.status === "done" || step.state.status === "skipped";
}
