// Time. Owns: the clocks that the rest of Pawl uses, so that a test can replace them. The time of day can jump, forwards and backwards;
// what is measured (leases, limits, pauses) is measured by the steady time, and the time of day is for what people read and write.

import { uptime } from "node:os";
import { bootId } from "./process/identity.ts";

export interface Clock {
  /** The time of day, in milliseconds since 1970, as this process has it: what it was at its start, and what has passed since. */
  now(): number;
  /**
   * Milliseconds since the machine booted, the same for every process. No change of the time of day moves it, and on Linux it stands
   * still while the machine sleeps.
   */
  steady(): number;
  /** Resolves after `ms`, or early when the signal aborts. It never rejects: the caller that aborted knows. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** How far `now` is ahead of the times that files of this machine get; absent: not at all. */
  readonly aheadMs?: number;
}

const steady = () => Number(process.hrtime.bigint() / 1_000_000n);

export const systemClock: Clock = { now: dayFromNowOn(Date.now, steady, () => uptime() * 1000), steady, sleep };

/**
 * The time of day from now on, whatever is done to the machine's: no run ends and no gate is answered because somebody sets the clock.
 * The time for which the machine slept has passed too: it is what `awakeOrNot`, which is coarse, has over the steady time.
 */
export function dayFromNowOn(day: () => number, steadyTime: () => number, awakeOrNot: () => number): () => number {
  const [dayThen, steadyThen, thenAwakeOrNot] = [day(), steadyTime(), awakeOrNot()];
  return () => {
    const passedMs = steadyTime() - steadyThen;
    // A sleep moves the machine's time of day, too. `awakeOrNot` costs a file that is read, so it is asked only then.
    if (Math.abs(day() - dayThen - passedMs) < shortestSleepMs / 2) return dayThen + passedMs;
    const sleptMs = awakeOrNot() - thenAwakeOrNot - passedMs;
    return dayThen + passedMs + (sleptMs >= shortestSleepMs ? Math.round(sleptMs) : 0);
  };
}

/** One time of day for all machines that share a server: its own. Everything that is only measured stays this machine's. */
export function clockOfServer(clock: Clock, aheadMs: number): Clock {
  const { steady, sleep } = clock;
  return { now: () => clock.now() + aheadMs, steady: steady.bind(clock), sleep: sleep.bind(clock), aheadMs };
}

/** Less is what the two clocks are apart without any sleep. */
const shortestSleepMs = 5_000;

/** A time to come, to be stored. `steady` counts while the machine has not been booted again, `at` after that. */
export interface Deadline {
  readonly at: number;
  readonly steady: { readonly boot: string; readonly at: number } | null;
}

export function deadlineIn(clock: Pick<Clock, "now" | "steady">, ms: number): Deadline {
  const boot = bootId();
  return { at: clock.now() + ms, steady: boot === null ? null : { boot, at: clock.steady() + ms } };
}

export function isPast(clock: Pick<Clock, "now" | "steady">, { at, steady }: Deadline): boolean {
  return steady !== null && steady.boot === bootId() ? steady.at <= clock.steady() : at <= clock.now();
}

/** Node fires a timer at once when its delay is larger than this (24.8 days). */
export const longestTimerMs = 2 ** 31 - 1;

async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  let leftMs = ms;
  while (leftMs > longestTimerMs && !signal?.aborted) {
    await sleepOnce(longestTimerMs, signal);
    leftMs -= longestTimerMs;
  }
  await sleepOnce(leftMs, signal);
}

function sleepOnce(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const wake = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", wake);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    signal?.addEventListener("abort", wake);
  });
}
