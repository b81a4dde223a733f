// Retries a transaction while another writer holds the lock or was faster, without blocking the process.

import type { Clock } from "../system/clock.ts";
import { VersionConflict } from "./store.ts";

/** Writers hold the lock for milliseconds; one that holds it for a minute is stuck. */
const longestWaitMs = 60_000;

/** `isLocked` recognizes errors of this database that a retry can solve. */
export async function retryWhileLocked<T>(
  clock: Clock,
  isLocked: (error: unknown) => boolean,
  work: () => Promise<T>,
  atMostMs: number = longestWaitMs,
): Promise<T> {
  const started = clock.steady();
  for (let waitMs = 1; ; waitMs = Math.min(waitMs * 1.5, 40)) {
    try {
      return await work();
    } catch (error) {
      const canPass = error instanceof VersionConflict || isLocked(error);
      if (!canPass || clock.steady() - started > atMostMs) throw error;
      await clock.sleep(waitMs * (0.5 + Math.random()));
    }
  }
}
