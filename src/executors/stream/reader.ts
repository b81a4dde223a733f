// The port for readers of agents' streams. Whatever an agent prints, a reader makes events of it and one reading at the end. It
// ignores unknown types and keys and the order of keys, and it never throws.

import type { AgentEvent } from "../../domain/agent-event.ts";
import type { ProcessExit, StreamReading } from "./stream-reading.ts";

export interface Reader {
  /** Beginnings of lines that mean nothing to it: the caller need not parse them. */
  readonly noise: readonly string[];
  /** One JSON object of the stream. */
  read(event: object): readonly AgentEvent[];
  end(exit: ProcessExit): StreamReading;
}

/** `now` is for agents that say "in 20 seconds" instead of a time. */
export type NewReader = (now: () => number) => Reader;

/** Results and inputs may have megabytes; the beginning shows what an event is about. */
const shownOfResult = 16 * 1024;

export function shown(text: string): string {
  return text.length <= shownOfResult ? text : `${text.slice(0, shownOfResult)}…`;
}
