// The limits of a running program. Owns: detecting that one is reached. Does not own: ending the program.

import { longestTimerMs, systemClock } from "../clock.ts";
import type { Halt, ProcessCall } from "./call.ts";

export interface LimitWatch {
  /** A byte arrived: the program is not quiet. */
  heard(): void;
  forget(): void;
}

export function watchLimits(call: ProcessCall, halt: (why: Halt) => void, sinkIsBusy: () => boolean): LimitWatch {
  const { wallMs, quietMs } = call.limits;
  const over = new AbortController();

  (call.clock ?? systemClock).sleep(wallMs, over.signal).then(
    () => afterReading(() => !over.signal.aborted && halt({ kind: "timed_out", limit: "wall" })),
    () => undefined, // a clock may reject when it is aborted
  );

  // A timer instead of the clock: timers stop while the machine sleeps, and that time must not count as silence.
  const quiet = quietMs === null ? null : setTimeout(silent, Math.min(quietMs, longestTimerMs));
  let bytes = 0;
  function silent(): void {
    const before = bytes;
    afterReading(() => {
      // Nothing was read because the sink is slow; the program may have printed a lot.
      if (sinkIsBusy()) quiet?.refresh();
      else if (bytes === before && !over.signal.aborted) halt({ kind: "timed_out", limit: "quiet" });
    });
  }

  return {
    heard: () => {
      bytes += 1;
      quiet?.refresh();
    },
    forget: () => {
      over.abort();
      if (quiet !== null) clearTimeout(quiet);
    },
  };
}

/**
 * A process that was stopped and continues runs its timers first: what its program printed meanwhile, and that it has ended, is read
 * after that. So a limit counts only if it still holds then.
 */
function afterReading(check: () => void): void {
  setImmediate(() => setImmediate(check));
}
