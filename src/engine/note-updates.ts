// Applies events to the list of notes. What no event touches keeps its identity.

import type { Event } from "../domain/event.ts";
import type { Note } from "../domain/note.ts";

export function withDelivered(
  notes: readonly Note[],
  { attempt, notes: delivered }: Extract<Event, { readonly type: "notes_delivered" }>,
): readonly Note[] {
  return notes.map((note) => {
    const { now: _told, ...rest } = note;
    return delivered.includes(note.id) ? { ...rest, attempt } : note;
  });
}

/** An attempt that completes uses its notes up; any other end gives them back to the next one, as does any end one that was not told. */
export function withSettled(
  notes: readonly Note[],
  event: Extract<Event, { readonly type: "attempt_ended" }>,
): readonly Note[] {
  const isOf = ({ attempt, now }: Note) => attempt === event.attempt || now === event.attempt;
  if (!notes.some(isOf)) return notes;
  const isGone = ({ attempt }: Note) => attempt === event.attempt && isUsed(event);
  return notes
    .filter((note) => !isGone(note))
    .map((note) => {
      const { now: _untold, ...rest } = note;
      return isOf(note) ? { ...rest, attempt: null } : note;
    });
}

/** An agent that asks a person, or starts over without its work, has not done what its notes say. */
function isUsed({ outcome, taken }: Extract<Event, { readonly type: "attempt_ended" }>): boolean {
  if (outcome !== "completed" || taken?.key === "asked") return false;
  return !(taken?.key === "edit" && taken.to === "again");
}
