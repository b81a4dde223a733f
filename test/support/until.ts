// Waits for facts, as `expect.poll` does where an assertion says more.

import { vi } from "vitest";
import { patienceMs } from "./patience.ts";

type Truthy<T> = Exclude<T, false | 0 | "" | null | undefined>;

/** Waits until `fact` is truthy, and returns it. */
export async function until<T>(fact: () => T | Promise<T>, timeout = patienceMs): Promise<Truthy<T>> {
  return await vi.waitUntil(fact, { timeout, interval: 10 });
}
