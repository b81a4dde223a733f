// Settling. Owns: ending a move of a checkout that was begun: it is finished or taken back, by one process at a time. Does not own:
// moving one.

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError, errorText } from "../../domain/error.ts";
import { withFileLock } from "../../system/files/file-lock.ts";
import { writeJson } from "../../system/files/json-file.ts";
import { hostName } from "../../system/home.ts";
import { isAlive, ownIdentity, type ProcessIdentity } from "../../system/process/identity.ts";
import { commonDirOf } from "../git/head.ts";
import { clearLock } from "../git/locks.ts";
import { readRefs } from "../git/refs.ts";
import { hasRunningGit, waitForGitOf } from "../git/running.ts";
import {
  closeIntent,
  holdIndex,
  type Intent,
  isHeld,
  nextIndex,
  ownProcess,
  readIntent,
  releaseIndex,
  replaceIndex,
} from "./intent.ts";
import { countMoved, isThere, undoMove } from "./undo-move.ts";

/** `isOpen`: the files are neither moved nor put back, so the intent is still needed. */
interface Settled {
  /** What remains to be done by a person; null: nothing. */
  readonly problem: string | null;
  readonly isOpen: boolean;
}

/**
 * Finishes or undoes a move that a dead process began, so that the checkout is free for its user; whether it is done again is for others
 * to decide. Waits for nobody. Returns a text for people if neither is possible.
 */
export async function endLeftMove(intentFile: string): Promise<string | null> {
  const intent = readIntent(intentFile);
  if (intent === null || !isLeft(intent) || (await hasRunningGit(intent.by))) return null;
  const settled = await settleAlone(intent);
  return settled === null || settled.problem === null ? null : moveInWords(intent, settled.problem);
}

function isLeft({ by, host }: Intent): boolean {
  return host === hostName() && !isAlive(by);
}

export function moveInWords({ branch, path }: Intent, problem: string): string {
  return `${branch} was being moved in ${path}, ${problem}`;
}

/** The intents that this process is performing now. */
const moving = new Set<string>();

export async function performing<T>({ id }: Intent, act: () => Promise<T>): Promise<T> {
  moving.add(id);
  try {
    return await act();
  } finally {
    moving.delete(id);
  }
}

/** null: it is over meanwhile, or another process settles it. */
export async function settleAlone(intent: Intent): Promise<Settled | null> {
  if (moving.has(intent.id)) return null;
  return await performing(intent, async () => ((await takeOver(intent)) ? await settleHeld(intent) : null));
}

async function takeOver({ intentFile, id, by }: Intent): Promise<boolean> {
  return await withFileLock(`${intentFile}.lock`, () => {
    const now = readIntent(intentFile);
    if (now === null || now.id !== id || !isSame(now.by, by)) return false;
    writeJson(intentFile, { ...now, ...ownProcess() } satisfies Intent);
    return true;
  });
}

function isSame(one: ProcessIdentity, other: ProcessIdentity): boolean {
  return one.pid === other.pid && one.startedAt === other.startedAt;
}

/**
 * Decides by where the branch is, and removes the intent. Returns what remains to be done by a person, or null. Where it can do
 * neither, the intent stays for the next try; the index is free for other gits in any case.
 */
export async function settleHeld(intent: Intent): Promise<Settled> {
  try {
    const problem = await finishOrUndo(intent);
    closeIntent(intent);
    return { problem, isOpen: false };
  } catch (error) {
    releaseIndex(intent);
    // A git that was killed has given no answer; the next try gives one.
    if (error instanceof AppError && error.code === "GIT_KILLED") throw error;
    const remedy = isFull(error) ? "free some disk space, then `pawl resume`" : "`pawl resume` tries it again";
    const why = reasonOfGit(errorText(error)).replace(/, \w+ '\/.*$/, "");
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

export async function waitForOwner({ by, id, intentFile }: Intent): Promise<void> {
  const isOwn = isSame(by, ownIdentity());
  const isAtWork = () => (isOwn ? moving.has(id) : isAlive(by)) && readIntent(intentFile)?.id === id;
  const giveUpAt = performance.now() + ownerEndsWithinMs;
  while (isAtWork() && performance.now() < giveUpAt) await sleep(lookEveryMs);
}

/** A git outlives the process that started it, so nothing is decided while it may still write. */
export async function waitForOtherGit({ by }: Intent): Promise<void> {
  if (!isSame(by, ownIdentity())) await waitForGitOf(by);
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

export function reasonOfGit(stderr: string): string {
  const [first = "no reason"] = stderr.split("\n").filter((line) => line.trim() !== "");
  return first.replace(/^(error|fatal): /, "");
}
