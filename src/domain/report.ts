// Reports. Owns: what came back from an attempt, after the edge has read it. The engine never sees raw agent text.

import type { Usage, Verdict } from "./attempt.ts";
import type { EditRequest } from "./edit.ts";
import type { StorySpec } from "./story.ts";

/** It ran to its end and can be read. */
export interface CompletedReport {
  readonly outcome: "completed";
  readonly verdict: Verdict;
  readonly outputs: Readonly<Record<string, string>>;
  /** Stories that it planned; null when it planned none. */
  readonly stories: readonly StorySpec[] | null;
  /** Feedback for a step that is sent back. */
  readonly feedback: string;
  /** What reading changed or left out, in words. */
  readonly notes: readonly string[];
  /** What it hands on to the steps after it. */
  readonly summary?: string;
  /** How it wants its chain changed. */
  readonly edits?: EditRequest;
}

/** It did not: nothing of it reaches the context and it decides nothing. */
export interface UnfinishedReport {
  readonly outcome: "failed" | "timed_out" | "lost" | "cancelled" | "rate_limited" | "invalid_output";
  readonly why: string;
  /** For `rate_limited`: when it makes sense to try again. */
  readonly retryAt: number | null;
  readonly notes: readonly string[];
  /** The question to a person; set where only a person can help, whatever `on_error` says. */
  readonly asks?: string;
  /** The agent itself asks a person, and ended its turn: the answer comes with its next attempt. */
  readonly asked?: AgentQuestion;
}

export interface AgentQuestion {
  readonly question: string;
  /** The options; empty: the person answers in their own words. */
  readonly options: readonly string[];
}

export type Report = (CompletedReport | UnfinishedReport) & {
  readonly usage: Usage;
  readonly session: string | null;
  /** Which model did the work, and which version of the agent. */
  readonly model?: string | null;
  readonly version?: string | null;
  /** The tree at its end, where there is one. */
  readonly tree: string | null;
};
