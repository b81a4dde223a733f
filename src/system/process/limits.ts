// The limits of a running program. Owns: noticing that one was reached. Does not own: ending the program.

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
    () => !over.signal.aborted && halt({ kind: "timed_out", limit: "wall" }),
    () => undefined, // a clock may reject when it is aborted
  );

  // A timer, not the clock: timers stand still while the machine sleeps, and waking up must not look like silence.
  const quiet = quietMs === null ? null : setTimeout(silent, Math.min(quietMs, longestTimerMs));
  function silent(): void {
    // Nothing was read because our sink is slow: the program may have printed a lot.
    if (sinkIsBusy()) quiet?.refresh();
    else halt({ kind: "timed_out", limit: "quiet" });
  }

  return {
    heard: () => void quiet?.refresh(),
    forget: () => {
      over.abort();
      if (quiet !== null) clearTimeout(quiet);
    },
  };
}
