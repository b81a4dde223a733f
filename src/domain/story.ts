// Stories. Owns: a unit of work that is verified and integrated on its own.

import type { StepName, StoryId } from "./ids.ts";
import type { Scope } from "./scope.ts";

export type StoryStatus = "waiting" | "running" | "held" | "done" | "failed" | "blocked" | "skipped" | "cancelled";

/** What a planner or a PRD says of a story. It does not change while the story runs. */
export interface StorySpec {
  readonly id: StoryId;
  readonly title: string;
  readonly description: string;
  readonly acceptanceCriteria: readonly string[];
  readonly dependsOn: readonly StoryId[];
}

/** The story's line in the run's header: all that scheduling needs. */
export interface StoryEntry {
  readonly id: StoryId;
  readonly title: string;
  readonly status: StoryStatus;
  readonly dependsOn: readonly StoryId[];
}

/** A story at work: its own chain, context and attempts. Loaded and versioned apart from its run. */
export interface Story extends Scope {
  readonly id: StoryId;
  /** The `stories` step whose body its chain comes from. */
  readonly of: StepName;
}

/** No more work will be done on it, unless somebody retries it. */
export function isSettled(entry: StoryEntry): boolean {
  return entry.status !== "waiting" && entry.status !== "running" && entry.status !== "held";
}
