// Parts of playing agents. Owns: what one is told to play, what it notes down of it, and where. A program and a test read it: it
// imports nothing of either.

import type { Move } from "../agents/model/conversation.ts";

export type VoiceName = "claude" | "codex" | "opencode" | "acp";

export interface Part {
  /** One after the other, and then it says that it is done; without them it plays every role of feature-dev. */
  readonly moves?: readonly Move[];
  /** How many first attempts of a step its API turns away. */
  readonly turnedAway?: number;
}

/** Of one attempt that came to its end. */
export interface Played {
  /** All that it was told: who it is, and what to do. */
  readonly told: string;
  /** How often the model was asked. */
  readonly answers: number;
  readonly moves: readonly Move["does"][];
}

export const partFile = "part.json";
export const playedFile = "played";
