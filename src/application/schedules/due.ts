// Which tick of a schedule is due: pure, from the times of the schedule, what is settled, and the time of day, which may have jumped.

import type { TickTimes } from "../../workflows/schedule/tick-times.ts";

export type Due =
  | { readonly kind: "wait" /** null: it is never due again. */; readonly until: number | null }
  /** What is settled lies so far ahead that a clock was wrong. */
  | { readonly kind: "ahead" }
  | {
      readonly kind: "due";
      readonly tick: number;
      /** How many ticks before it nothing is known of. */
      readonly missed: number;
      /** It was seen so late that it counts as missed itself. */
      readonly isLate: boolean;
    };

/** The service looks at least twice a minute, so a tick that is older was not seen in time. */
const lateAfterMs = 120_000;

/** Clocks differ by hours where a time zone is wrong, never by more than a day. */
export const mostAheadMs = 24 * 3_600_000;

/** Enough to say that there were many. */
const mostMissed = 100;

/** `settled`: it is known what became of all ticks up to this time. */
export function dueOf(settled: number, times: TickTimes, now: number): Due {
  if (settled > now + mostAheadMs) return { kind: "ahead" };
  const tick = times.latest(now);
  // A clock that was set back does not make a settled tick due again.
  if (tick === null || tick <= settled) return { kind: "wait", until: times.next(Math.max(settled, now)) };
  return { kind: "due", tick, missed: countTicks(times, settled, tick), isLate: now - tick > lateAfterMs };
}

/** Ticks after the one time and before the other, as far as anybody counts. */
function countTicks(times: TickTimes, after: number, before: number): number {
  let count = 0;
  for (let at = times.next(after); at !== null && at < before && count < mostMissed; at = times.next(at)) count += 1;
  return count;
}
