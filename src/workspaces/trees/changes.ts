// Changes of a run. Owns: which files changed since a base, and whether people see them in a browser.

import { extname } from "node:path";
import { git, splitNul } from "../git/git.ts";
import { headIn, parseSnapshot } from "./snapshot.ts";

const frontendEndings = new Set([
  ".html",
  ".htm",
  ".css",
  ".scss",
  ".sass",
  ".less",
  ".styl",
  ".tsx",
  ".jsx",
  ".vue",
  ".svelte",
  ".astro",
  ".hbs",
  ".ejs",
  ".pug",
]);

const timeoutMs = 9_000;

export interface ChangedFile {
  readonly name: string;
  /** It was not there before. */
  readonly isNew: boolean;
}

/** Files that differ between two snapshots of a tree. */
export async function changedBetween(path: string, before: string, after: string): Promise<readonly ChangedFile[]> {
  const [from, to] = [parseSnapshot(before), parseSnapshot(after)].map(({ head, content }) => content ?? head);
  if (from === undefined || to === undefined) return [];
  const args = ["diff", "--name-status", "-z", "--no-renames", "--no-ext-diff", from, to, "--"];
  const words = splitNul((await git(path, args, { timeoutMs })).stdout);
  return words.flatMap((name, index) => (index % 2 === 0 ? [] : [{ name, isNew: words[index - 1] === "A" }]));
}

const mostUntracked = 500;

/** Files that differ from a snapshot now, committed or not. None if git cannot say it. */
export async function changedSince(path: string, base: string): Promise<readonly string[]> {
  const { head, content } = parseSnapshot(base);
  try {
    const before = content ?? head;
    const [changed, untracked] = await Promise.all([
      git(path, ["diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", before, "--"], { timeoutMs }),
      git(path, ["ls-files", "--others", "--exclude-standard", "-z"], { timeoutMs }),
    ]);
    // Git compares no files that it does not track: of those that were there before, it knows only the names.
    const others = splitNul(untracked.stdout).slice(0, mostUntracked);
    const args = ["ls-tree", "-z", "--name-only", before, "--", ...others];
    const old = others.length === 0 ? [] : splitNul((await git(path, args, { timeoutMs })).stdout);
    const tracked = splitNul(changed.stdout).filter((name) => !others.includes(name));
    return [...tracked, ...others.filter((name) => !old.includes(name))].toSorted();
  } catch {
    return [];
  }
}

/** True if a file that people see in a browser changed since the base, committed or not. False if git cannot say it. */
export async function hasFrontendChanges(path: string, base: string): Promise<boolean> {
  try {
    const commit = headIn(base);
    const [changed, untracked] = await Promise.all([
      git(path, ["diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", commit, "--"], { timeoutMs }),
      git(path, ["ls-files", "--others", "--exclude-standard", "-z"], { timeoutMs }),
    ]);
    return splitNul(changed.stdout + untracked.stdout).some((name) => frontendEndings.has(extname(name).toLowerCase()));
  } catch {
    return false;
  }
}
