// A report: the result of an attempt after the edge has parsed it. The engine never sees raw agent output.

import type { Usage, Verdict } from "./attempt.ts";
import type { EditRequest } from "./edit.ts";
import type { PartName } from "./ids.ts";
import type { StorySpec } from "./story.ts";

/** The attempt completed and its output was readable. */
export interface CompletedReport {
  readonly outcome: "completed";
  readonly verdict: Verdict;
  readonly outputs: Readonly<Record<string, string>>;
  /** Stories that it planned; null if it planned none. */
  readonly stories: readonly StorySpec[] | null;
  /** Feedback for a step that is sent back. */
  readonly feedback: string;
  /** What the parser changed or left out, in words. */
  readonly notes: readonly string[];
  /** Its summary for the steps after it. */
  readonly summary?: string;
  /** Its request to change the chain. */
  readonly edits?: EditRequest;
  /** Why parts could not be joined: it is rejected then. */
  readonly conflict?: JoinConflict;
}

/** Files that a part changed, and that an earlier one had changed in another way. */
export interface JoinConflict {
  readonly part: PartName;
  readonly files: readonly string[];
}

/** The attempt did not complete: its outputs do not reach the context, and it decides nothing. */
export interface UnfinishedReport {
  readonly outcome: "failed" | "timed_out" | "lost" | "cancelled" | "rate_limited" | "invalid_output";
  readonly why: string;
  /** When to retry, if the step runs again: after a refusal, and after a crash. */
  readonly retryAt: number | null;
  readonly notes: readonly string[];
  /** The question to a person, if only a person can help, whatever `on_error` says. */
  readonly asks?: string;
  /** A question from the agent itself. Its next attempt gets the answer. */
  readonly asked?: AgentQuestion;
}

export interface AgentQuestion {
  readonly question: string;
  /** The possible answers; empty: the person answers in their own words. */
  readonly options: readonly string[];
}

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** What is known of an attempt, however it ended: what it reported, its checks, the files that it changed. */
export type Facts = Readonly<Record<string, Json>>;

export type Report = (CompletedReport | UnfinishedReport) & {
  readonly usage: Usage;
  readonly session: string | null;
  /** The model and the version of the agent. */
  readonly model?: string | null;
  readonly version?: string | null;
  /** The tree at the end of the attempt, if there is one. */
  readonly tree: string | null;
  readonly facts?: Facts;
};
