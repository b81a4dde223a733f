// Stories. Owns: a unit of work that is verified and integrated on its own.

import type { StepId, StepName, StoryId } from "./ids.ts";
import type { Scope } from "./scope.ts";

export type StoryStatus = "waiting" | "running" | "held" | "done" | "failed" | "blocked" | "skipped" | "cancelled";

/** What a planner or a PRD says of a story. It does not change while the story runs. */
export interface StorySpec {
  readonly id: StoryId;
  readonly title: string;
  readonly description: string;
  readonly acceptanceCriteria: readonly string[];
  readonly dependsOn: readonly StoryId[];
  /** The lowest is taken first; absent: after all that have one. */
  readonly priority?: number;
  /** Paths that it will change, where somebody said so. */
  readonly touches?: readonly string[];
}

/** A story as the run sees it: all that scheduling needs. Kept as a row of its own. */
export interface StoryEntry {
  readonly id: StoryId;
  readonly title: string;
  readonly status: StoryStatus;
  readonly dependsOn: readonly StoryId[];
  /** How many of `dependsOn` are not done. It only goes down; a story can start at 0. */
  readonly openDependencies: number;
  readonly priority?: number;
  readonly touches?: readonly string[];
  /** The tree that it works in, from 1, while it is at work. */
  readonly slot?: number;
  /** It waits with a chain that exists already: it was retried, or comes from a file. */
  readonly begun?: boolean;
}

/** A story as it comes from another life: its steps with what they came to. */
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
}

/** A story at work: its own chain, context and attempts. Loaded and versioned apart from its run. */
export interface Story extends Scope {
  readonly id: StoryId;
  /** The `stories` step whose body its chain comes from. */
  readonly of: StepName;
  /** Ids of steps that an edit has taken out: they are not given again. */
  readonly retired?: readonly StepId[];
}

/** No more work will be done on it, unless somebody retries it. */
export function isSettled(entry: StoryEntry): boolean {
  return entry.status !== "waiting" && entry.status !== "running" && entry.status !== "held";
}
