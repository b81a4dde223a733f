// A backup of a SQLite store: one file with everything that was committed when it began, also while other processes write.

import { lstatSync, rmSync, statSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { AppError, errorText } from "../../domain/error.ts";
import { draftFor, putInPlace } from "../../system/files/whole-file.ts";
import type { Backup } from "../store.ts";

/** Throws `REFUSED` if the file exists. Nothing is left under its name unless the copy is whole and sound. */
export function backUp(connection: DatabaseSync, file: string): Backup {
  let draft: string | null = null;
  try {
    if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) throw exists(file);
    draft = draftFor(file);
    // SQLite fills an empty file. Made here, so that others cannot read it: it has what people and agents wrote.
    writeFileSync(draft, "", { flag: "wx", mode: 0o600 });
    connection.prepare("vacuum into ?").run(draft);
    const runs = runsIn(draft);
    putInPlace(draft, file);
    return { file, bytes: statSync(file).size, runs };
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError("STORE_UNUSABLE", `the backup ${file} could not be written: ${errorText(error)}`, {
      hint: "choose a directory that exists, is writable and has space; the store itself is unchanged",
      cause: error,
    });
  } finally {
    if (draft !== null) rmSync(draft, { force: true });
  }
}

function exists(file: string): AppError {
  return new AppError("REFUSED", `${file} exists, and a backup replaces no file`, {
    hint: "choose another name, such as one with today's date",
  });
}

/** How many runs a finished copy has. Throws if the copy is damaged. */
function runsIn(file: string): number {
  const copy = new DatabaseSync(file, { readOnly: true });
  try {
    const [found] = copy.prepare("pragma quick_check").all();
    if (found?.["quick_check"] !== "ok") throw new Error(String(found?.["quick_check"]));
    return Number(copy.prepare("select count(*) as runs from runs").get()?.["runs"]);
  } finally {
    copy.close();
  }
}
