// Signals: what a program outside says to a run. A step waits for one by its name, as a gate waits for a person.

import type { StoryId } from "./ids.ts";

/** What a step waits for. */
export interface SignalWait {
  readonly name: string;
  /** The keys that the signal must bring; they become outputs of the step. */
  readonly produces: readonly string[];
}

/** A signal that no step has taken yet. */
export interface KeptSignal {
  readonly name: string;
  /** The story it is for; null: the run's own chain. */
  readonly story: StoryId | null;
  readonly outputs: Readonly<Record<string, string>>;
  readonly by: string;
  readonly at: number;
}

/** The option of a waiting step that its signal takes, and the one at its deadline. */
export const receivedOption = "received";
export const lateOption = "late";

/** They are part of the header, which is written with every transition of its chain. */
export const mostKeptSignals = 1_000;
export const mostKeptCharacters = 1024 * 1024;
