// Starts runs at the times of schedules, as long as the service runs. It drives none of them. A home without schedules loads nothing
// that reads workflows: most have none, and the service is there for weeks.

import { errorText } from "../../domain/error.ts";
import type { Log } from "../../runtime/parts.ts";
import { type Clock, systemClock } from "../../system/clock.ts";
import type { Application } from "../application.ts";
import type { DueSchedules } from "./due-schedules.ts";

export interface SchedulesOptions {
  /** Ends it, as `close` does. */
  readonly signal?: AbortSignal;
  readonly log?: Log;
  /** The machine's own time of day: a clock that is set right must count at once. */
  readonly clock?: Pick<Clock, "now" | "sleep">;
}

/** A timer stands still while the machine sleeps, so it is never a long one. */
const longestSleepMs = 30_000;
/** Each step of each run is a change of the store. */
const shortestSleepMs = 1_000;

/** Watches the schedules of the store until it is closed. `close` waits for the starts that are under way. */
export function startSchedules(app: Application, options: SchedulesOptions = {}): { close(): Promise<void> } {
  const service = new ScheduleService(app, options);
  const done = service.run();
  return {
    async close() {
      service.stop();
      await done;
    },
  };
}

class ScheduleService {
  readonly #app: Application;
  readonly #clock: Pick<Clock, "now" | "sleep">;
  readonly #log: Log;
  readonly #stop = new AbortController();
  #due: DueSchedules | null = null;
  #changed = new AbortController();

  constructor(app: Application, { signal, log = () => undefined, clock }: SchedulesOptions) {
    this.#app = app;
    this.#clock = clock ?? { now: Date.now, sleep: systemClock.sleep };
    this.#log = log;
    if (signal?.aborted) this.stop();
    signal?.addEventListener("abort", () => this.stop(), { once: true });
  }

  stop(): void {
    this.#stop.abort();
  }

  async run(): Promise<void> {
    let watch: { close(): void } | null = null;
    while (!this.#stop.signal.aborted) {
      this.#changed = new AbortController();
      let sleepMs = longestSleepMs;
      try {
        watch ??= await this.#app.onChange(() => this.#changed.abort());
        sleepMs = Math.min(sleepMs, await this.#look());
      } catch (error) {
        // A store that cannot be used now is tried again.
        this.#log("schedules.failed", { why: errorText(error) });
      }
      await this.#sleep(sleepMs);
    }
    watch?.close();
    await this.#due?.settled();
  }

  /** A change ends the sleep, but not at once. */
  async #sleep(ms: number): Promise<void> {
    const { signal } = this.#stop;
    const least = Math.min(shortestSleepMs, ms);
    await this.#clock.sleep(least, signal);
    await this.#clock.sleep(ms - least, AbortSignal.any([signal, this.#changed.signal]));
  }

  /** Starts what is due; returns how long nothing will be. */
  async #look(): Promise<number> {
    const { store, secrets } = (await this.#app.read()).parts;
    const schedules = await store.schedules();
    if (schedules.length === 0) return longestSleepMs;
    this.#due ??= await this.#loadDue();
    const waits: number[] = [];
    for (const schedule of schedules) {
      if (schedule.paused) continue;
      try {
        waits.push((await this.#due.look({ store, secrets }, schedule)) ?? longestSleepMs);
      } catch (error) {
        this.#log("schedule.failed", { schedule: schedule.id, why: errorText(error) });
      }
    }
    return Math.max(0, Math.min(longestSleepMs, ...waits));
  }

  async #loadDue(): Promise<DueSchedules> {
    const { DueSchedules } = await import("./due-schedules.ts");
    return new DueSchedules(
      this.#app,
      this.#log,
      () => this.#clock.now(),
      () => this.#changed.abort(),
    );
  }
}
