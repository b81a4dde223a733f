// Intents. Owns: recording that the checkout of a person is about to be moved, and holding its index meanwhile. Does not own: the move,
// or undoing it.

import { randomUUID } from "node:crypto";
import { linkSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { systemCode } from "../../domain/error.ts";
import { readJson, writeJson } from "../../system/files/json-file.ts";
import { readIfReadable } from "../../system/files/text.ts";
import { putInPlace } from "../../system/files/whole-file.ts";
import { hostName } from "../../system/home.ts";
import { ownIdentity, type ProcessIdentity } from "../../system/process/identity.ts";
import type { Checkout } from "../branches/checked-out.ts";

export interface Move {
  readonly repo: string;
  readonly branch: string;
  readonly from: string;
  /** A descendant of `from`. */
  readonly to: string;
  /** Absolute paths of files in the checkout that Pawl writes: their changes do not count. */
  readonly ignoring: readonly string[];
  readonly intentFile: string;
  /** Refs that are set in the same transaction, before the branch. */
  readonly also?: readonly { readonly ref: string; readonly to: string }[];
}

/** Kept in a file from before the first change until after the last. */
export interface Intent extends Move {
  readonly version: 1;
  /** The content of Pawl's lock of the index: only a lock with it may be removed. */
  readonly id: string;
  /** The process whose git may still be running. */
  readonly by: ProcessIdentity;
  /** The machine of that process: elsewhere nobody can tell whether it is alive. */
  readonly host: string;
  readonly path: string;
  readonly gitDir: string;
}

export function openIntent(move: Move, { path, gitDir }: Checkout): Intent {
  const intent: Intent = { ...move, version: 1, id: `pawl ${randomUUID()}`, ...ownProcess(), path, gitDir };
  mkdirSync(dirname(move.intentFile), { recursive: true });
  writeJson(move.intentFile, intent);
  return intent;
}

/** The process that performs a move from now on. */
export function ownProcess(): Pick<Intent, "by" | "host"> {
  return { by: ownIdentity(), host: hostName() };
}

export function readIntent(file: string): Intent | null {
  const intent = readJson(file) as Partial<Intent> | null;
  const isIntent = intent?.version === 1 && typeof intent.id === "string" && typeof intent.gitDir === "string";
  return isIntent ? (intent as Intent) : null;
}

/**
 * The index that the checkout will have. It lies beside the real one and replaces it in one step. Until it exists, no file of the
 * checkout has been changed.
 */
export function nextIndex({ gitDir, id }: Intent): string {
  return join(gitDir, `pawl-index-${id.replace(/\W/g, "-")}`);
}

const waitsForLockMs = [0, 20, 60, 150, 300];

/**
 * Takes the lock of the index as git does, so that no other git commits, stages or switches there. False if another git
 * holds it.
 */
export async function holdIndex(intent: Intent): Promise<boolean> {
  if (isHeld(intent)) return true;
  for (const waitMs of waitsForLockMs) {
    await sleep(waitMs);
    if (takeLock(intent)) return true;
  }
  return false;
}

/** The lock appears with its content or not at all: one without it would stay for ever, because nothing says that it is Pawl's. */
function takeLock(intent: Intent): boolean {
  const draft = `${nextIndex(intent)}.hold`;
  try {
    writeFileSync(draft, intent.id);
    linkSync(draft, lockOf(intent));
    return true;
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
    return false;
  } finally {
    rmSync(draft, { force: true });
  }
}

export function isHeld(intent: Intent): boolean {
  return readIfReadable(lockOf(intent)) === intent.id;
}

/** Gives the checkout its new index. */
export function replaceIndex(intent: Intent): void {
  putInPlace(nextIndex(intent), join(intent.gitDir, "index"));
}

/** Removes everything that belongs to the intent; the lock of the index and the intent itself last. */
export function closeIntent(intent: Intent): void {
  const next = nextIndex(intent);
  for (const index of [next, ...scratchIndexes(intent)]) removeIndex(index);
  releaseIndex(intent);
  // A process that was frozen may get here after another one has settled its move and started the next.
  if (readIntent(intent.intentFile)?.id === intent.id) rmSync(intent.intentFile, { force: true });
}

/** Gives the index back to other gits. */
export function releaseIndex(intent: Intent): void {
  if (isHeld(intent)) rmSync(lockOf(intent), { force: true });
}

/** Indexes to compare with: one for the old commit, one for the new. */
export function scratchIndexes(intent: Intent): readonly [string, string] {
  const next = nextIndex(intent);
  return [`${next}.undo`, `${next}.undo-new`];
}

/** Also the lock of a git that was killed while it wrote it. */
export function removeIndex(index: string): void {
  for (const file of [index, `${index}.lock`]) rmSync(file, { force: true });
}

function lockOf({ gitDir }: Intent): string {
  return join(gitDir, "index.lock");
}
