// Retries of a transaction. Owns: trying again while another writer holds the lock or was faster, without blocking the process.

import type { Clock } from "../system/clock.ts";
import { VersionConflict } from "./store.ts";

/** Writers take turns in milliseconds; one that holds the lock for a minute is stuck. */
const longestWaitMs = 60_000;

/** `isLocked` recognizes the errors of this database that pass with time. */
export async function retryWhileLocked<T>(
  clock: Clock,
  isLocked: (error: unknown) => boolean,
  work: () => Promise<T>,
): Promise<T> {
  const started = clock.now();
  for (let waitMs = 1; ; waitMs = Math.min(waitMs * 1.5, 40)) {
    try {
      return await work();
    } catch (error) {
      const canPass = error instanceof VersionConflict || isLocked(error);
      if (!canPass || clock.now() - started > longestWaitMs) throw error;
      await clock.sleep(waitMs * (0.5 + Math.random()));
    }
  }
}
