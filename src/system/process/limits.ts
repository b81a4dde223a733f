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
    () => !over.signal.aborted && halt({ kind: "timed_out", limit: "wall" }),
    () => undefined, // a clock may reject when it is aborted
  );

  // A timer instead of the clock: timers stop while the machine sleeps, and that time must not count as silence.
  const quiet = quietMs === null ? null : setTimeout(silent, Math.min(quietMs, longestTimerMs));
  function silent(): void {
    // Nothing was read because the sink is slow; the program may have printed a lot.
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
