// The shared folder of a run: its default path, and the patterns that hide it from git.

import { join, relative, resolve, sep } from "node:path";
import { realPath } from "../../system/files/paths.ts";

/** `.pawl/NAME` in the repository. */
export function defaultFolder(repo: string, protocol: string): string {
  return join(repo, ".pawl", protocol);
}

/**
 * Patterns for git's exclude list that keep a folder out of commits; `[]` if it is outside the repository. Git applies that list
 * to every tree of the repository. `inRoot`: the patterns if the folder is the root of the repository itself.
 */
export function folderPatterns(dir: string, repoRoot: string, inRoot: readonly string[]): readonly string[] {
  const path = relative(realPath(repoRoot), realPath(dir));
  if (path === "") return inRoot;
  if (path === ".." || path.startsWith(`..${sep}`) || resolve(path) === path) return [];
  return [`/${path.split(sep).map(literally).join("/")}/`];
}

/** A pattern that matches only this name. A pattern cannot contain a line break, so `?` stands for it. */
function literally(name: string): string {
  return name.replace(/[\\*?[\]]|\s$/g, "\\$&").replace(/[\r\n]/g, "?");
}
