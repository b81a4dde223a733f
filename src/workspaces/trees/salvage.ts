// Salvage. Owns: saving the work of an attempt that will be rolled back, as a diff that can be applied again.

import { existsSync, mkdirSync, rmSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { draftFor, putInPlace } from "../../system/files/whole-file.ts";
import { git } from "../git/git.ts";
import { parseSnapshot, treeOf } from "./snapshot.ts";

/**
 * Writes everything that changed since the snapshot (commits, uncommitted and untracked files, binary too) to `file`.
 * `git apply` accepts it on the tree of the snapshot. Returns false and writes no file if nothing changed. An existing file is kept.
 */
export async function saveDiff(path: string, since: string, file: string): Promise<boolean> {
  const { head, content } = parseSnapshot(since);
  // It was saved before a crash, which may have interrupted the rollback: the tree may have less by now.
  if (existsSync(file)) return true;
  const now = await treeOf(path);
  const target = resolve(file);
  mkdirSync(dirname(target), { recursive: true });
  const draft = draftFor(target);
  try {
    // Git itself writes the file: a diff may be larger than memory, and its bytes need not be text. diff-tree ignores the settings
    // of the user that would change the format.
    const format = ["-r", "-p", "--binary", "--full-index", "--no-renames", "--no-ext-diff", "--no-textconv"];
    await git(path, ["diff-tree", ...format, "--no-color", `--output=${draft}`, content ?? head, now]);
    if (statSync(draft).size === 0) return false;
    putInPlace(draft, target);
    return true;
  } finally {
    rmSync(draft, { force: true });
  }
}
