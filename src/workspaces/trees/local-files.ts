// Local files. Owns: what lies in the user's checkout and in no commit, and is needed in a tree all the same (`.env`).

import { copyFileSync, existsSync, globSync, mkdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { excludeLocally } from "../git/exclude.ts";
import { git, splitNul } from "../git/git.ts";

/** Copies files that match, except those that the tree has in git. What git would see of them is excluded: they are nobody's commit. */
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

/** What git sees in the tree and has not been given; a directory with nothing else in it as one, with a slash behind it. */
export async function untrackedFiles(tree: string): Promise<readonly string[]> {
  const args = ["ls-files", "--others", "--exclude-standard", "--directory", "--no-empty-directory", "-z"];
  return splitNul((await git(tree, args)).stdout);
}

/** From here on git does not see them. */
export async function excludeFiles(tree: string, names: readonly string[]): Promise<void> {
  await excludeLocally(
    tree,
    names.map((name) => `/${name.replace(/[\\*?[\]!# ]/g, "\\$&")}`),
  );
}

/** The content of files as git names it, for those that are there: another content is another list. */
export async function blobsOf(tree: string, paths: readonly string[]): Promise<readonly string[]> {
  const there = paths.filter((path) => existsSync(join(tree, path)));
  if (there.length === 0) return [];
  const { stdout } = await git(tree, ["hash-object", "--no-filters", "--", ...there]);
  return stdout.split("\n").filter((line) => line !== "");
}

function literally(path: string): string {
  return `:(literal)${path}`;
}
