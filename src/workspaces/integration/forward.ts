// Forwarding. Owns: moving a branch to a later commit, together with the checkout of a person who works on it, if nothing is lost.

import { lstatSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../domain/error.ts";
import { realPath } from "../../system/files/paths.ts";
import { assertBranchName } from "../branches/branch-name.ts";
import { type Checkout, checkoutsOf } from "../branches/checked-out.ts";
import { type GitResult, git, splitNul } from "../git/git.ts";
import { branchRefIn, headOf } from "../git/head.ts";
import { changeRefs, type RefChange, readRefs } from "../git/refs.ts";
import { operationIn } from "../git/repository.ts";
import { type Change, changesBetween } from "../trees/changes.ts";
import { hiddenFiles } from "../trees/hidden-files.ts";
import { copyIndex } from "../trees/snapshot.ts";
import {
  closeIntent,
  holdIndex,
  type Intent,
  type Move,
  nextIndex,
  openIntent,
  readIntent,
  replaceIndex,
} from "./intent.ts";
import {
  moveInWords,
  performing,
  reasonOfGit,
  settleAlone,
  settleHeld,
  waitForOtherGit,
  waitForOwner,
  withState,
} from "./settling.ts";
import { filesAt, isThere } from "./undo-move.ts";

export type { Move } from "./intent.ts";

/** Why it was not moved: `moved_meanwhile`, or a text for people. */
export type Moved = { readonly moved: true } | { readonly moved: false; readonly why: string };

const checkoutTimeoutMs = 600_000;

/** What is known about one call, and not about a later one that repeats it after a crash. */
export interface MoveContext {
  /** What differs between the two commits, if it was just asked for. */
  readonly changes?: readonly Change[];
  /** Changes of other refs in the same transaction, after that of the branch. */
  readonly then?: readonly RefChange[];
}

export async function moveBranch(move: Move, context: MoveContext = {}): Promise<Moved> {
  await assertBranchName(move.repo, move.branch);
  const [place, another] = await checkoutsOf(move.repo, move.branch);
  if (place === undefined) {
    const problem = await moveRefs(move.repo, move, context);
    return problem === null ? { moved: true } : kept(problem);
  }
  const where = `${move.branch} is checked out in ${place.path}`;
  if (another !== undefined) return kept(`${where} and in ${another.path}`);
  if (!place.isThere) return kept(`${where}, which is not there`);
  if (place.operation !== null) return kept(`${where}, in the middle of a ${place.operation}`);
  return forwardCheckout(move, place, context);
}

/** Finishes or undoes a move that was interrupted, and then does it; returns a text for people if none of that is possible. */
export async function settleMove(intentFile: string): Promise<string | null> {
  for (;;) {
    const intent = readIntent(intentFile);
    if (intent === null) return null;
    await waitForOwner(intent);
    await waitForOtherGit(intent);
    const settled = await settleAlone(intent);
    if (settled === null) continue;
    if (settled.problem !== null) return moveInWords(intent, settled.problem);
    const ref = `refs/heads/${intent.branch}`;
    const isStillWanted = isThere(intent.path) && (await readRefs(intent.path, [ref])).get(ref) === intent.from;
    if (isStillWanted) await moveBranch(intent);
    return null;
  }
}

async function forwardCheckout(move: Move, place: Checkout, context: MoveContext): Promise<Moved> {
  // It could not be settled just now, and what it knows about the checkout must not be lost.
  if (readIntent(move.intentFile) !== null) {
    return kept(`${move.branch} is checked out in ${place.path}, where an earlier move is not undone yet`);
  }
  const intent = openIntent(move, place);
  return await performing(intent, async () => {
    try {
      const { answer, isOpen } = await forwardHeld(intent, place, context);
      if (!isOpen) closeIntent(intent);
      return answer;
    } catch (error) {
      const { problem } = await settleHeld(intent);
      throw problem === null ? error : withState(error, moveInWords(intent, problem));
    }
  });
}

interface Forwarded {
  readonly answer: Moved;
  /** The files are neither moved nor put back, so the intent is still needed. */
  readonly isOpen?: boolean;
}

async function forwardHeld(intent: Intent, place: Checkout, context: MoveContext): Promise<Forwarded> {
  const { path, gitDir } = place;
  const where = `${intent.branch} is checked out in ${path}`;
  if (!(await holdIndex(intent))) return { answer: kept(`${where}, where another git is at work`) };
  const obstacle = await obstacleTo(intent, place, context);
  if (obstacle !== null) return { answer: kept(obstacle) };
  const next = nextIndex(intent);
  copyIndex(join(gitDir, "index"), next);
  const written = await writeFiles(intent, path, next);
  const why =
    written.code === 0 ? await moveRefs(path, intent, context) : `${where}, ${await refusalIn(written.stderr, path)}`;
  if (why === null) {
    replaceIndex(intent);
    return { answer: { moved: true } };
  }
  const { problem, isOpen } = await settleHeld(intent);
  return { answer: kept(problem === null ? why : `${where}, and it could not be moved, ${problem}`), isOpen };
}

/** Why git did not write the files. */
async function refusalIn(stderr: string, path: string): Promise<string> {
  const name = stderr.match(/Entry '(.+)' not uptodate/)?.[1];
  const isHidden = name !== undefined && (await hiddenFiles(path)).has(name);
  if (!isHidden) return `and git does not move it: ${reasonOfGit(stderr)}`;
  return `where ${name} is changed and marked assume-unchanged or skip-worktree: it would be lost`;
}

async function writeFiles({ from, to }: Move, path: string, index: string): Promise<GitResult> {
  const args = ["read-tree", "-m", "-u", from, to];
  const options = { env: { GIT_INDEX_FILE: index }, allowFailure: true, timeoutMs: checkoutTimeoutMs };
  const written = await git(path, args, options);
  if (written.code === 0) return written;
  // To this command a file with a new time looks changed until git has compared its content.
  await git(path, ["update-index", "-q", "--refresh"], options);
  return git(path, args, options);
}

/** Called while Pawl holds the index, so that no other git can change the answer. */
async function obstacleTo(move: Move, { path, gitDir }: Checkout, context: MoveContext): Promise<string | null> {
  const where = `${move.branch} is checked out in ${path}`;
  const isElsewhere = (await branchRefIn(gitDir, path)) !== `refs/heads/${move.branch}`;
  if (isElsewhere || operationIn(gitDir) !== null || (await headOf(path)) !== move.from) return movedMeanwhile;

  const args = ["status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=no", "--ignore-submodules=dirty"];
  const asked = context.changes ?? changesBetween(path, move.from, move.to);
  const [status, changes] = await Promise.all([git(path, args), asked]);
  const ignoring = new Set(move.ignoring.map(realPath));
  const changed = new Set(changes.map((change) => change.path));
  const dirty = splitNul(status.stdout)
    .map((entry) => entry.slice(3))
    .filter((name) => changed.has(name) || !ignoring.has(realPath(join(path, name))));
  if (dirty.length > 0) return `${where} with ${dirty.length} uncommitted file${dirty.length === 1 ? "" : "s"}`;
  const inTheWay = findInTheWay(path, changes);
  return inTheWay === null ? null : `${where}, where ${inTheWay} exists and is not in git: it would be lost`;
}

/** An ignored file, or a directory with files that are not in git, which git would overwrite without a warning. */
function findInTheWay(tree: string, changes: readonly Change[]): string | null {
  const deleted = new Set(changes.filter(({ kind }) => kind === "deleted").map(({ path }) => path));
  for (const { path } of changes.filter(({ kind }) => kind === "added")) {
    const parts = path.split("/");
    for (let length = 1; length <= parts.length; length += 1) {
      const name = parts.slice(0, length).join("/");
      const stats = lstatSync(join(tree, name), { throwIfNoEntry: false });
      if (stats === undefined) break;
      if (!stats.isDirectory() && deleted.has(name)) break;
      if (stats.isDirectory() && length < parts.length) continue;
      const lost = filesAt(tree, name).find((file) => !deleted.has(file));
      if (lost !== undefined) return lost;
      // Nothing is lost where an empty directory becomes a file.
      break;
    }
  }
  return null;
}

/** Moves the branch only if it is still at the expected commit. Returns why it was not moved, or null. */
async function moveRefs(
  cwd: string,
  { branch, from, to, also = [] }: Move,
  { then = [] }: MoveContext,
): Promise<string | null> {
  const others = also.map((ref) => `update ${ref.ref} ${ref.to}`);
  try {
    const isDone = await changeRefs(cwd, [...others, `update refs/heads/${branch} ${to} ${from}`, ...then]);
    return isDone ? null : movedMeanwhile;
  } catch (error) {
    // A git of a person is at work: its lock is left alone, and the branch with it.
    if (error instanceof AppError && error.code === "WORKSPACE_BUSY") return error.message;
    throw error;
  }
}

const movedMeanwhile = "moved_meanwhile";

function kept(why: string): Moved {
  return { moved: false, why };
}
