// The refs of a story in a slot. Owns: which of them may be deleted once its work is on the base.

import { basename } from "node:path";
import { checkoutsOf } from "../branches/checked-out.ts";
import { readRefs } from "../git/refs.ts";
import type { OwnedTree } from "../trees/ownership.ts";
import { snapshotRefs } from "../trees/snapshot.ts";

/** The refs that hold a story's state while it is parked. */
export function parkedRefs(run: string, story: string): string {
  return `refs/pawl/parked/${run}/${story}`;
}

/** What machines have handed over of a run; below it one folder for each tree. */
export function handedRefs(run: string): string {
  return `refs/pawl/handed/${run}`;
}

/** Its branch, what was kept while it was parked, and the snapshots of its tree, with the commit that each is at. */
export async function refsOfStory(repo: string, tree: OwnedTree): Promise<readonly (readonly [string, string])[]> {
  const { run, story, branch } = tree.marker;
  const own = `refs/heads/${branch}`;
  // A branch that a person has checked out stays.
  const others = branch === null ? [] : await checkoutsOf(repo, branch);
  const isLookedAt = branch === null || others.some(({ gitDir }) => gitDir !== tree.gitDir);
  const wanted = [parkedRefs(run, story ?? ""), snapshotRefs(tree.path), ...(isLookedAt ? [] : [own])];
  // A name also matches the refs below it, which may be branches of others once this one is gone.
  return [...(await readRefs(repo, wanted))].filter(([ref]) => ref === own || ref.startsWith("refs/pawl/"));
}

/** The name of the tree's own HEAD in every tree of the repository, so that it changes together with branches. */
export function headRefOf({ gitDir }: Pick<OwnedTree, "gitDir">): string {
  return `worktrees/${basename(gitDir)}/HEAD`;
}
