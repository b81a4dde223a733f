// Forwarding. Owns: moving a branch to a later commit, together with the checkout of a person who works on it, if nothing is lost.

import { lstatSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError, errorText } from "../../domain/error.ts";
import { realPath } from "../../system/files/paths.ts";
import { isAlive, ownIdentity } from "../../system/process/identity.ts";
import { assertBranchName } from "../branches/branch-name.ts";
import { type Checkout, checkoutsOf } from "../branches/checked-out.ts";
import { type GitResult, git, splitNul } from "../git/git.ts";
import { branchRefIn, commonDirOf, headOf } from "../git/head.ts";
import { clearLock } from "../git/locks.ts";
import { changeRefs, type RefChange, readRefs } from "../git/refs.ts";
import { operationIn } from "../git/repository.ts";
import { waitForGitOf } from "../git/running.ts";
import { copyIndex } from "../trees/snapshot.ts";
import {
  closeIntent,
  holdIndex,
  type Intent,
  isHeld,
  type Move,
  nextIndex,
  openIntent,
  readIntent,
  releaseIndex,
  replaceIndex,
} from "./intent.ts";
import { type Change, changesBetween, countMoved, filesAt, hiddenFiles, isThere, undoMove } from "./undo-move.ts";

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

/** Finishes or undoes a move that was interrupted; returns a text for people if neither is possible. */
export async function settleMove(intentFile: string): Promise<string | null> {
  const intent = readIntent(intentFile);
  if (intent === null) return null;
  await waitForOwner(intent);
  // It has ended its own move meanwhile.
  if (readIntent(intentFile)?.id !== intent.id) return null;
  await waitForOtherGit(intent);
  const { problem } = await settle(intent);
  if (problem !== null) return `${intent.branch} was being moved in ${intent.path}, ${problem}`;
  const ref = `refs/heads/${intent.branch}`;
  const isStillWanted = isThere(intent.path) && (await readRefs(intent.path, [ref])).get(ref) === intent.from;
  if (isStillWanted) await moveBranch(intent);
  return null;
}

async function forwardCheckout(move: Move, place: Checkout, context: MoveContext): Promise<Moved> {
  // It could not be settled just now, and what it knows about the checkout must not be lost.
  if (readIntent(move.intentFile) !== null) {
    return kept(`${move.branch} is checked out in ${place.path}, where an earlier move is not undone yet`);
  }
  const intent = openIntent(move, place);
  moving.add(intent.id);
  try {
    const { answer, isOpen } = await forwardHeld(intent, place, context);
    if (!isOpen) closeIntent(intent);
    return answer;
  } catch (error) {
    const { problem } = await settle(intent);
    throw problem === null ? error : withState(error, `${move.branch} was being moved in ${place.path}, ${problem}`);
  } finally {
    moving.delete(intent.id);
  }
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
  const { problem, isOpen } = await settle(intent);
  return { answer: kept(problem === null ? why : `${where}, and it could not be moved, ${problem}`), isOpen };
}

/** Why git did not write the files. */
async function refusalIn(stderr: string, path: string): Promise<string> {
  const name = stderr.match(/Entry '(.+)' not uptodate/)?.[1];
  const isHidden = name !== undefined && (await hiddenFiles(path)).has(name);
  if (!isHidden) return `and git does not move it: ${reasonIn(stderr)}`;
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

/**
 * Decides by where the branch is, and removes the intent. Returns what remains to be done by a person, or null. Where it can do
 * neither, the intent stays for the next try; the index is free for other gits in any case.
 */
async function settle(intent: Intent): Promise<{ readonly problem: string | null; readonly isOpen: boolean }> {
  try {
    const problem = await finishOrUndo(intent);
    closeIntent(intent);
    return { problem, isOpen: false };
  } catch (error) {
    releaseIndex(intent);
    // A git that was killed has given no answer; the next try gives one.
    if (error instanceof AppError && error.code === "GIT_KILLED") throw error;
    const remedy = isFull(error) ? "free some disk space, then `pawl resume`" : "`pawl resume` tries it again";
    const why = reasonIn(errorText(error)).replace(/, \w+ '\/.*$/, "");
    const problem = `and its files could not be put back (${why}): ${await stateOf(intent)}; ${remedy}`;
    return { problem, isOpen: true };
  }
}

/** What a person finds in the half-moved checkout. */
async function stateOf(intent: Intent): Promise<string> {
  const { from, to } = intent;
  const count = await countMoved(intent).catch(() => null);
  const files = count === null ? "files" : `${count} file${count === 1 ? "" : "s"}`;
  return `${files} there may be those of ${to.slice(0, 12)}, the branch and the index are at ${from.slice(0, 12)}`;
}

function isFull(error: unknown): boolean {
  return /no space left|ENOSPC|EDQUOT|quota exceeded/i.test(errorText(error));
}

async function finishOrUndo(intent: Intent): Promise<string | null> {
  const { branch, path, gitDir, to } = intent;
  if (!isThere(join(gitDir, "HEAD")) || !isThere(path)) return null;
  const ref = `refs/heads/${branch}`;
  const wasHeld = isHeld(intent);
  const commonDir = await commonDirOf(path);
  const locks = [join(gitDir, "HEAD.lock"), join(commonDir, `${ref}.lock`)];
  if (wasHeld) for (const lock of locks) await clearLock(lock, { commonDir }, 2_000);
  // Either nothing has been written yet, or the index is in place already.
  if (!isThere(nextIndex(intent))) return null;
  const isMoved = (await readRefs(path, [ref])).get(ref) === to;
  if (!(await holdIndex(intent))) return "and another git is at work there: `git status` shows how it looks";
  if (!isMoved) {
    const theirs = await undoMove(intent);
    return theirs === null ? null : `and ${theirs} has been changed since: everything there is left as it is`;
  }
  if (!wasHeld) return "and the lock of its index was removed: run `git reset` there to repair the index";
  replaceIndex(intent);
  return null;
}

/** A revert and an integration may be performed by two processes. A process that is stuck is not waited for. */
const ownerEndsWithinMs = 10_000;
const lookEveryMs = 20;

/** The intents that this process is performing now. */
const moving = new Set<string>();

async function waitForOwner({ by, id, intentFile }: Intent): Promise<void> {
  const own = ownIdentity();
  const isOwn = by.pid === own.pid && by.startedAt === own.startedAt;
  const isAtWork = () => (isOwn ? moving.has(id) : isAlive(by)) && readIntent(intentFile)?.id === id;
  const giveUpAt = performance.now() + ownerEndsWithinMs;
  while (isAtWork() && performance.now() < giveUpAt) await sleep(lookEveryMs);
}

/** A git outlives the process that started it, so nothing is decided while it may still write. */
async function waitForOtherGit({ by }: Intent): Promise<void> {
  const own = ownIdentity();
  if (by.pid === own.pid && by.startedAt === own.startedAt) return;
  await waitForGitOf(by);
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

/** The error, with the state in which it leaves the checkout of a person. */
export function withState(error: unknown, state: string): AppError {
  const known = error instanceof AppError ? error : null;
  return new AppError(known?.code ?? "GIT_FAILED", `${state} (${errorText(error)})`, {
    hint: known?.hint ?? (isFull(error) ? "free some disk space, then try again" : "try again"),
    details: known?.details ?? [],
    cause: error,
  });
}

const movedMeanwhile = "moved_meanwhile";

function kept(why: string): Moved {
  return { moved: false, why };
}

function reasonIn(stderr: string): string {
  const [first = "no reason"] = stderr.split("\n").filter((line) => line.trim() !== "");
  return first.replace(/^(error|fatal): /, "");
}
