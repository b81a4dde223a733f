// What git writes outside of a worktree. Owns: the directories that a sandbox must open for a commit, and the files in them that tell
// git where to look and what to run. A worktree whose pointers disagree with its repository is refused.

import { lstatSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { existingPath } from "../../system/files/paths.ts";
import { dotGitOfEntry, type Layout, layoutOf } from "../../system/git-directory.ts";
import { type BranchPlaces, branchPlaces } from "./branch-places.ts";

export interface GitPlaces {
  readonly written: readonly string[];
  /** Files and directories there that git obeys, also outside of a sandbox: they stay as they are. Not all of them exist. */
  readonly kept: readonly string[];
  /** Those of them that git obeys as soon as they exist, and that mean nothing while they are empty. */
  readonly made: readonly string[];
  /** The git directory of the repository, which git reads, where it is elsewhere. */
  readonly common: string | null;
  /** Which branches can be moved. */
  readonly branches: BranchPlaces;
}

/** What a commit, a branch or a rebase writes of the repository; its settings and hooks are not among them. */
const written = ["objects", "refs", "logs"];
const obeyed = ["config", "config.worktree", "hooks"];
/** Of a worktree's own directory. */
const pointers = ["commondir", "gitdir", "config.worktree"];
const nothing: GitPlaces = {
  written: [],
  kept: [],
  made: [],
  common: null,
  branches: { kept: [], reopened: [], guarded: [] },
};
/** Of the repository: what all of its trees read, and where the user's own HEAD has been. */
const others = ["objects/info", "logs/HEAD"];

/** Nothing where `dir` is not a checkout. Throws for pointers that lead elsewhere: git outside would follow them as well. */
export function gitPlaces(dir: string): GitPlaces {
  const dotGit = join(dir, ".git");
  const found = lstatSync(dotGit, { throwIfNoEntry: false });
  if (found?.isDirectory()) {
    return { ...nothing, written: [dotGit], kept: obeyed.map((name) => join(dotGit, name)) };
  }
  // A link could lead anywhere, and git has no need of one.
  if (!found?.isFile()) return nothing;
  const layout = layoutOf(dir);
  const own = layout && existingPath(layout.gitDir);
  if (!layout || !own || layout.gitDir === layout.commonDir) return { ...nothing, kept: [dotGit] };
  const common = commonOf(own, layout);
  if (existingPath(dotGitOfEntry(own) ?? "") !== existingPath(dotGit))
    throw astray(`${dotGit} leads to ${own}, which is another worktree's`);
  const branches = branchPlaces(common, own);
  // A folder of branches may be a link by now, and would be opened.
  branches.reopened.forEach(isThere);
  return {
    written: [own, ...written.map((name) => join(common, name)).filter(isThere)],
    kept: [dotGit, ...pointers.map((name) => join(own, name)), ...others.map((name) => join(common, name))],
    made: [join(own, "config.worktree")],
    common,
    branches,
  };
}

/** Git follows the file `commondir` anywhere, and an agent that worked there may have written it. */
function commonOf(own: string, { commonDir }: Layout): string {
  const common = dirname(dirname(own));
  if (basename(dirname(own)) !== "worktrees" || existingPath(commonDir) !== common)
    throw astray(`${join(own, "commondir")} leads to another repository`);
  return common;
}

function isThere(place: string): boolean {
  const real = existingPath(place);
  if (real !== null && real !== place) throw astray(`${place} leads to ${real}`);
  return real !== null;
}

function astray(what: string): Error {
  return new Error(`git would work elsewhere: ${what} (put it right with \`git worktree repair\`, or discard the run)`);
}
