// Undoing a move. Owns: removing what an interrupted move wrote into the checkout of a person, and telling it from what the person
// wrote.

import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmdirSync, rmSync, type Stats } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { git, splitNul } from "../git/git.ts";
import { type Change, changesBetween } from "../trees/changes.ts";
import { hiddenFiles } from "../trees/hidden-files.ts";
import { copyIndex } from "../trees/snapshot.ts";
import { type Intent, removeIndex, scratchIndexes } from "./intent.ts";

/** Restores the files from the index. If a person has changed one of them meanwhile, it returns that file and changes none. */
export async function undoMove(intent: Intent): Promise<string | null> {
  const { path: tree, from, to } = intent;
  const all = await changesBetween(tree, from, to);
  const staged = await git(tree, ["diff-index", "--cached", "--name-only", "-z", "--no-renames", from, "--"]);
  const stagedNames = new Set(splitNul(staged.stdout));
  const foreign = all.find(({ path }) => stagedNames.has(path));
  if (foreign !== undefined) return foreign.path;

  const hidden = await hiddenFiles(tree);
  const changes = all.filter(({ path }) => hidden.get(path) !== "absent");
  const isHidden = ({ path }: Change) => hidden.has(path);
  const [oldIndex, newIndex] = scratchIndexes(intent);
  const shown = changes.filter(isHidden);
  const old = await openIndex(intent, oldIndex, shown);
  const env = await openIndex(intent, newIndex, shown);
  const unlikeOld = await namesOfChanged(tree, old);
  await git(tree, ["read-tree", "--reset", to], { env });
  const unlikeNew = await namesOfChanged(tree, env);

  const differing = changes.filter(({ path, kind }) =>
    kind === "added" ? isFile(join(tree, path)) : unlikeOld.has(path),
  );
  const isUnclear = ({ path }: Change) => unlikeNew.has(path) && isThere(join(tree, path));
  const notOurs = await notBegunByUs(tree, differing.filter(isUnclear), env);
  // A person edits a hidden file whenever they like, and git never writes over such an edit.
  const theirEdits = new Set(notOurs.filter(isHidden));
  const touched = differing.filter((change) => !theirEdits.has(change));
  const added = new Set(touched.filter(({ kind }) => kind === "added").map(({ path }) => path));
  const deleted = touched.filter(({ kind }) => kind === "deleted");
  const theirs =
    deleted.flatMap(({ path }) => filesAt(tree, path)).find((file) => !added.has(file)) ??
    notOurs.find((change) => !isHidden(change))?.path;
  if (theirs !== undefined) return theirs;

  for (const path of added) removeAdded(tree, path);
  const input = touched
    .filter(({ kind }) => kind !== "added")
    .map(({ path }) => `${path}\0`)
    .join("");
  if (input !== "") await git(tree, ["checkout-index", "--force", "--quiet", "-z", "--stdin"], { input, env: old });
  return null;
}

/** How many of the files that differ between the two commits are not as in the old one, counted without writing anything. */
export async function countMoved(intent: Intent): Promise<number> {
  const { path: tree, from, to } = intent;
  const changes = await changesBetween(tree, from, to);
  const unlikeOld = await namesOfChanged(tree, {});
  return changes.filter(({ path, kind }) => (kind === "added" ? isFile(join(tree, path)) : unlikeOld.has(path))).length;
}

/** A copy of the index of the checkout in which git looks at the hidden files too. */
async function openIndex({ path, gitDir }: Intent, copy: string, hidden: readonly Change[]) {
  removeIndex(copy);
  copyIndex(join(gitDir, "index"), copy);
  const env = { GIT_INDEX_FILE: copy };
  const input = hidden.map((change) => `${change.path}\0`).join("");
  for (const flag of input === "" ? [] : ["--no-assume-unchanged", "--no-skip-worktree"])
    await git(path, ["update-index", flag, "-z", "--stdin"], { env, input });
  return env;
}

/** Compared by content, not by the times and sizes that git has recorded. */
async function namesOfChanged(tree: string, env: Readonly<Record<string, string>>): Promise<ReadonlySet<string>> {
  const format = ["--name-only", "-z", "--no-renames", "--no-ext-diff", "--ignore-submodules=all"];
  return new Set(splitNul((await git(tree, ["diff", ...format, "--"], { env })).stdout));
}

/** A file that a killed git was writing is a prefix of the new version. Any other content was written by a person. */
async function notBegunByUs(
  tree: string,
  doubtful: readonly Change[],
  env: Readonly<Record<string, string>>,
): Promise<readonly Change[]> {
  if (doubtful.length === 0) return [];
  const directory = mkdtempSync(join(tmpdir(), "pawl-undo-"));
  try {
    const input = doubtful.map(({ path }) => `${path}\0`).join("");
    const args = ["checkout-index", "--force", "--quiet", `--prefix=${directory}/`, "-z", "--stdin"];
    await git(tree, args, { env, input });
    const isBegun = ({ path }: Change) => isBeginning(join(tree, path), join(directory, path));
    return doubtful.filter((change) => !isBegun(change));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function isBeginning(file: string, whole: string): boolean {
  if (!lstatSync(file).isFile() || !lstatSync(whole).isFile()) return false;
  const begun = readFileSync(file);
  return begun.equals(readFileSync(whole).subarray(0, begun.length));
}

/** Removes the file and the directories that were made for it. */
function removeAdded(tree: string, name: string): void {
  const path = join(tree, name);
  rmSync(path);
  try {
    for (let parent = dirname(path); parent !== tree; parent = dirname(parent)) rmdirSync(parent);
  } catch {
    // The directory has other files in it, so it stays.
  }
}

/** The name itself if it is a file, all files below it if it is a directory. */
export function filesAt(tree: string, name: string): readonly string[] {
  const stats = statsOf(join(tree, name));
  if (stats === undefined) return [];
  if (!stats.isDirectory()) return [name];
  const entries = readdirSync(join(tree, name), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(tree, join(entry.parentPath, entry.name)));
}

export function isThere(path: string): boolean {
  return statsOf(path) !== undefined;
}

/** Not a directory: a directory in the place of a new file was there before. */
function isFile(path: string): boolean {
  return statsOf(path)?.isDirectory() === false;
}

function statsOf(path: string): Stats | undefined {
  // lstat throws where a parent of the path is a file.
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
