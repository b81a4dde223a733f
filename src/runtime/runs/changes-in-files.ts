// Records what others changed in the files of a protocol. Imported late: most commands find nothing.

import type { FileChange } from "../../domain/file-change.ts";
import type { RunId } from "../../domain/ids.ts";
import { newNoteId } from "../../system/ids.ts";
import { transition } from "../transition/transition.ts";

/** A run that is over takes nothing. */
export async function recordFileChanges(
  parts: Parameters<typeof transition>[0],
  run: RunId,
  changes: readonly FileChange[],
  at: number,
): Promise<void> {
  const noted = changes.map((change) => ({ ...change, note: newNoteId() }));
  await transition(parts, run, { type: "take_file_changes", changes: noted, at, author: "file" });
}
