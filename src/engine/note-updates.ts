// Applies events to the list of notes. What no event touches keeps its identity.

import type { Event } from "../domain/event.ts";
import { type Note, notesWith } from "../domain/note.ts";

export function withDelivered(
  notes: readonly Note[],
  { attempt, notes: delivered }: Extract<Event, { readonly type: "notes_delivered" }>,
): readonly Note[] {
  return notes.map((note) => (delivered.includes(note.id) ? { ...note, attempt } : note));
}

/** An attempt that completes uses its notes up; any other end gives them back to the next one. */
export function withSettled(
  notes: readonly Note[],
  event: Extract<Event, { readonly type: "attempt_ended" }>,
): readonly Note[] {
  if (notesWith(notes, event.attempt).length === 0) return notes;
  if (isUsed(event)) return notes.filter((note) => note.attempt !== event.attempt);
  return notes.map((note) => (note.attempt === event.attempt ? { ...note, attempt: null } : note));
}

/** An agent that asks a person, or starts over without its work, has not done what its notes say. */
function isUsed({ outcome, taken }: Extract<Event, { readonly type: "attempt_ended" }>): boolean {
  if (outcome !== "completed" || taken?.key === "asked") return false;
  return !(taken?.key === "edit" && taken.to === "again");
}
