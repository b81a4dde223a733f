// Notes. Owns: a person's words for the next attempt of a run or a story.

import type { AddedNote } from "../../contracts/run-documents.ts";
import { longestNoteBytes } from "../../domain/answer-note.ts";
import { AppError } from "../../domain/error.ts";
import { storyId } from "../../domain/ids.ts";
import { transition } from "../../runtime/transition/transition.ts";
import { noteDocument } from "../../runtime/views/status.ts";
import { newNoteId } from "../../system/ids.ts";
import type { Application } from "../application.ts";
import { findRun } from "../references.ts";

export function assertShort(note: string): void {
  if (Buffer.byteLength(note) <= longestNoteBytes) return;
  throw new AppError("USAGE", `the note is longer than ${longestNoteBytes / 1024} KiB; nothing was changed`, {
    hint: "put the details into a file of the repository and name it in the note",
  });
}

export interface NoteRequest {
  readonly text: string;
  /** Only for this story; without it, for the next attempt anywhere in the run. */
  readonly story?: string | undefined;
  readonly author?: string | undefined;
}

export function noteText(given: string): string {
  const text = given.trim();
  if (text === "")
    throw new AppError("USAGE", "the note is empty", { hint: 'say something: pawl note 3 "use the new API"' });
  assertShort(text);
  return text;
}

export async function noteTo(app: Application, reference: string, request: NoteRequest): Promise<AddedNote> {
  const text = noteText(request.text);
  const { story, author = app.author } = request;
  const id = newNoteId();
  return await app.change(null, async ({ parts }) => {
    const found = await findRun(parts.store, reference);
    const of = story === undefined ? null : storyId(story);
    const command = { type: "add_note", note: id, of, text, at: parts.clock.now(), author } as const;
    const decision = await transition(parts, found.id, command);
    if (!decision.accepted) {
      throw new AppError(
        decision.code === "unknown" ? "NOT_FOUND" : "REFUSED",
        `run #${found.number}: ${decision.why}`,
        {
          hint: `\`pawl status ${found.number}\` shows the run and its stories`,
        },
      );
    }
    const added = decision.run.header.notes.find((each) => each.id === id);
    if (!added) throw new Error(`note ${id} is not in its run`);
    return { run: found.id, number: found.number, note: noteDocument(added) };
  });
}
