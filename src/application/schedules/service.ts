// Starts runs at the times of schedules, as long as the service runs. It drives none of them.

import { AppError, errorText } from "../../domain/error.ts";
import type { Schedule } from "../../domain/schedule.ts";
import type { Log, Parts } from "../../runtime/parts.ts";
import type { Store, StoredSchedule } from "../../store/store.ts";
import { type Clock, systemClock } from "../../system/clock.ts";
import { tickTimes } from "../../workflows/schedule/tick-times.ts";
import type { Application } from "../application.ts";
import { dueOf } from "./due.ts";
import { ScheduleFiles } from "./scheduled-workflow.ts";
import { type DueTick, find, settleTick } from "./tick.ts";

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
/** Starts at the same time. The others are next. */
const mostStarts = 4;

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
  readonly #files: ScheduleFiles;
  readonly #stop = new AbortController();
  readonly #starting = new Map<string, Promise<void>>();
  #changed = new AbortController();

  constructor(app: Application, { signal, log = () => undefined, clock }: SchedulesOptions) {
    this.#app = app;
    this.#clock = clock ?? { now: Date.now, sleep: systemClock.sleep };
    this.#log = log;
    this.#files = new ScheduleFiles(app);
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
    await Promise.allSettled(this.#starting.values());
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
    const waits: number[] = [];
    for (const schedule of await store.schedules()) {
      if (schedule.paused || this.#starting.has(schedule.id)) continue;
      try {
        waits.push(await this.#lookAt({ store, secrets }, schedule));
      } catch (error) {
        this.#log("schedule.failed", { schedule: schedule.id, why: errorText(error) });
      }
    }
    return Math.max(0, Math.min(longestSleepMs, ...waits));
  }

  /** Returns how long nothing of this schedule will be due. */
  async #lookAt(parts: Pick<Parts, "store" | "secrets">, schedule: StoredSchedule): Promise<number> {
    const now = this.#clock.now();
    const current = await this.#refreshed(parts, schedule, now);
    const times = tickTimes(current.spec.cron, current.spec.zone);
    if ("wrong" in times) throw new Error(times.wrong);
    const due = dueOf(current.settled, times, now);
    if (due.kind === "wait") return due.until === null ? longestSleepMs : due.until - now;
    if (due.kind === "ahead") {
      this.#log("schedule.clock_was_ahead", { schedule: current.id, settled: current.settled, now });
      await change(parts.store, current.id, (found) => ({ ...found, settled: now }));
      return 0;
    }
    if (this.#starting.size < mostStarts) this.#start(current, due, now);
    return longestSleepMs;
  }

  /** The schedule as its file says it now. Where that cannot be read, as it was: its next tick will say why it failed. */
  async #refreshed(
    { store, secrets }: Pick<Parts, "store" | "secrets">,
    schedule: StoredSchedule,
    now: number,
  ): Promise<StoredSchedule> {
    const read = this.#specOf(schedule);
    const spec = read === null ? null : secrets.redactAll(read);
    if (spec === null || JSON.stringify(spec) === JSON.stringify(schedule.spec)) return schedule;
    // Times that were not those of the schedule before were not missed.
    const isMoved = spec.cron !== schedule.spec.cron || spec.zone !== schedule.spec.zone;
    const settled = isMoved ? Math.max(schedule.settled, now) : schedule.settled;
    return (await change(store, schedule.id, (found) => ({ ...found, spec, settled }))) ?? schedule;
  }

  #specOf({ workflow }: StoredSchedule): Schedule | null {
    try {
      return this.#files.read(workflow);
    } catch (error) {
      if (error instanceof AppError) return null;
      throw error;
    }
  }

  /** Beside the others: a repository that hangs holds up no other schedule. */
  #start(schedule: StoredSchedule, due: DueTick, now: number): void {
    const { id } = schedule;
    const starting = settleTick(this.#app, schedule, due, now)
      .then((outcome) => {
        if (outcome !== null) this.#log("schedule.tick", { schedule: id, tick: due.tick, outcome });
        // Another one may have waited for its turn.
        this.#changed.abort();
      })
      // The tick is still due; without a wake, it is tried again at the next look.
      .catch((error: unknown) => this.#log("schedule.failed", { schedule: id, why: errorText(error) }))
      .finally(() => this.#starting.delete(id));
    this.#starting.set(id, starting);
  }
}

/** Null: it is no longer there. */
async function change(
  store: Store,
  id: string,
  changed: (found: StoredSchedule) => StoredSchedule,
): Promise<StoredSchedule | null> {
  return await store.transaction(async (tx) => {
    const found = await find(tx, id);
    if (found === null) return null;
    const next = changed(found);
    await tx.putSchedule(next);
    return next;
  });
}
