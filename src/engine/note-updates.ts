// Applies events to the list of notes. What no event touches keeps its identity.

import type { Event } from "../domain/event.ts";
import { noteId, type PartName } from "../domain/ids.ts";
import type { Note } from "../domain/note.ts";

type Of<T extends Event["type"]> = Extract<Event, { readonly type: T }>;

/** A part has its copy now, and each other part of its step one that waits. */
export function withDelivered(notes: readonly Note[], event: Of<"notes_delivered">): readonly Note[] {
  const { attempt, notes: delivered, story, to } = event;
  return notes.flatMap((note): readonly Note[] => {
    if (!delivered.includes(note.id)) return [note];
    const { now: _told, ...rest } = note;
    if (to === undefined || note.part !== undefined) return [{ ...rest, attempt }];
    const copyFor = (name: PartName, copy: Pick<Note, "id" | "attempt">) => {
      return { ...rest, ...copy, part: { story, step: to.step, name, of: note.id } };
    };
    return [
      copyFor(to.part, { id: note.id, attempt }),
      ...to.others.map((name) => copyFor(name, { id: noteId(`${note.id}/${name}`), attempt: null })),
    ];
  });
}

/** An attempt that completes uses its notes up; any other end gives them back to the next one, as does any end one that was not told. */
export function withSettled(notes: readonly Note[], event: Of<"attempt_ended">): readonly Note[] {
  const isOf = ({ attempt, now }: Note) => attempt === event.attempt || now === event.attempt;
  if (!notes.some(isOf)) return notes;
  const gone = isUsed(event) ? notes.filter(({ attempt }) => attempt === event.attempt) : [];
  const used = new Set(gone.flatMap(({ part }) => part?.of ?? []));
  return notes
    .filter((note) => !gone.includes(note))
    .map((note) => {
      const { now: _untold, ...rest } = note;
      const settled = isOf(note) ? { ...rest, attempt: null } : note;
      return note.part && used.has(note.part.of) ? { ...settled, part: { ...note.part, isUsed: true } } : settled;
    });
}

/** A part that has ended reads no more notes. What no part has read waits for the next attempt, as before. */
export function withoutPart(notes: readonly Note[], event: Of<"part_ended">): readonly Note[] {
  const isOf = ({ part }: Note) => part?.name === event.part && part.step === event.step && part.story === event.story;
  if (!notes.some(isOf)) return notes;
  return notes.flatMap((note): readonly Note[] => {
    if (!note.part || !isOf(note)) return [note];
    const { part, ...rest } = note;
    const hasOthers = notes.some((other) => other.id !== note.id && other.part?.of === part.of);
    return part.isUsed || hasOthers ? [] : [rest];
  });
}

/** An agent that asks a person, or starts over without its work, has not done what its notes say. */
function isUsed({ outcome, taken }: Of<"attempt_ended">): boolean {
  if (outcome !== "completed" || taken?.key === "asked") return false;
  return !(taken?.key === "edit" && taken.to === "again");
}
