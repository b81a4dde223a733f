// Salvage. Owns: saving the work of an attempt that will be rolled back, as a diff that can be applied again.

import { lstatSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { enter } from "../../system/files/inside.ts";
import { draftFor, putInPlace } from "../../system/files/whole-file.ts";
import { git } from "../git/git.ts";
import { parseSnapshot, treeOf } from "./snapshot.ts";

/**
 * Writes everything that changed since the snapshot (commits, uncommitted and untracked files, binary too) to `file`.
 * `git apply` accepts it on the tree of the snapshot. Returns false and writes no file if nothing changed. An existing file is kept.
 * `root` is the folder that the file is in; agents may write there, so no link below it is followed.
 */
export async function saveDiff(
  path: string,
  since: string,
  file: string,
  root = dirname(resolve(file)),
): Promise<boolean> {
  const { head, content } = parseSnapshot(since);
  // It was saved before a crash, which may have interrupted the rollback: the tree may have less by now.
  const dir = enter(root, dirname(resolve(file)), { make: true });
  const target = join(dir.path, basename(file));
  const draft = draftFor(target);
  try {
    if (lstatSync(target, { throwIfNoEntry: false })?.isFile()) return true;
    const now = await treeOf(path);
    // Git itself writes the file: a diff may be larger than memory, and its bytes need not be text. diff-tree ignores the settings
    // of the user that would change the format.
    const format = ["-r", "-p", "--binary", "--full-index", "--no-renames", "--no-ext-diff", "--no-textconv"];
    await git(path, ["diff-tree", ...format, "--no-color", `--output=${draft}`, content ?? head, now]);
    if (statSync(draft).size === 0) return false;
    putInPlace(draft, target);
    return true;
  } finally {
    rmSync(draft, { force: true });
    dir.close();
  }
}
