// A clock that a test moves. As on a machine, timers follow the steady time, and the time of day can be set to anything.

import { setImmediate as turn } from "node:timers/promises";
import type { Clock } from "../../src/system/clock.ts";

interface Sleeper {
  readonly at: number;
  wake(): void;
}

export class FakeClock implements Pick<Clock, "now" | "sleep"> {
  #day: number;
  #steady = 0;
  readonly #sleepers = new Set<Sleeper>();

  constructor(day: string) {
    this.#day = Date.parse(day);
  }

  now(): number {
    return this.#day;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (ms <= 0 || signal?.aborted) return;
    await new Promise<void>((resolve) => {
      const sleeper = {
        at: this.#steady + ms,
        wake: () => {
          this.#sleepers.delete(sleeper);
          signal?.removeEventListener("abort", sleeper.wake);
          resolve();
        },
      };
      this.#sleepers.add(sleeper);
      signal?.addEventListener("abort", sleeper.wake);
    });
  }

  /** Sets the time of day. Nothing that sleeps notices. */
  set(day: string): void {
    this.#day = Date.parse(day);
  }

  /** Lets time pass; each sleeper that wakes up meanwhile sleeps again before the next one does. */
  async pass(ms: number): Promise<void> {
    const end = this.#steady + ms;
    for (;;) {
      await this.asleep();
      const next = [...this.#sleepers].toSorted((left, right) => left.at - right.at)[0];
      if (next === undefined || next.at > end) break;
      this.#move(next.at - this.#steady);
      next.wake();
    }
    this.#move(end - this.#steady);
  }

  /** Waits until something sleeps. */
  async asleep(): Promise<void> {
    while (this.#sleepers.size === 0) await turn();
  }

  #move(ms: number): void {
    this.#steady += ms;
    this.#day += ms;
  }
}
