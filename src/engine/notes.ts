// Notes of people: adds one, delivers those that wait to an attempt that starts, and has a running one told. note-updates.ts removes
// what is used up.

import { hasEnded, nameWithPart } from "../domain/attempt.ts";
import type { AddNote, SettleNote, StartAttempt, TellAttempt } from "../domain/command.ts";
import type { Rejection } from "../domain/decision.ts";
import type { PartName, StepId, StoryId } from "../domain/ids.ts";
import type { Note } from "../domain/note.ts";
import { isEnded } from "../domain/part.ts";
import type { Step } from "../domain/step.ts";
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

export function leaveNote(draft: Draft, note: Pick<Note, "id" | "story" | "text" | "now">): void {
  draft.emit(null, { type: "note_added", note: { ...note, by: draft.author, at: draft.at } });
}

type Starting = Pick<StartAttempt, "story" | "attempt" | "part">;

/** A note that another attempt has waits for the end of that one. What one part of a step takes, its other parts get as well. */
export function deliverNotes(draft: Draft, { story, attempt, part }: Starting, step: Step): void {
  const waiting = draft.run.header.notes.filter(
    (note) => note.attempt === null && note.now === undefined && isFor(note, story, step.id, part),
  );
  if (waiting.length === 0) return;
  const others = (step.parts ?? []).filter((each) => !isEnded(each) && each.name !== part).map(({ name }) => name);
  const to = part === undefined ? {} : { to: { step: step.id, part, others } };
  draft.emit(story, { type: "notes_delivered", attempt, notes: waiting.map(({ id }) => id), ...to });
}

function isFor(note: Note, story: StoryId | null, step: StepId, part: PartName | undefined): boolean {
  if (note.part === undefined) return note.story === null || note.story === story;
  return note.part.story === story && note.part.step === step && note.part.name === part;
}

/** Only while its agent works: nobody else gets these words, unless the attempt ends before it was told. */
export function tellAttempt(draft: Draft, { story, attempt: id, note, of, text }: TellAttempt): Rejection | null {
  const attempt = draft.scope(story).attempts.find((candidate) => candidate.id === id);
  if (!attempt) return rejectCommand("unknown", `there is no attempt ${id}`);
  if (hasEnded(attempt)) return rejectCommand("stale", `attempt ${id} has already ended (${attempt.state.outcome})`);
  if (attempt.driver === "pull")
    return rejectCommand(
      "illegal",
      `${nameWithPart(attempt)} is performed by an agent that pulls: Pawl cannot reach it`,
    );
  if (attempt.state.phase !== "started")
    return rejectCommand(
      "illegal",
      attempt.state.phase === "stopping"
        ? `${nameWithPart(attempt)} is being stopped`
        : `${nameWithPart(attempt)} has not begun yet`,
    );
  leaveNote(draft, { id: note, story: of, text, now: id });
  draft.perform({ type: "tell_attempt", run: draft.run.header.id, story, attempt: id, note, text });
  return null;
}

/** An attempt that has ended has given the note to the next one. */
export function settleNote(draft: Draft, { story, attempt, note: id, refused }: SettleNote): Rejection | null {
  const note = draft.run.header.notes.find((candidate) => candidate.id === id);
  if (note?.now !== attempt) return rejectCommand("stale", `note ${id} does not wait for attempt ${attempt}`);
  if (refused === null) draft.emit(story, { type: "notes_delivered", attempt, notes: [id] });
  else draft.emit(null, { type: "note_withdrawn", note: id, why: refused });
  return null;
}
