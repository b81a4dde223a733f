// Local files. Owns: files of the user's checkout that are in no commit and that a tree needs all the same, such as `.env`.

import { copyFileSync, existsSync, globSync, mkdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
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
    mkdirSync(dirname(join(tree, name)), { recursive: true });
    copyFileSync(join(repo, name), join(tree, name));
  }
  const seen = ["ls-files", "--others", "--exclude-standard", "-z", "--", ...copied.map(literally)];
  const visible = copied.length === 0 ? [] : splitNul((await git(tree, seen)).stdout);
  await excludeFiles(tree, visible);
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
