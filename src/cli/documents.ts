// Events as a program reads them: camelCase, an ISO time, no tokens.

import type { EventDocument } from "../contracts/events.ts";
import type { Event } from "../domain/event.ts";
import { isoTime } from "../runtime/views/status.ts";

/** A token lets its owner report for an agent, and a definition is long: `pawl workflow show` prints it. */
type Hidden = "token" | "definition";

/** What is left of each type of event. It must fit its contract, or this file does not compile. */
type ShownEvent<Each extends Event = Event> = Each extends Event
  ? Omit<Each, Hidden | "at"> & { readonly seq: number; readonly at: string }
  : never;

export function eventDocument(seq: number, event: Event): EventDocument {
  const { at, type, author, story, ...rest } = event;
  const shown = Object.fromEntries(Object.entries(rest).filter(([key]) => key !== "token" && key !== "definition"));
  return { seq, at: isoTime(at), type, author, story, ...shown } as ShownEvent;
}
