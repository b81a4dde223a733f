// Converts documents that an older Pawl wrote to their current form. Stored rows are never rewritten for a new name.

import type { Definition } from "../domain/definition.ts";
import type { Event } from "../domain/event.ts";
import type { RunPlace } from "../domain/run.ts";

/** Older definitions may have no `protocol` field; then the dialect stood for the protocol. */
export function currentDefinition(
  written: Omit<Definition, "protocol"> & { readonly protocol?: string | null },
): Definition {
  const { protocol = written.dialect === "pawl" ? null : written.dialect } = written;
  return { ...written, protocol };
}

/** `source` was called `prd`. */
export function currentPlace({ prd, ...place }: RunPlace & { readonly prd?: string }): RunPlace {
  return prd === undefined ? place : { ...place, source: prd };
}

export function currentEvent(event: Event): Event {
  if (event.type !== "run_started") return event;
  return { ...event, definition: currentDefinition(event.definition), place: currentPlace(event.place) };
}
