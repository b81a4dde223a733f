// Attempts. Owns: one execution of a step. Never overwritten, never deleted: every limit is a question over attempts.

import type { AttemptId, StepId, StepName, StoryId, Token } from "./ids.ts";
import type { Route, VerdictKey } from "./route.ts";

/** What an attempt came to. Only `completed` can decide anything. */
export type Outcome = "completed" | "failed" | "timed_out" | "lost" | "cancelled" | "rate_limited" | "invalid_output";

/** What a completed attempt said. */
export type Verdict =
  | { readonly kind: "passed" }
  | { readonly kind: "rejected"; readonly reason: string | null }
  | { readonly kind: "value"; readonly value: string };

/** What is absent is nothing: events of older versions do not have it. */
export interface Usage {
  readonly costUsd: number;
  /** What was not found in a cache. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens?: number;
  /** The part of `costUsd` that nobody has told us: tokens times a price from a table. */
  readonly estimatedUsd?: number;
}

export const noUsage: Required<Usage> = {
  costUsd: 0,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  estimatedUsd: 0,
};

export function addUsage(one: Usage, other: Usage): Required<Usage> {
  return {
    costUsd: one.costUsd + other.costUsd,
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cacheReadTokens: (one.cacheReadTokens ?? 0) + (other.cacheReadTokens ?? 0),
    estimatedUsd: (one.estimatedUsd ?? 0) + (other.estimatedUsd ?? 0),
  };
}

/** Which route an ended attempt led to, and which limit that used up. Limits count these. */
export interface Taken {
  /** `edit`: it asked for its own step to run again. `asked`: it asked a person something. */
  readonly key: VerdictKey | "error" | "edit" | "asked";
  readonly to: Route["to"];
  readonly draws: "edge" | "decision" | "story" | null;
}

export type AttemptPhase =
  | { readonly phase: "dispatched" }
  | { readonly phase: "started"; readonly workspace: string | null; readonly base: string | null }
  /** Told to stop: its token is void, its step and permit are still taken. */
  | {
      readonly phase: "stopping";
      readonly reason: string;
      readonly workspace: string | null;
      readonly base: string | null;
    }
  | {
      readonly phase: "ended";
      readonly endedAt: number;
      readonly outcome: Outcome;
      readonly verdict: Verdict | null;
      readonly taken: Taken | null;
      readonly why: string;
      /** What it left in its workspace goes away before the next attempt. */
      readonly discards: boolean;
      readonly workspace: string | null;
      readonly base: string | null;
    };

export interface Attempt {
  readonly id: AttemptId;
  readonly story: StoryId | null;
  readonly step: StepId;
  readonly name: StepName;
  readonly visit: number;
  /** The how-manieth attempt of this step in its scope, from 1. */
  readonly number: number;
  readonly token: Token;
  readonly driver: "push" | "pull";
  readonly executor: string;
  readonly host: string;
  readonly startedAt: number;
  readonly usage: Usage;
  readonly session: string | null;
  /** Which model did the work, and which version of the agent; absent: nobody said. */
  readonly model?: string | null;
  readonly version?: string | null;
  readonly state: AttemptPhase;
}

export type EndedAttempt = Attempt & { readonly state: Extract<AttemptPhase, { phase: "ended" }> };

export function hasEnded(attempt: Attempt): attempt is EndedAttempt {
  return attempt.state.phase === "ended";
}

/** The tree an attempt started from; null before it started or where there is no tree. */
export function baseOf(attempt: Attempt): string | null {
  return attempt.state.phase === "dispatched" ? null : attempt.state.base;
}
