// Documents. Owns: events as a program reads them: camelCase, ISO times.

import type { Event } from "../domain/event.ts";
import { isoTime } from "../runtime/views/status.ts";

/** Tokens are not shown: whoever has one may report in an agent's name. */
export function eventDocument(seq: number, event: Event): Readonly<Record<string, unknown>> {
  const { at, type, author, story, ...rest } = event;
  const shown = Object.fromEntries(Object.entries(rest).filter(([key]) => key !== "token" && key !== "definition"));
  return { seq, at: isoTime(at), type, author, story, ...shown };
}
