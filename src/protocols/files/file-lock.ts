// File locks. Owns: one at a time, between processes, by a file that names its holder. A holder that has died holds nothing.

import { linkSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { AppError, systemCode } from "../../domain/error.ts";
import { type Clock, systemClock } from "../../system/clock.ts";
import { hostName } from "../../system/home.ts";
import { isAlive, ownIdentity, type ProcessIdentity } from "../../system/process/identity.ts";
import { draftFor, readOptional } from "./whole-file.ts";

const lockWaitMs = 60_000;
const lookEveryMs = 20;

interface Holder extends ProcessIdentity {
  readonly host: string;
}

/** Does `act` while holding the lock. `act` is synchronous: a lock is held for a moment, never across a wait. */
export async function withFileLock<Result>(
  lock: string,
  act: () => Result,
  clock: Clock = systemClock,
): Promise<Result> {
  mkdirSync(dirname(lock), { recursive: true });
  const giveUpAt = clock.now() + lockWaitMs;
  while (!take(lock)) {
    freeIfAbandoned(lock);
    if (take(lock)) break;
    if (clock.now() >= giveUpAt) throw busy(lock);
    await clock.sleep(lookEveryMs);
  }
  try {
    return act();
  } finally {
    rmSync(lock, { force: true });
  }
}

/** A link appears whole: nobody ever sees a lock of ours that does not yet say whose it is. */
function take(lock: string): boolean {
  const draft = draftFor(lock, "");
  const holder: Holder = { ...ownIdentity(), host: hostName() };
  writeFileSync(draft, `${JSON.stringify(holder)}\n`);
  try {
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
 * Two who find the same dead holder must not both remove "its" lock: the second would remove that of whoever came in between. So
 * removing is done under a lock of its own, and looked at once more there.
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

/** A lock that names nobody is not ours: other programs leave an empty file behind that they no longer hold. */
function isAbandoned(lock: string): boolean {
  const text = readOptional(lock);
  if (text === null) return false;
  const holder = holderIn(text);
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
  const holder = holderIn(readOptional(lock) ?? "");
  const who = holder ? `process ${holder.pid} on ${holder.host}` : "somebody";
  return new AppError("WORKSPACE_BUSY", `${basename(lock)} has been held by ${who} for ${lockWaitMs / 1_000} seconds`, {
    hint: `end that process, or remove ${lock} if it no longer runs, and try again`,
  });
}
