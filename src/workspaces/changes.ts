// Changes of a run. Owns: what kind of files the work since a base has touched.

import { extname } from "node:path";
import { git, splitNul } from "./git.ts";
import { headIn } from "./snapshot.ts";

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

/** True if a file that people see in a browser changed since the base, committed or not. False where it cannot be told. */
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
