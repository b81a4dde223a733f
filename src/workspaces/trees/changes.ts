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

/** Files that differ between two snapshots of a tree. */
export async function changedBetween(path: string, before: string, after: string): Promise<readonly string[]> {
  const [from, to] = [parseSnapshot(before), parseSnapshot(after)].map(({ head, content }) => content ?? head);
  if (from === undefined || to === undefined) return [];
  const args = ["diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", from, to, "--"];
  return splitNul((await git(path, args, { timeoutMs })).stdout);
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
