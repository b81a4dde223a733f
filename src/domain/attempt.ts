// An attempt: one execution of a step. Attempts are never overwritten or deleted, because every limit is computed from them.

import type { AttemptId, PartName, StepId, StepName, StoryId, Token } from "./ids.ts";
import type { ErrorOutcome, Route, VerdictKey } from "./route.ts";

/** How an attempt ended. Only `completed` can decide anything. */
export type Outcome = "completed" | "failed" | "timed_out" | "lost" | "cancelled" | "rate_limited" | "invalid_output";

/** What a completed attempt said. */
export type Verdict =
  | { readonly kind: "passed" }
  | { readonly kind: "rejected"; readonly reason: string | null }
  | { readonly kind: "value"; readonly value: string };

/** An absent field counts as zero: events of older versions do not have it. */
export interface Usage {
  readonly costUsd: number;
  /** Without tokens that were read from a cache. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens?: number;
  /** The part of `costUsd` that the agent did not report: tokens times a price from a table. */
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

/** What Pawl performs itself uses nothing. */
const performedByPawl: ReadonlySet<string> = new Set(["shell", "integrate"]);

/** Its agent has not said what it used, or not yet. That is unknown, and not nothing. */
export function isUnreported({ executor, usage }: Pick<Attempt, "executor" | "usage">): boolean {
  return !performedByPawl.has(executor) && isZero(usage);
}

export function isZero({ costUsd, inputTokens, outputTokens, cacheReadTokens = 0 }: Usage): boolean {
  return costUsd === 0 && inputTokens + outputTokens + cacheReadTokens === 0;
}

/** Which route an ended attempt led to, and which limit that used up. Limits count these. */
export interface Taken {
  /** `edit`: it requested that its own step runs again. `asked`: it asked a person a question. */
  readonly key: VerdictKey | "error" | `error:${ErrorOutcome}` | "unreadable" | "edit" | "asked";
  readonly to: Route["to"];
  readonly draws: "edge" | "decision" | "story" | null;
}

export type AttemptPhase =
  | { readonly phase: "dispatched" }
  | { readonly phase: "started"; readonly workspace: string | null; readonly base: string | null }
  /** Being stopped: its token is void, but it still holds its step and its permits. */
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
      /** Its changes to the workspace are rolled back before the next attempt. */
      readonly discards: boolean;
      /** What a person should know about it; absent: nothing. */
      readonly notes?: readonly string[];
      readonly workspace: string | null;
      readonly base: string | null;
    };

export interface Attempt {
  readonly id: AttemptId;
  readonly story: StoryId | null;
  readonly step: StepId;
  readonly name: StepName;
  /** The part of the step that it performs; absent: the whole step. */
  readonly part?: PartName;
  readonly visit: number;
  /** The 1-based attempt number of this step, or of this part of it, in its scope. An imported story is counted on. */
  readonly number: number;
  readonly token: Token;
  readonly driver: "push" | "pull";
  readonly executor: string;
  readonly host: string;
  readonly startedAt: number;
  readonly usage: Usage;
  readonly session: string | null;
  /** The model and the version of the agent; null if they were not reported. */
  readonly model?: string | null;
  readonly version?: string | null;
  readonly state: AttemptPhase;
}

/** `review`, or `review (security)`: the step as people read it. */
export function nameWithPart({ name, part }: Pick<Attempt, "name" | "part">): string {
  return part === undefined ? name : `${name} (${part})`;
}

/** `review`, or `review+security`: its step in names of files. No id has a plus. */
export function placeName({ step, part }: Pick<Attempt, "step" | "part">): string {
  return part === undefined ? step : `${step}+${part}`;
}

export type EndedAttempt = Attempt & { readonly state: Extract<AttemptPhase, { phase: "ended" }> };

export function hasEnded(attempt: Attempt): attempt is EndedAttempt {
  return attempt.state.phase === "ended";
}

/** The tree that an attempt started from; null before it started or if there is no tree. */
export function baseOf(attempt: Attempt): string | null {
  return attempt.state.phase === "dispatched" ? null : attempt.state.base;
}
