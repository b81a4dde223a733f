// Ancestry. Owns: whether one commit is an ancestor of another. That never changes, so git is asked once, and not at all about commits
// that Pawl itself put on top of another.

import { git } from "../git/git.ts";

const mostKnown = 10_000;

/** The parent of each commit that this process made. */
const parents = new Map<string, string>();
/** Pairs of which git said that the first is an ancestor of the second. */
const answers = new Set<string>();

export function recordParent(commit: string, parent: string): void {
  const [oldest] = parents.keys();
  if (parents.size >= mostKnown && oldest !== undefined) parents.delete(oldest);
  parents.set(commit, parent);
}

/** Whether `commit` is `other` or an ancestor of it. */
export async function isIn(repo: string, commit: string, other: string): Promise<boolean> {
  for (let at: string | undefined = other; at !== undefined; at = parents.get(at)) {
    if (at === commit || answers.has(pair(commit, at))) return true;
  }
  const asked = await git(repo, ["merge-base", "--is-ancestor", commit, other], { allowFailure: true });
  // A "no" is not kept: it is also the answer where a commit is missing.
  if (asked.code !== 0) return false;
  if (answers.size >= mostKnown) answers.clear();
  answers.add(pair(commit, other));
  return true;
}

function pair(commit: string, other: string): string {
  return `${commit} ${other}`;
}
