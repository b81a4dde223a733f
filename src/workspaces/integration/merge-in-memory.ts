// Merging in memory. Owns: putting the work of a story on the tip as a commit without touching a tree. Where this git cannot do that,
// or must not choose the commit that both have in common, the caller merges in the tree of the story.

import { git, gitLine } from "../git/git.ts";
import { type Change, changesBetween } from "../trees/changes.ts";
import type { OwnedTree } from "../trees/ownership.ts";
import { parseSnapshot } from "../trees/snapshot.ts";
import { isIn, recordParent } from "./ancestry.ts";
import type { CommitEnvironment, Rebased } from "./squash.ts";
import { filesOf, isSelected, type StoryWork, selectFiles } from "./story-files.ts";

export type MergedCommit =
  | { readonly commit: string; readonly changes: readonly Change[]; readonly leftOut: readonly string[] }
  /** The tip has everything already. */
  | { readonly unchanged: true };

/** Null if it has to be done in the tree. */
export async function mergeInMemory(
  tree: OwnedTree,
  work: StoryWork,
  tip: string,
  env: CommitEnvironment,
): Promise<MergedCommit | Exclude<Rebased, { commit: string }> | null> {
  if (work.merging.length > 0 || !(await startsAreIn(tree.path, work, tip))) return null;
  const { head } = parseSnapshot(work.snapshot);
  const own = filesOf(work);
  // The tip has not moved and the agent made no commit: the files are those of the snapshot.
  const merged = head === tip ? { files: own } : await mergeTree(tree.path, tip, own, env);
  if (merged === null || "conflicts" in merged) return merged;
  const changes = await changesBetween(tree.path, tip, merged.files);
  const mayLeaveOut = !isSelected(work) && changes.some(({ kind, path }) => kind === "added" && work.isByProduct(path));
  if (mayLeaveOut) return mergeInMemory(tree, await selectFiles(tree.path, work), tip, env);
  if (changes.length === 0) return { unchanged: true };
  const args = ["commit-tree", "--no-gpg-sign", "-p", tip, "-F", "-", `${merged.files}^{tree}`];
  const commit = await gitLine(tree.path, args, { env, input: `${work.message.trimEnd()}\n` });
  recordParent(commit, tip);
  return { commit, changes, leftOut: work.selected?.leftOut ?? [] };
}

/** Git then finds by itself what the work and the tip have in common: no commit that the story started from was taken out. */
async function startsAreIn(path: string, { known }: StoryWork, tip: string): Promise<boolean> {
  for (const commit of new Set(known)) if (commit !== null && !(await isIn(path, commit, tip))) return false;
  return true;
}

/** Set for the life of the process when this git turns out to be too old (before 2.38). */
let isTooOld = false;
const usageError = 129;

type MergedTree = { readonly files: string } | { readonly conflicts: readonly string[] };

/** The files of `theirs` on the tip; null if this git cannot say it. */
export async function mergeTree(
  path: string,
  tip: string,
  theirs: string,
  env: CommitEnvironment,
): Promise<MergedTree | null> {
  if (isTooOld) return null;
  const args = ["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", tip, theirs];
  const done = await git(path, args, { env, allowFailure: true });
  isTooOld = done.code === usageError;
  const [files = "", ...conflicts] = done.stdout.split("\0").filter((part) => part.trim() !== "");
  if (done.code === 0) return { files };
  // Every other answer is an error: the merge in the tree says which.
  return done.code === 1 && conflicts.length > 0 ? { conflicts: [...new Set(conflicts)] } : null;
}
