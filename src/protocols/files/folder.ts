// The shared folder of a run: where it lies unless a person chose another place, and how git is kept from seeing it.

import { join, relative, resolve, sep } from "node:path";
import { realPath } from "../../system/files/paths.ts";

/** `.pawl/NAME` in the repository. */
export function defaultFolder(repo: string, protocol: string): string {
  return join(repo, ".pawl", protocol);
}

/**
 * Patterns for git's exclude list that keep a folder out of commits; `[]` if it lies outside of the repository. Git reads that list
 * for every tree of the repository. `inRoot`: the patterns if the folder is the root of the repository itself.
 */
export function folderPatterns(dir: string, repoRoot: string, inRoot: readonly string[]): readonly string[] {
  const path = relative(realPath(repoRoot), realPath(dir));
  if (path === "") return inRoot;
  if (path === ".." || path.startsWith(`..${sep}`) || resolve(path) === path) return [];
  return [`/${path.split(sep).map(literally).join("/")}/`];
}

/** A name as a pattern that means only that name. A line break cannot be written in one, so any character stands for it. */
function literally(name: string): string {
  return name.replace(/[\\*?[\]]|\s$/g, "\\$&").replace(/[\r\n]/g, "?");
}
