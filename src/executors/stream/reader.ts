// Readers. Owns: the promise of every agent's reader: whatever the agent prints, events come out and at the end one reading.
// Unknown types and keys mean nothing, the order of keys means nothing, and nothing makes a reader throw.

import type { AgentEvent } from "./agent-event.ts";
import type { ProcessExit, StreamReading } from "./stream-reading.ts";

export interface Reader {
  /** How lines begin that mean nothing to it: whoever feeds it may leave them out without parsing them. */
  readonly noise: readonly string[];
  /** One JSON object of the stream. */
  read(event: object): readonly AgentEvent[];
  end(exit: ProcessExit): StreamReading;
}

/** `now` is for agents that say "in 20 seconds" and not when. */
export type NewReader = (now: () => number) => Reader;

/** A result or an input may have megabytes; who looks at an event wants to see what it was about. */
const shownOfResult = 16 * 1024;

export function shown(text: string): string {
  return text.length <= shownOfResult ? text : `${text.slice(0, shownOfResult)}…`;
}
