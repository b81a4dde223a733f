// Documents that an older Pawl wrote, as today's. Rows are never rewritten for a new name.

import type { Definition } from "../domain/definition.ts";
import type { Event } from "../domain/event.ts";
import type { RunPlace } from "../domain/run.ts";

/** Before protocols had a port, a definition named one or had no such field, and one dialect stood for its protocol. */
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
