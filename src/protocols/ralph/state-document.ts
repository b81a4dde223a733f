// The shape of `workflow_state.json`, version 1, and the mapping between its statuses and Pawl's.

import type { StepStatus } from "../../domain/step.ts";
import type { AdoptedStep, AdoptedStory, StoryStatus } from "../../domain/story.ts";

export type StateStepStatus = "pending" | "in_progress" | "completed" | "skipped" | "failed" | "cancelled";
export type StateStoryStatus = "unclaimed" | "in_progress" | "completed" | "failed" | "blocked";

/** A step that failed because it timed out or was stopped is `cancelled` in the file: see `state-step.ts`. */
export const stepStatusInFile: Readonly<Record<StepStatus, StateStepStatus>> = {
  waiting: "pending",
  ready: "pending",
  running: "in_progress",
  held: "in_progress",
  done: "completed",
  failed: "failed",
  skipped: "skipped",
  cancelled: "cancelled",
};

export const storyStatusInFile: Readonly<Record<StoryStatus, StateStoryStatus>> = {
  waiting: "unclaimed",
  running: "in_progress",
  held: "in_progress",
  done: "completed",
  skipped: "completed",
  failed: "failed",
  cancelled: "failed",
  blocked: "blocked",
};

/** No agent works on an imported step, so a step in progress starts again. */
export const stepStateFromFile: Readonly<Record<StateStepStatus, AdoptedStep["state"]>> = {
  pending: "waiting",
  in_progress: "waiting",
  completed: "done",
  skipped: "skipped",
  failed: "failed",
  cancelled: "failed",
};

export const storyStatusFromFile: Readonly<Record<StateStoryStatus, AdoptedStory["status"]>> = {
  unclaimed: "waiting",
  in_progress: "waiting",
  completed: "done",
  failed: "failed",
  blocked: "blocked",
};

/** The ten types of Dynamic Ralph, and the one that only Pawl itself inserts. */
export const stepTypes = [
  "context_gathering",
  "planning",
  "architecture",
  "test_architecture",
  "coding",
  "linting",
  "initial_testing",
  "review",
  "prune_tests",
  "final_review",
  "rebase_resolve",
] as const;

export type HistoryAction =
  | "step_started"
  | "step_completed"
  | "step_failed"
  | "step_cancelled"
  | "step_skipped"
  | "workflow_edit"
  | "story_claimed"
  | "story_completed"
  | "story_failed";

export interface HistoryEntry {
  readonly timestamp: string;
  readonly action: HistoryAction;
  readonly agent_id: number | null;
  readonly step_id: string | null;
  readonly details: Readonly<Record<string, unknown>>;
}

export interface StateStep {
  readonly id: string;
  readonly type: string;
  readonly status: StateStepStatus;
  readonly description: string;
  readonly started_at: string | null;
  readonly completed_at: string | null;
  readonly git_sha_at_start: string | null;
  readonly notes: string | null;
  readonly error: string | null;
  readonly skip_reason: string | null;
  readonly restart_count: number;
  readonly cost_usd: number | null;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly log_file: string | null;
}

export interface StateStory {
  readonly story_id: string;
  readonly title: string;
  readonly status: StateStoryStatus;
  readonly agent_id: number | null;
  readonly claimed_at: string | null;
  readonly completed_at: string | null;
  readonly depends_on: readonly string[];
  readonly steps: readonly StateStep[];
  /** The history of an imported file comes first, unchanged. */
  readonly history: readonly unknown[];
}

export interface StateDocument {
  readonly version: 1;
  readonly created_at: string;
  readonly prd_file: string;
  readonly stories: Readonly<Record<string, StateStory>>;
}

export function stateTime(at: number): string {
  return new Date(at).toISOString();
}
