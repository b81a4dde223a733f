// Slots. Owns: trees that are used for one story after another: which story is in one, entering it and leaving it.

import { rmSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../domain/error.ts";
import { isCommitId } from "../../system/git-directory.ts";
import { assertBranchName } from "../branches/branch-name.ts";
import { type Branches, branchesLike, freeName, isFreeFor } from "../branches/story-branch.ts";
import { git } from "../git/git.ts";
import { branchCommit, branchRefOf, headOf } from "../git/head.ts";
import { indexFlags } from "../git/index-file.ts";
import { changeRefs } from "../git/refs.ts";
import { isIn } from "../integration/ancestry.ts";
import { putBack } from "../integration/remembered-state.ts";
import type { LeftBranch } from "../trees/left-branch.ts";
import { assertOwned, assertSlot, type OwnedTree, ownedTree, writeMarker } from "../trees/ownership.ts";
import { forgetOperations, forgetState, removeLocks, restoreSnapshot } from "../trees/restore.ts";
import { parseSnapshot, snapshotRefs } from "../trees/snapshot.ts";
import { ensureWorktree } from "../trees/worktree.ts";
import { emptySlot, readWhereabouts, type Whereabouts, writeWhereabouts } from "./parking.ts";
import { headRefOf, refsOfStory } from "./story-refs.ts";

export interface WantedStory {
  readonly run: string;
  readonly repo: string;
  /** The tree of the slot. */
  readonly path: string;
  readonly story: string;
  /** The name that its branch should have; if it is taken, a number is added. */
  readonly branch: string;
  /** The full id of the commit that a new story starts from. */
  readonly base: string;
  /** True if `base` has work of the story already, from an earlier run. */
  readonly hasWork?: boolean;
  /** The file that says where the work of the story is, see parking.ts. */
  readonly parked: string;
  /** Where its newest attempt began, for a story whose file is gone, too. */
  readonly left?: LeftBranch | null;
}

const checkoutTimeoutMs = 600_000;

/** Makes the tree of the slot, detached at `base`. A tree that exists is not changed. */
export async function ensureSlot(wanted: {
  readonly run: string;
  readonly repo: string;
  readonly path: string;
  readonly base: string;
}): Promise<{ readonly created: boolean }> {
  const { created } = await ensureWorktree({ ...wanted, branch: null });
  return { created };
}

/** The story whose work is in the tree; null if there is none, or no such tree. Reads files only. */
export function occupantOf(path: string): string | null {
  return ownedTree(path)?.marker.story ?? null;
}

/** Puts the tree on the branch of the story: as it was parked, or a new branch from `base`. */
export async function enterStory(wanted: WantedStory): Promise<{ readonly branch: string; readonly fresh: boolean }> {
  const { run, path, story } = wanted;
  const tree = assertSlot(path, run, story);
  const { marker, gitDir } = tree;
  if (marker.story && marker.story !== story) {
    throw new AppError("WORKSPACE_BUSY", `${path} holds the work of story ${marker.story}`, {
      hint: "park that story first, or use another slot",
    });
  }
  const whereabouts = readWhereabouts(wanted.parked);
  if (marker.story === story && marker.entered) {
    // What an interrupted integration left would be mistaken for the work of the story.
    removeLocks(gitDir);
    await putBack(tree);
    const branch = marker.branch ?? "";
    if (whereabouts === null || whereabouts.parked !== null)
      writeWhereabouts(wanted.parked, { branch, parked: null, ...startIn(marker) });
    return { branch, fresh: false };
  }

  assertCommit(wanted.base);
  await assertBranchName(wanted.repo, wanted.branch);
  if (marker.story === story) await emptySlot(tree);
  removeLocks(gitDir);
  forgetOperations(gitDir);
  forgetState(gitDir);
  const entered = await goTo(tree, wanted, whereabouts);
  const { branch } = entered;
  const start = entered.fresh && !wanted.hasWork ? { start: wanted.base } : startIn(entered.fresh ? null : whereabouts);
  writeMarker(gitDir, { version: 1, run, path: tree.path, base: wanted.base, branch, story, entered: true, ...start });
  writeWhereabouts(wanted.parked, { branch, parked: null, ...start });
  return entered;
}

function startIn(known: { readonly start?: string } | null): { readonly start?: string } {
  return known?.start === undefined ? {} : { start: known.start };
}

/**
 * Frees the slot of a story that is integrated: its branch is deleted and HEAD is detached at `commit`. The files stay as they are: the
 * next story makes the tree pristine when it enters.
 */
export async function leaveStory(done: {
  readonly path: string;
  readonly repo: string;
  readonly commit: string;
}): Promise<void> {
  const tree = assertOwned(done.path);
  const { path, gitDir, marker } = tree;
  assertCommit(done.commit);
  if (!marker.story) return;
  removeLocks(gitDir);
  forgetOperations(gitDir);
  forgetState(gitDir);
  const isThere = (await branchRefOf(path)) === null && (await headOf(path)) === done.commit;
  const ours = await refsOfStory(done.repo, tree);
  // Snapshots alone wait for the next story that is integrated from this tree, or for the removal of the tree.
  const hasMore = ours.some(([ref]) => !ref.startsWith(`${snapshotRefs(path)}/`));
  const detach = isThere ? [] : [`option no-deref`, `update ${headRefOf(tree)} ${done.commit}`];
  const changes = [...detach, ...(hasMore ? ours.map(([ref, commit]) => `delete ${ref} ${commit}`) : [])];
  if (changes.length > 0 && !(await changeRefs(done.repo, changes))) return leaveStory(done);
  const { start: _, ...free } = marker;
  writeMarker(gitDir, { ...free, base: done.commit, branch: null, story: null, entered: false });
}

async function goTo(
  tree: OwnedTree,
  wanted: WantedStory,
  whereabouts: Whereabouts | null,
): Promise<{ readonly branch: string; readonly fresh: boolean }> {
  const earlier = whereabouts?.branch || (await leftWork(wanted))?.name || null;
  const names = [wanted.branch, earlier, whereabouts?.parked ? parseSnapshot(whereabouts.parked).branch : null];
  dropHiddenIndex(tree);
  const branches = await branchesLike(
    tree.path,
    names.filter((name) => name !== null),
  );
  if (whereabouts?.parked) {
    return { branch: await unpark(tree, wanted, whereabouts, whereabouts.parked, branches), fresh: false };
  }
  // The slot of the story is lost, and with it what was not committed there.
  const left = earlier === null ? undefined : branches.get(earlier);
  if (earlier !== null && left !== undefined && isFreeFor(tree.path, left)) {
    await checkOut(tree, earlier, left.commit, false);
    return { branch: earlier, fresh: false };
  }
  const start = left?.commit ?? wanted.base;
  return { branch: await checkOutNew(tree, wanted, start, branches), fresh: left === undefined };
}

/** A branch with work of the story. Where its newest attempt began on the base, a branch of that name may be of another run. */
async function leftWork({ repo, base, left = null }: WantedStory): Promise<LeftBranch | null> {
  if (left === null || (await isIn(repo, left.commit, base))) return null;
  const tip = await branchCommit(repo, left.name);
  return tip !== null && (await isIn(repo, left.commit, tip)) ? left : null;
}

/** Files that an agent told git to ignore would otherwise stay as the agent left them. */
function dropHiddenIndex({ gitDir, marker }: OwnedTree): void {
  const index = join(gitDir, "index");
  const flags = indexFlags(index, marker.base.length);
  if (flags === null || flags.hidesFiles || flags.isUnmerged) rmSync(index, { force: true });
}

/** Restores the parked state. The branch gets another name if it was moved, or is checked out elsewhere. */
async function unpark(
  tree: OwnedTree,
  wanted: WantedStory,
  whereabouts: Whereabouts,
  parked: string,
  branches: Branches,
): Promise<string> {
  const { head, content, branch } = parseSnapshot(parked);
  // Restoring does not remove repositories that an agent of another story has cloned here.
  await git(tree.path, ["clean", "-ffdq"], { allowFailure: true, timeoutMs: checkoutTimeoutMs });
  const there = branches.get(branch ?? "");
  if (there === undefined || (there.commit === head && isFreeFor(tree.path, there))) {
    startEntering(tree, wanted, head, null);
    await restoreSnapshot(tree.path, parked);
    return whereabouts.branch;
  }
  const name = freeName(wanted.branch, branches);
  startEntering(tree, wanted, head, name);
  await restoreSnapshot(tree.path, `${head}${content === null ? "" : `+${content}`}@${name}`);
  return name;
}

async function checkOutNew(tree: OwnedTree, wanted: WantedStory, start: string, known: Branches): Promise<string> {
  for (let branches = known; ; branches = await branchesLike(tree.path, [wanted.branch])) {
    const name = freeName(wanted.branch, branches);
    startEntering(tree, wanted, start, name);
    if (await checkOut(tree, name, start, true)) return name;
  }
}

/** Makes the tree pristine except for ignored files. False if another process has just made the branch. */
async function checkOut(tree: OwnedTree, name: string, start: string, isNew: boolean): Promise<boolean> {
  const options = { allowFailure: true, timeoutMs: checkoutTimeoutMs };
  const target = isNew ? ["--no-track", "-b", name, start] : [name];
  const switched = await git(tree.path, ["checkout", "--quiet", "--force", ...target, "--"], options);
  const cleaned = switched.code === 0 ? await git(tree.path, ["clean", "-ffdq"], options) : switched;
  if (cleaned.code === 0) return true;
  if (isNew && /already exists/.test(switched.stderr)) return false;
  // Slower, but it works whatever is wrong with the tree.
  removeLocks(tree.gitDir);
  if (isNew) await changeRefs(tree.path, [`create refs/heads/${name} ${start}`]);
  await restoreSnapshot(tree.path, `${start}@${name}`);
  return true;
}

/** Records the branch before it is made. */
function startEntering(
  { gitDir, path }: OwnedTree,
  { run, story }: WantedStory,
  base: string,
  takes: string | null,
): void {
  const taking = takes === null ? {} : { takes };
  writeMarker(gitDir, { version: 1, run, path, base, branch: null, story, entered: false, ...taking });
}

function assertCommit(text: string): void {
  if (isCommitId(text)) return;
  throw new AppError("BASE_NOT_FOUND", `${JSON.stringify(text.slice(0, 80))} is not a commit id`, {
    hint: "resolve it to a commit first",
  });
}
