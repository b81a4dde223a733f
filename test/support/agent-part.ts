// What a playing agent is to do, what it records, and in which files. The program and the tests share it, so it imports neither.

import type { Move } from "../agents/model/conversation.ts";

export type VoiceName = "claude" | "codex" | "opencode" | "acp";

export interface Part {
  /** Performed in order; then it says that it is done. Without moves it plays every role of feature-dev. */
  readonly moves?: readonly Move[];
  /** How many attempts of a step end with a rate limit before one succeeds. */
  readonly rateLimits?: number;
}

/** The record of one attempt that ended. */
export interface Played {
  /** Everything it was given: its role and its prompt. */
  readonly told: string;
  /** The number of the model's answers. */
  readonly answers: number;
  readonly moves: readonly Move["does"][];
}

export const partFile = "part.json";
export const playedFile = "played";
