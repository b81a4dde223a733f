// Notes of people: adds one, and delivers those that wait to an attempt that starts. note-updates.ts removes what is used up.

import type { AddNote } from "../domain/command.ts";
import type { Rejection } from "../domain/decision.ts";
import type { AttemptId, StoryId } from "../domain/ids.ts";
import type { Note } from "../domain/note.ts";
import { isSettled } from "../domain/story.ts";
import type { Draft } from "./draft.ts";
import { rejectCommand } from "./rejection.ts";

export function addNote(draft: Draft, { note, of, text }: AddNote): Rejection | null {
  const { end, stories } = draft.run.header;
  if (end && end.status !== "failed")
    return rejectCommand("over", `the run is ${end.status}; no attempt will read a note`);
  const entry = of === null ? undefined : stories.find(({ id }) => id === of);
  if (of !== null && !entry) return rejectCommand("unknown", `the run has no story ${of}`);
  // A failed story may be retried, and with it those that it blocks.
  if (entry && isSettled(entry) && entry.status !== "failed" && entry.status !== "blocked")
    return rejectCommand("over", `story ${of} is ${entry.status}; no attempt of it will read a note`);
  leaveNote(draft, { id: note, story: of, text });
  return null;
}

export function leaveNote(draft: Draft, note: Pick<Note, "id" | "story" | "text">): void {
  draft.emit(null, { type: "note_added", note: { ...note, by: draft.author, at: draft.at } });
}

/** A note that another attempt has waits for the end of that one. */
export function deliverNotes(draft: Draft, story: StoryId | null, attempt: AttemptId): void {
  const waiting = draft.run.header.notes.filter((note) => note.attempt === null && isFor(note, story));
  if (waiting.length === 0) return;
  draft.emit(story, { type: "notes_delivered", attempt, notes: waiting.map(({ id }) => id) });
}

function isFor(note: Note, story: StoryId | null): boolean {
  return note.story === null || note.story === story;
}
