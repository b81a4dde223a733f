// The schedules whose time has come: reads each again from its file, and starts its run beside the others.

import { AppError, errorText } from "../../domain/error.ts";
import type { Schedule } from "../../domain/schedule.ts";
import type { Log, Parts } from "../../runtime/parts.ts";
import type { Store, StoredSchedule } from "../../store/store.ts";
import { tickTimes } from "../../workflows/schedule/tick-times.ts";
import type { Application } from "../application.ts";
import { dueOf } from "./due.ts";
import { ScheduleFiles } from "./scheduled-workflow.ts";
import { type DueTick, find, settleTick } from "./tick.ts";

/** Starts at the same time. The others are next. */
const mostStarts = 4;

export class DueSchedules {
  readonly #app: Application;
  readonly #log: Log;
  readonly #now: () => number;
  readonly #onSettled: () => void;
  readonly #files: ScheduleFiles;
  readonly #starting = new Map<string, Promise<void>>();

  /** `onSettled`: another one that waited for its turn may be started. */
  constructor(app: Application, log: Log, now: () => number, onSettled: () => void) {
    this.#app = app;
    this.#log = log;
    this.#now = now;
    this.#onSettled = onSettled;
    this.#files = new ScheduleFiles(app);
  }

  /** Starts it if it is due. Returns how long nothing of it will be; null: nobody knows. */
  async look(parts: Pick<Parts, "store" | "secrets">, schedule: StoredSchedule): Promise<number | null> {
    if (this.#starting.has(schedule.id)) return null;
    const now = this.#now();
    const current = await this.#refreshed(parts, schedule, now);
    const times = tickTimes(current.spec.cron, current.spec.zone);
    if ("wrong" in times) throw new Error(times.wrong);
    const due = dueOf(current.settled, times, now);
    if (due.kind === "wait") return due.until === null ? null : due.until - now;
    if (due.kind === "ahead") {
      this.#log("schedule.clock_was_ahead", { schedule: current.id, settled: current.settled, now });
      await change(parts.store, current.id, (found) => ({ ...found, settled: now }));
      return 0;
    }
    if (this.#starting.size < mostStarts) this.#start(current, due, now);
    return null;
  }

  /** Resolves when nothing is being started any more. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#starting.values());
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
        this.#onSettled();
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
