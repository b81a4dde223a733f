// The outcome of an agent's stream, in the same words for every agent.

/** Why it is not ok. All agents share this list; agent-end.ts decides what follows from each. */
export type FailureKind =
  /** It was denied something, and ended there. */
  | "denied"
  | "auth"
  /** The prompt or the session is longer than the model can read. */
  | "context"
  /** Too many requests in a short time; it passes by itself. */
  | "rate_limit"
  /** The account's quota is used up, until it is reset or extended. */
  | "quota"
  | "overloaded"
  | "server"
  | "network"
  | "max_turns"
  | "max_budget"
  | "killed"
  /** It ended without its last event. */
  | "no_result"
  /** It reports that it was interrupted. */
  | "aborted"
  /** Its last event reports success and its exit code does not. */
  | "exit"
  | "other";

export interface TokenUsage {
  /** New input, including what was written to the cache. */
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly outputTokens: number;
  /** Null: the agent reports none. */
  readonly costUsd: number | null;
}

export interface StreamReading {
  /** The last event was there and reports no error, and the exit code was 0. It says nothing about the work. */
  readonly ok: boolean;
  readonly kind: FailureKind | null;
  /** The agent's last message. */
  readonly text: string;
  /** The number of denied calls. */
  readonly denials: number;
  readonly usage: TokenUsage;
  /** When the failure passes, in milliseconds since 1970. */
  readonly resetsAt: number | null;
  readonly session: string | null;
  readonly model: string | null;
  readonly version: string | null;
  /** Why it is not ok, for people; empty when it is. */
  readonly message: string;
}

/** How the process ended. */
export type ProcessExit = { readonly code: number } | { readonly signal: string };
