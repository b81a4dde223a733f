// Local files. Owns: files of the user's checkout that are in no commit and that a tree needs all the same, such as `.env`.

import { existsSync, globSync, lstatSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { copyInside, within } from "../../system/files/inside.ts";
import { excludeLocally } from "../git/exclude.ts";
import { git, splitNul } from "../git/git.ts";

/** Copies the files that match and that are not tracked in the tree. They are excluded from git, so that no agent commits them. */
export async function copyLocalFiles(repo: string, tree: string, patterns: readonly string[]): Promise<void> {
  const found = globSync([...patterns], { cwd: repo, exclude: (name) => name === ".git" || name === "node_modules" })
    .filter((name) => !name.startsWith("..") && statSync(join(repo, name), { throwIfNoEntry: false })?.isFile())
    .toSorted();
  if (found.length === 0) return;
  const tracked = new Set(splitNul((await git(tree, ["ls-files", "-z", "--", ...found.map(literally)])).stdout));
  const copied = found.filter((name) => !tracked.has(name));
  for (const name of copied) {
    await removeLinks(tree, dirname(name));
    // The user's own file may be a link: no repository and no agent made it, since git does not know it.
    within(repo, join(repo, name), (from) => copyInside(from, tree, join(tree, name)));
  }
  const seen = ["ls-files", "--others", "--exclude-standard", "-z", "--", ...copied.map(literally)];
  const visible = copied.length === 0 ? [] : splitNul((await git(tree, seen)).stdout);
  await excludeFiles(tree, visible);
}

/** An agent may have left a link in the place of a directory, and where git ignores it, it is still there. */
async function removeLinks(tree: string, dir: string): Promise<void> {
  if (dir === ".") return;
  await removeLinks(tree, dirname(dir));
  const path = join(tree, dir);
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return;
  const { stdout } = await git(tree, ["ls-files", "-z", "--", literally(dir)]);
  if (stdout === "") rmSync(path);
}

/** Untracked files that are not ignored. A directory with only such files is listed once, with a slash at the end. */
export async function untrackedFiles(tree: string): Promise<readonly string[]> {
  const args = ["ls-files", "--others", "--exclude-standard", "--directory", "--no-empty-directory", "-z"];
  return splitNul((await git(tree, args)).stdout);
}

/** Excludes the files from git. */
export async function excludeFiles(tree: string, names: readonly string[]): Promise<void> {
  await excludeLocally(
    tree,
    names.map((name) => `/${name.replace(/[\\*?[\]!# ]/g, "\\$&")}`),
  );
}

/** The ids that git gives the contents of those files that exist: other contents give another list. */
export async function blobsOf(tree: string, paths: readonly string[]): Promise<readonly string[]> {
  const there = paths.filter((path) => existsSync(join(tree, path)));
  if (there.length === 0) return [];
  const { stdout } = await git(tree, ["hash-object", "--no-filters", "--", ...there]);
  return stdout.split("\n").filter((line) => line !== "");
}

function literally(path: string): string {
  return `:(literal)${path}`;
}
