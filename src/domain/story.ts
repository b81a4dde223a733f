// A story: a unit of work that is verified and integrated on its own.

import type { StepId, StepName, StoryId } from "./ids.ts";
import type { Scope } from "./scope.ts";

export type StoryStatus = "waiting" | "running" | "held" | "done" | "failed" | "blocked" | "skipped" | "cancelled";

/** A story as a planner or a PRD describes it. It does not change while the story runs. */
export interface StorySpec {
  readonly id: StoryId;
  readonly title: string;
  readonly description: string;
  readonly acceptanceCriteria: readonly string[];
  readonly dependsOn: readonly StoryId[];
  /** Stories with the lowest number start first; those without one start last. */
  readonly priority?: number;
  /** Paths that it will change, if the plan names them. */
  readonly touches?: readonly string[];
  /** A person added or changed it by a command: the file that the run's stories came from says nothing about it. */
  readonly byPerson?: true;
  /** Keys of its context from the start; what its steps say counts more. Absent: none. */
  readonly context?: Readonly<Record<string, string>>;
}

/** A story as its run sees it, with all that scheduling needs. Each entry is a row of its own. */
export interface StoryEntry {
  readonly id: StoryId;
  readonly title: string;
  readonly status: StoryStatus;
  readonly dependsOn: readonly StoryId[];
  /** How many of `dependsOn` are not done. It only goes down; a story can start at 0. */
  readonly openDependencies: number;
  readonly priority?: number;
  readonly touches?: readonly string[];
  readonly context?: Readonly<Record<string, string>>;
  /** The 1-based slot of its tree, while it is at work. */
  readonly slot?: number;
  /** It has a chain, and waits because it was retried or imported, or was stopped. */
  readonly begun?: boolean;
  /** A person dropped it as done: nothing of it is on the base. */
  readonly leftOut?: true;
  /** The commit that took its work back from the base; absent: nothing did. */
  readonly reverted?: string;
  /** What it said under the keys that later steps name, once it is done; absent: no step names any, or it was done elsewhere. */
  readonly said?: StorySaid;
}

/** What a story said at its end, for `STEP.STORY.KEY`. */
export interface StorySaid {
  /** The `stories` step whose body it went through. */
  readonly of: StepName;
  readonly values: Readonly<Record<string, string>>;
}

/** A story from an earlier run: its steps with their states. */
export interface AdoptedStory {
  readonly id: StoryId;
  readonly status: "waiting" | "done" | "failed" | "blocked";
  /** Empty: it has not begun. */
  readonly chain: readonly AdoptedStep[];
}

export interface AdoptedStep {
  readonly id: StepId;
  readonly name: StepName;
  readonly description: string;
  readonly state: "waiting" | "done" | "failed" | "skipped";
  readonly reason: string;
  readonly notes: string;
  readonly restarts: number;
  /** Attempts of it before; absent: none, or they are not counted on. */
  readonly attempts?: number;
}

/** A story at work: its own chain, context and attempts. Loaded and versioned apart from its run. */
export interface Story extends Scope {
  readonly id: StoryId;
  /** The `stories` step whose body its chain comes from. */
  readonly of: StepName;
  /** Ids of steps that an edit has taken out: they are not given again. */
  readonly retired?: readonly StepId[];
}

/** No more work is done on it, unless it is retried. */
export function isSettled(entry: StoryEntry): boolean {
  return entry.status !== "waiting" && entry.status !== "running" && entry.status !== "held";
}

/** The same story, planned so that it begins before all others; null: it is the first already. */
export function chosenFirst(entries: readonly StoryEntry[], spec: StorySpec): StorySpec | null {
  const others = entries.filter((entry) => entry.id !== spec.id && isUnbegun(entry));
  const lowest = Math.min(1, ...others.map(({ priority }) => priority ?? 1));
  const own = entries.find(({ id }) => id === spec.id)?.priority;
  return own !== undefined && own < lowest ? null : { ...spec, priority: lowest - 1 };
}

/** It was stopped before it began, because it was not needed. */
export function isStoppedUnbegun({ status, begun }: StoryEntry): boolean {
  return status === "cancelled" && !begun;
}

/** Nothing was done on it yet, so that a new plan may change or drop it. */
export function isUnbegun({ status, begun }: StoryEntry): boolean {
  return isUnbegunStatus(status) && !begun;
}

/** Why a person cannot change it. */
export function hasBegunText({ id, status }: StoryEntry): string {
  return isUnbegunStatus(status) ? `story ${id} has begun` : `story ${id} is ${status}`;
}

function isUnbegunStatus(status: StoryStatus): boolean {
  return status === "waiting" || status === "blocked";
}
