// Records a note that a person wrote into a file of a protocol. Imported late: most commands find none.

import type { ProjectionSource } from "../../protocols/files/projection.ts";
import { newNoteId } from "../../system/ids.ts";
import { transition } from "../transition/transition.ts";

export function noteTaker(
  parts: Parameters<typeof transition>[0],
  now: () => number,
): NonNullable<ProjectionSource["addNote"]> {
  return async (run, { story, text }) => {
    const note = { type: "add_note", note: newNoteId(), of: story, text, at: now(), author: "file" } as const;
    await transition(parts, run, note);
  };
}
