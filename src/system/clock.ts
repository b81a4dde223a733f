// Time. Owns: the clock that the rest of Pawl uses, so that a test can replace it.

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after `ms`, or early when the signal aborts. It never rejects: the caller that aborted knows. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = { now: Date.now, sleep };

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
