// Waits for facts, as `expect.poll` does where an assertion says more.

import { setTimeout as sleep } from "node:timers/promises";
import { patienceMs } from "./patience.ts";

type Truthy<T> = Exclude<T, false | 0 | "" | null | undefined>;

/** Waits until `fact` is truthy, and returns it. A fact that is costly to read is read less often: what it waits for needs the processor. */
export async function until<T>(fact: () => T | Promise<T>, timeout = patienceMs): Promise<Truthy<T>> {
  const end = performance.now() + timeout;
  for (;;) {
    const began = performance.now();
    const found = await fact();
    if (isTruthy(found)) return found;
    if (performance.now() > end) throw new Error(`not in ${timeout} ms: ${fact.toString()}`);
    await sleep(Math.max(10, 3 * (performance.now() - began)));
  }
}

function isTruthy<T>(value: T): value is Truthy<T> {
  return Boolean(value);
}
