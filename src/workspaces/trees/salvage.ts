// Salvage. Owns: saving the work of an attempt that will be rolled back, as a diff that can be applied again.

import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { git } from "../git/git.ts";
import { parseSnapshot, treeOf } from "./snapshot.ts";

/**
 * Writes everything that changed since the snapshot (commits, uncommitted and untracked files, binary too) to `file`.
 * `git apply` takes it on the tree of the snapshot. False, and no file, if nothing changed. A file that is there is kept.
 */
export async function saveDiff(path: string, since: string, file: string): Promise<boolean> {
  const { head, content } = parseSnapshot(since);
  // Saved before a crash, which may have come in the middle of the rollback: what is left now is less.
  if (existsSync(file)) return true;
  const now = await treeOf(path);
  const target = resolve(file);
  const temporary = `${target}.tmp`;
  mkdirSync(dirname(target), { recursive: true });
  try {
    // Written by git itself: a diff may be larger than memory, and its bytes need not be text. diff-tree looks at no
    // setting of the user's that would change the format.
    const format = ["-r", "-p", "--binary", "--full-index", "--no-renames", "--no-ext-diff", "--no-textconv"];
    await git(path, ["diff-tree", ...format, "--no-color", `--output=${temporary}`, content ?? head, now]);
    if (statSync(temporary).size === 0) return false;
    flush(temporary);
    renameSync(temporary, target);
    return true;
  } finally {
    rmSync(temporary, { force: true });
  }
}

function flush(file: string): void {
  const handle = openSync(file, "r+");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
