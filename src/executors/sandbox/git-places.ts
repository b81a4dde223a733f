// What git writes outside of a worktree. Owns: the directories that a sandbox must open for a commit, and what in them says where
// git looks and what it runs. A worktree that says something else than its repository is believed by nobody.

import { lstatSync, readFileSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

export interface GitPlaces {
  readonly written: readonly string[];
  /** Files and directories there that git obeys, also outside of a sandbox: they stay as they are. Not all of them exist. */
  readonly kept: readonly string[];
  /** Of those, files that are obeyed as soon as somebody makes them, and that say nothing when they are empty. */
  readonly made: readonly string[];
}

/** What a commit, a branch or a rebase writes of the repository; its settings and hooks are not among them. */
const written = ["objects", "refs", "logs"];
const obeyed = ["config", "config.worktree", "hooks"];
/** Of a worktree's own directory. */
const pointers = ["commondir", "gitdir", "config.worktree"];
const nothing: GitPlaces = { written: [], kept: [], made: [] };

/** Nothing where `dir` is no checkout. Pointers that lead astray are thrown: git outside would follow them as well. */
export function gitPlaces(dir: string): GitPlaces {
  const dotGit = join(dir, ".git");
  const found = lstatSync(dotGit, { throwIfNoEntry: false });
  if (found?.isDirectory()) return { written: [dotGit], kept: obeyed.map((name) => join(dotGit, name)), made: [] };
  // A link could lead anywhere, and git has no need of one.
  if (!found?.isFile()) return nothing;
  const own = realOf(resolve(dir, /^gitdir: (.+)$/m.exec(textOf(dotGit) ?? "")?.[1] ?? ""));
  const common = own && commonOf(own);
  if (!own || !common) return { ...nothing, kept: [dotGit] };
  if (realOf(resolve(own, textOf(join(own, "gitdir")) ?? "")) !== realOf(dotGit))
    throw astray(`${dotGit} leads to ${own}, which is another worktree's`);
  return {
    written: [own, ...written.map((name) => join(common, name)).filter(isThere)],
    kept: [dotGit, ...pointers.map((name) => join(own, name))],
    made: [join(own, "config.worktree")],
  };
}

/** Of a worktree; null: it is none. Git follows the file `commondir` anywhere, and whoever worked there may have written it. */
function commonOf(own: string): string | null {
  const file = join(own, "commondir");
  const told = textOf(file);
  if (told === null) return null;
  const common = dirname(dirname(own));
  if (basename(dirname(own)) !== "worktrees" || realOf(resolve(own, told)) !== common)
    throw astray(`${file} leads to another repository`);
  return common;
}

function isThere(place: string): boolean {
  const real = realOf(place);
  if (real !== null && real !== place) throw astray(`${place} leads to ${real}`);
  return real !== null;
}

function astray(what: string): Error {
  return new Error(`git would work elsewhere: ${what} (put it right with \`git worktree repair\`, or discard the run)`);
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    return null;
  }
}

function realOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}
