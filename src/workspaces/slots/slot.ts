// Slots. Owns: a tree of ours that is used for one story after another: who is in it, entering and leaving.

import { rmSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../domain/error.ts";
import { isCommitId } from "../../system/git-directory.ts";
import { assertBranchName } from "../branches/branch-name.ts";
import { checkoutsOf } from "../branches/checked-out.ts";
import { type Branches, branchesLike, freeName, isFreeFor } from "../branches/story-branch.ts";
import { git, splitNul } from "../git/git.ts";
import { branchRefOf, headOf } from "../git/head.ts";
import { changeRefs, readRefs } from "../git/refs.ts";
import { putBack } from "../integration/remembered-state.ts";
import { assertOwned, assertSlot, type OwnedTree, ownedTree, writeMarker } from "../trees/ownership.ts";
import { forgetOperations, forgetState, removeLocks, restoreSnapshot } from "../trees/restore.ts";
import { parseSnapshot, snapshotRefs } from "../trees/snapshot.ts";
import { ensureWorktree } from "../trees/worktree.ts";
import { emptySlot, parkedRefs, readWhereabouts, type Whereabouts, writeWhereabouts } from "./parking.ts";

export interface WantedStory {
  readonly run: string;
  readonly repo: string;
  /** The slot's tree. */
  readonly path: string;
  readonly story: string;
  /** The name that its branch should have; one that is taken gets a number. */
  readonly branch: string;
  /** A full commit id: what a new story starts from. */
  readonly base: string;
  /** The file that says where the story's work is, see parking.ts. */
  readonly parked: string;
}

const checkoutTimeoutMs = 600_000;

/** Makes sure of the slot's tree: detached at `base` when new, untouched when it is there. */
export async function ensureSlot(wanted: {
  readonly run: string;
  readonly repo: string;
  readonly path: string;
  readonly base: string;
}): Promise<{ readonly created: boolean }> {
  const { created } = await ensureWorktree({ ...wanted, branch: null });
  return { created };
}

/** The story whose work the tree holds; null: none, or no such tree. Reads files only. */
export function occupantOf(path: string): string | null {
  return ownedTree(path)?.marker.story ?? null;
}

/** Puts the tree on the story's own branch: where it was parked, else a new branch from `base`. */
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
    // An integration that was cut off would be taken for the story's work.
    removeLocks(gitDir);
    await putBack(tree);
    const branch = marker.branch ?? "";
    if (whereabouts === null || whereabouts.parked !== null) writeWhereabouts(wanted.parked, { branch, parked: null });
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
  writeMarker(gitDir, { version: 1, run, path: tree.path, base: wanted.base, branch, story, entered: true });
  writeWhereabouts(wanted.parked, { branch, parked: null });
  return entered;
}

/** The story is integrated: its branch goes, the tree is left detached at `commit`, free for the next. */
export async function leaveStory(done: {
  readonly path: string;
  readonly repo: string;
  readonly commit: string;
}): Promise<void> {
  const { path, gitDir, marker } = assertOwned(done.path);
  assertCommit(done.commit);
  if (!marker.story) return;
  removeLocks(gitDir);
  forgetOperations(gitDir);
  forgetState(gitDir);
  const isThere = (await branchRefOf(path)) === null && (await headOf(path)) === done.commit;
  if (!isThere) await restoreSnapshot(path, done.commit);
  const own = `refs/heads/${marker.branch}`;
  // A person who looks at the branch has it checked out: then it stays.
  const isLookedAt = marker.branch === null || (await checkoutsOf(done.repo, marker.branch)).length > 0;
  const refs = [parkedRefs(marker.run, marker.story), snapshotRefs(path), ...(isLookedAt ? [] : [own])];
  const kept = await readRefs(done.repo, refs);
  // A pattern finds what is below it, too: branches of others, once ours is gone.
  const ours = [...kept].filter(([ref]) => ref === own || ref.startsWith("refs/pawl/"));
  const changes = ours.map(([ref, commit]) => `delete ${ref} ${commit}`);
  if (changes.length > 0 && !(await changeRefs(done.repo, changes))) return leaveStory(done);
  writeMarker(gitDir, { ...marker, base: done.commit, branch: null, story: null, entered: false });
}

async function goTo(
  tree: OwnedTree,
  wanted: WantedStory,
  whereabouts: Whereabouts | null,
): Promise<{ readonly branch: string; readonly fresh: boolean }> {
  const earlier = whereabouts?.branch || null;
  const names = [wanted.branch, earlier, whereabouts?.parked ? parseSnapshot(whereabouts.parked).branch : null];
  const [branches] = await Promise.all([
    branchesLike(
      tree.path,
      names.filter((name) => name !== null),
    ),
    makeGitLook(tree),
  ]);
  if (whereabouts?.parked) {
    return { branch: await unpark(tree, wanted, whereabouts, whereabouts.parked, branches), fresh: false };
  }
  // The slot that it was in is lost, with what was not committed there.
  const left = earlier === null ? undefined : branches.get(earlier);
  if (earlier !== null && left !== undefined && isFreeFor(tree.path, left)) {
    await checkOut(tree, earlier, left.commit, false);
    return { branch: earlier, fresh: false };
  }
  const start = left?.commit ?? wanted.base;
  return { branch: await checkOutNew(tree, wanted, start, branches), fresh: left === undefined };
}

/** Files that an agent told git not to look at would stay as that agent left them. */
async function makeGitLook({ path, gitDir }: OwnedTree): Promise<void> {
  const { stdout, code } = await git(path, ["ls-files", "-v", "-z"], { allowFailure: true });
  const isBlind = splitNul(stdout).some((line) => !line.startsWith("H "));
  if (code !== 0 || isBlind) rmSync(join(gitDir, "index"), { force: true });
}

/** Back to where the story was parked. Its branch gets another name if somebody has moved it or is on it. */
async function unpark(
  tree: OwnedTree,
  wanted: WantedStory,
  whereabouts: Whereabouts,
  parked: string,
  branches: Branches,
): Promise<string> {
  const { head, content, branch } = parseSnapshot(parked);
  // A repository that another story's agent has cloned here: restoring leaves those alone.
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

/** Pristine, but for ignored files. False if the branch was to be made and somebody else has just made it. */
async function checkOut(tree: OwnedTree, name: string, start: string, isNew: boolean): Promise<boolean> {
  const options = { allowFailure: true, timeoutMs: checkoutTimeoutMs };
  const target = isNew ? ["--no-track", "-b", name, start] : [name];
  const switched = await git(tree.path, ["checkout", "--quiet", "--force", ...target, "--"], options);
  const cleaned = switched.code === 0 ? await git(tree.path, ["clean", "-ffdq"], options) : switched;
  if (cleaned.code === 0) return true;
  if (isNew && /already exists/.test(switched.stderr)) return false;
  // Whatever is wrong with the tree, this way is longer and gets there.
  removeLocks(tree.gitDir);
  if (isNew) await changeRefs(tree.path, [`create refs/heads/${name} ${start}`]);
  await restoreSnapshot(tree.path, `${start}@${name}`);
  return true;
}

/** Written down before the branch is made. */
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
