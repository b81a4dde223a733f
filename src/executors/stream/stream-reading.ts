// The outcome of an agent's stream, in the same words for every agent.

import type { FailureKind, TokenUsage } from "../../domain/agent-event.ts";

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
