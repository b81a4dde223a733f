// Records what others changed in files: each change becomes an adoption or a refusal. Notes and the choice of the next story are
// taken; nothing else in a file moves a run.

import type { TakeFileChanges } from "../domain/command.ts";
import type { Rejection } from "../domain/decision.ts";
import type { FileChange } from "../domain/file-change.ts";
import type { NoteId } from "../domain/ids.ts";
import { chosenFirst } from "../domain/story.ts";
import type { Draft } from "./draft.ts";
import { addNote } from "./notes.ts";
import { rejectCommand } from "./rejection.ts";
import { addStories } from "./stories/adoption.ts";

export function takeFileChanges(draft: Draft, command: TakeFileChanges): Rejection | null {
  const { end } = draft.run.header;
  if (end && end.status !== "failed") return rejectCommand("over", `the run is ${end.status}`);
  for (const change of command.changes) if (!isTaken(draft, change)) take(draft, command, change);
  return null;
}

/** Two processes may find the same note before one of them writes the file again. */
function isTaken(draft: Draft, { adopts, story }: FileChange): boolean {
  return (
    adopts?.kind === "note" &&
    draft.run.header.notes.some((note) => note.text === adopts.text && note.story === story && note.by === draft.author)
  );
}

function take(draft: Draft, command: TakeFileChanges, change: FileChange & { readonly note: NoteId }): void {
  const { file, field, value, story } = change;
  const refusal = adopt(draft, command, change);
  const why = refusal === null ? change.why : `${change.why}; not done: ${refusal.why}`;
  const said = { file, field, ...(value === undefined ? {} : { value }), why };
  const isAdopted = change.adopts !== null && refusal === null;
  draft.emit(story, { type: isAdopted ? "file_change_adopted" : "file_change_refused", ...said });
}

function adopt(
  draft: Draft,
  { at, author }: TakeFileChanges,
  { adopts, story, note }: FileChange & { readonly note: NoteId },
): Rejection | null {
  if (adopts?.kind === "note")
    return addNote(draft, { type: "add_note", note, of: story, text: adopts.text, at, author });
  if (adopts?.kind !== "story") return null;
  const chosen = chosenFirst(draft.run.header.stories, adopts.spec);
  if (chosen === null) return null;
  return addStories(draft, { type: "add_stories", stories: [chosen], dropped: [chosen.id], at, author });
}
