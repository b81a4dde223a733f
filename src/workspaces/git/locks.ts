// Lock files in a repository that people use too. Owns: removing a lock whose git is dead, and never one whose git may be alive.
//
// A lock does not say who holds it, and git closes the file long before it removes it. So its holder is looked for among the processes:
// it has been running since before the lock was first looked at. A program that is not git holds a lock for moments only, so a
// lock must also have a certain age.

import { rmSync, statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "../../domain/error.ts";
import { gitsIn } from "./lock-holders.ts";

/** No program except git holds a lock for so long. */
const staleAfterMs = 10_000;
const lookEveryMs = 50;
/** How long a live git is waited for once its lock has that age. */
const patienceMs = 5_000;

/** What all trees of a repository share, see `commonDirOf`. */
export interface SharedDirectory {
  readonly commonDir: string;
}

/** Waits until a lock is gone, and removes it once its holder must be dead. Throws if a git that is alive keeps it. */
export async function clearLock(lock: string, repository: SharedDirectory, afterMs = staleAfterMs): Promise<void> {
  const giveUpAt = performance.now() + patienceMs + afterMs;
  let first: LockFile | null = null;
  let holders: ReadonlySet<string> = new Set();
  for (;;) {
    const file = statSync(lock, { throwIfNoEntry: false });
    if (file === undefined) return;
    // A time in the future says that the clock was set back.
    const isOld = Math.abs(Date.now() - file.mtimeMs) >= afterMs;
    if (first === null || !isSame(first, file)) {
      first = file;
      holders = await gitsIn(repository.commonDir);
    } else if (isOld) {
      // The holder was there at the first look: a git that started later holds something else.
      const now = await gitsIn(repository.commonDir);
      holders = new Set([...holders].filter((holder) => now.has(holder)));
    }
    if (isOld && holders.size === 0) {
      const last = statSync(lock, { throwIfNoEntry: false });
      if (last !== undefined && isSame(first, last)) return rmSync(lock, { force: true });
    }
    if (performance.now() > giveUpAt) throw heldByAnother(lock);
    await sleep(lookEveryMs);
  }
}

interface LockFile {
  readonly ino: number;
  readonly mtimeMs: number;
}

function isSame(one: LockFile, other: LockFile): boolean {
  return one.ino === other.ino && one.mtimeMs === other.mtimeMs;
}

function heldByAnother(lock: string): AppError {
  return new AppError("WORKSPACE_BUSY", `another git holds ${lock}`, {
    hint: "wait until it has ended, then try again",
  });
}
