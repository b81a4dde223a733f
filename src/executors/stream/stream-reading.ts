// Readings. Owns: what an agent's own stream of events comes to, in the same words for every agent.

/** Why it is not done. One list for all agents: what follows from each is decided elsewhere. */
export type FailureKind =
  /** It wanted to do what it may not, and ended there. */
  | "denied"
  | "auth"
  /** The prompt or the session is longer than the model can read. */
  | "context"
  /** Too much in a short time; it passes by itself. */
  | "rate_limit"
  /** What the account may use is used up, until it is reset or paid for. */
  | "quota"
  | "overloaded"
  | "server"
  | "network"
  | "max_turns"
  | "max_budget"
  | "killed"
  /** It ended without saying how. */
  | "no_result"
  /** Somebody interrupted it, and it says so. */
  | "aborted"
  /** Its last event says that all is well, its exit code does not. */
  | "exit"
  | "other";

export interface TokenUsage {
  /** What the model read anew, what it put into its cache included. */
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly outputTokens: number;
  /** Null: the agent does not say. */
  readonly costUsd: number | null;
}

export interface StreamReading {
  /** Its last event was there, without an error, and its exit code was 0. It says nothing about the work. */
  readonly ok: boolean;
  readonly kind: FailureKind | null;
  /** What it said last. */
  readonly text: string;
  /** How often it was not allowed something. */
  readonly denials: number;
  readonly usage: TokenUsage;
  /** When what stopped it is over, in milliseconds since 1970. */
  readonly resetsAt: number | null;
  readonly session: string | null;
  readonly model: string | null;
  readonly version: string | null;
  /** Why it is not ok, for people; empty when it is. */
  readonly message: string;
}

/** How the process ended. */
export type ProcessExit = { readonly code: number } | { readonly signal: string };
