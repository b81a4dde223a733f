// Tells the agent of a running attempt what a person says, and waits until it is known whether the agent has it.

import type { AddedNote } from "../../contracts/run-documents.ts";
import type { Attempt } from "../../domain/attempt.ts";
import { AppError } from "../../domain/error.ts";
import type { AttemptId, NoteId, RunId } from "../../domain/ids.ts";
import type { Parts } from "../../runtime/parts.ts";
import { transition } from "../../runtime/transition/transition.ts";
import { noteDocument } from "../../runtime/views/status.ts";
import { newNoteId } from "../../system/ids.ts";
import type { Application } from "../application.ts";
import { isDriven } from "../driving/background.ts";
import { findRun, wholeRun } from "../references.ts";
import { type NoteRequest, noteText } from "./notes.ts";
import { runningAttempt } from "./running-attempt.ts";

/** Longer than a driver waits for its agent. */
const settleMs = 30_000;
const lookEveryMs = 100;
const page = 1_000;

export interface ToldNote extends AddedNote {
  /** false: its attempt ended first, and the next one gets the note. */
  readonly isTold: boolean;
}

export async function noteNow(
  app: Application,
  reference: string,
  { text: given, story, author = app.author }: NoteRequest,
): Promise<ToldNote> {
  const text = noteText(given);
  const note = newNoteId();
  return await app.change(null, async ({ parts }) => {
    const { id: run, number } = await findRun(parts.store, reference);
    const naming = `pawl note ${number} --story STORY --now …`;
    const attempt = runningAttempt(await wholeRun(parts.store, { id: run }), number, { story }, naming);
    if (!(await isDriven(parts, run)))
      throw refused(number, "no process drives the run, so nothing reaches its agent", `pawl resume ${number}`);
    const of = story === undefined ? null : attempt.story;
    const told = { type: "tell_attempt", story: attempt.story, attempt: attempt.id, note, of, text } as const;
    const decision = await transition(parts, run, { ...told, at: parts.clock.now(), author });
    if (!decision.accepted) throw refused(number, decision.why);
    const added = decision.run.header.notes.find(({ id }) => id === note);
    if (!added) throw new Error(`note ${note} is not in its run`);
    const waits = await waitUntilSettled(parts, run, attempt, note, author);
    const fate = waits ? { told: null } : await fateOf(parts, run, note);
    if ("withdrawn" in fate) throw refused(number, fate.withdrawn);
    return { run, number, note: noteDocument({ ...added, attempt: fate.told }), isTold: fate.told !== null };
  });
}

/** True: its attempt ended before its agent could be told, and the note waits for the next one. */
async function waitUntilSettled(
  parts: Parts,
  run: RunId,
  attempt: Attempt,
  id: NoteId,
  author: string,
): Promise<boolean> {
  const giveUpAt = parts.clock.steady() + settleMs;
  for (;;) {
    const loaded = await parts.store.transaction((tx) => tx.load(run, () => []));
    const note = loaded?.run.header.notes.find((each) => each.id === id);
    if (note?.now === undefined) return note?.attempt === null;
    if (parts.clock.steady() < giveUpAt) {
      await parts.clock.sleep(lookEveryMs);
      continue;
    }
    const why = `the driver of the run did not tell it within ${settleMs / 1000} s`;
    const gives = { type: "settle_note", story: attempt.story, attempt: attempt.id, note: id, refused: why } as const;
    await transition(parts, run, { ...gives, at: parts.clock.now(), author });
  }
}

type Fate = { readonly told: AttemptId | null } | { readonly withdrawn: string };

/** From the log: an attempt that has completed meanwhile has used the note up. */
async function fateOf({ store }: Pick<Parts, "store">, run: RunId, note: NoteId): Promise<Fate> {
  for (let after = 0; ; ) {
    const events = await store.events(run, after, page);
    for (const { event, seq } of events) {
      if (event.type === "note_withdrawn" && event.note === note) return { withdrawn: event.why };
      if (event.type === "notes_delivered" && event.notes.includes(note)) return { told: event.attempt };
      after = seq;
    }
    if (events.length < page) return { told: null };
  }
}

function refused(number: number, why: string, next?: string): AppError {
  return new AppError("REFUSED", `run #${number}: ${why}; nothing was changed`, {
    hint: next === undefined ? "leave out --now: the next attempt gets the note" : `continue it: ${next}`,
  });
}
