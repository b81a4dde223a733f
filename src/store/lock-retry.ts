// Patience. Owns: trying again when somebody else was faster or has the lock, without blocking the process.

import type { Clock } from "../system/clock.ts";
import { VersionConflict } from "./store.ts";

/** Two writers take turns in milliseconds; somebody who holds a lock for a minute is stuck. */
const patienceMs = 60_000;

/** `passes` tells the errors of this database that go away by waiting. */
export async function retryWhileLocked<T>(
  clock: Clock,
  passes: (error: unknown) => boolean,
  work: () => Promise<T>,
): Promise<T> {
  const started = clock.now();
  for (let waitMs = 1; ; waitMs = Math.min(waitMs * 1.5, 40)) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof VersionConflict || passes(error)) || clock.now() - started > patienceMs) throw error;
      await clock.sleep(waitMs * (0.5 + Math.random()));
    }
  }
}
