// File locks between processes. Owns: a lock file that names its holder. The lock of a process that has died is free.

import { linkSync, lstatSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { AppError, systemCode } from "../../domain/error.ts";
import { type Clock, systemClock } from "../clock.ts";
import { hostName } from "../home.ts";
import { isAlive, ownIdentity, type ProcessIdentity } from "../process/identity.ts";
import { readIfReadable } from "./text.ts";
import { draftFor } from "./whole-file.ts";

const lockWaitMs = 60_000;
const lookEveryMs = 20;

interface Holder extends ProcessIdentity {
  readonly host: string;
}

interface LockOptions {
  readonly clock?: Clock | undefined;
  /** false: throws ENOENT where the folder of the lock is not there, or goes while the lock is waited for. */
  readonly makesFolder?: boolean;
}

/** Calls `act` while holding the lock. `act` is synchronous, so that the lock is held only briefly. */
export async function withFileLock<Result>(
  lock: string,
  act: () => Result,
  { clock = systemClock, makesFolder = true }: LockOptions = {},
): Promise<Result> {
  if (makesFolder) mkdirSync(dirname(lock), { recursive: true });
  const giveUpAt = clock.steady() + lockWaitMs;
  while (!take(lock)) {
    freeIfAbandoned(lock);
    if (take(lock)) break;
    if (clock.steady() >= giveUpAt) throw busy(lock);
    await clock.sleep(lookEveryMs);
  }
  try {
    return act();
  } finally {
    rmSync(lock, { force: true });
  }
}

/** A link appears with its content, so no process ever reads a lock without its holder. */
function take(lock: string): boolean {
  const draft = draftFor(lock, "");
  const holder: Holder = { ...ownIdentity(), host: hostName() };
  try {
    writeFileSync(draft, `${JSON.stringify(holder)}\n`, { flag: "wx" });
    linkSync(draft, lock);
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * When two processes find the same dead holder, only one may remove its lock: the second would remove the lock of a process that
 * took it in between. So removing needs a second lock, and the holder is checked again under it.
 */
function freeIfAbandoned(lock: string): void {
  if (!isAbandoned(lock)) return;
  const removal = `${lock}.removal`;
  if (!take(removal)) {
    if (isAbandoned(removal)) rmSync(removal, { force: true });
    return;
  }
  try {
    if (isAbandoned(lock)) rmSync(lock, { force: true });
  } finally {
    rmSync(removal, { force: true });
  }
}

/** A lock without a holder is not ours: other programs leave an empty file behind after they let go, and agents anything. */
function isAbandoned(lock: string): boolean {
  if (lstatSync(lock, { throwIfNoEntry: false }) === undefined) return false;
  const holder = holderIn(readIfReadable(lock) ?? "");
  return holder === null || (holder.host === hostName() && !isAlive(holder));
}

function holderIn(text: string): Holder | null {
  try {
    const { pid, startedAt, host } = JSON.parse(text) as Partial<Holder>;
    if (typeof pid !== "number" || typeof startedAt !== "string" || typeof host !== "string") return null;
    return { pid, startedAt, host };
  } catch {
    return null;
  }
}

function busy(lock: string): AppError {
  const holder = holderIn(readIfReadable(lock) ?? "");
  const who = holder ? `process ${holder.pid} on ${holder.host}` : "another program";
  return new AppError("WORKSPACE_BUSY", `${basename(lock)} has been held by ${who} for ${lockWaitMs / 1_000} seconds`, {
    hint: `end that process, or remove ${lock} if it no longer runs, and try again`,
  });
}
