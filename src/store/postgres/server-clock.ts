// The clock of a server: all machines that share a store have one time of day, so that none takes a step too early, or believes another one
// silent, because somebody's clock is wrong.

import { type Clock, clockOfServer } from "../../system/clock.ts";

/** Clocks that differ by less agree: processes of one machine then all have its own time, to the millisecond. */
const agreesMs = 1_000;
/** An answer that came this fast says when it was given. */
const soonMs = 100;
const mostAsked = 5;

/** `ask`: for the time of day of the server, in milliseconds since 1970. The fastest answer counts. */
export async function serverClock(clock: Clock, ask: () => Promise<number>): Promise<Clock> {
  let [aheadMs, fastestMs] = [0, Number.POSITIVE_INFINITY];
  for (let asked = 0; asked < mostAsked && fastestMs > soonMs; asked += 1) {
    const [before, there] = [clock.steady(), await ask()];
    const tookMs = clock.steady() - before;
    if (tookMs < fastestMs) [aheadMs, fastestMs] = [Math.round(there - (clock.now() - tookMs / 2)), tookMs];
  }
  return Math.abs(aheadMs) < agreesMs + fastestMs / 2 ? clock : clockOfServer(clock, aheadMs);
}
