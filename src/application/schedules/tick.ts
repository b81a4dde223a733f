// Settles one tick of a schedule: a run, or the reason why there is none. Whichever it is, it is recorded once, in one transaction.

import { AppError, errorText } from "../../domain/error.ts";
import type { TickOutcome } from "../../domain/schedule.ts";
import type { Alongside } from "../../runtime/run-request.ts";
import type { ScheduledRun, Store, StoredSchedule, TickRecord, Transaction } from "../../store/store.ts";
import type { Application } from "../application.ts";
import { type Started, start } from "../starting/start.ts";
import { openScheduled } from "./scheduled-workflow.ts";

export interface DueTick {
  readonly tick: number;
  readonly missed: number;
  readonly isLate: boolean;
}

/** Something is known of the tick, or nothing should become of it any more. */
class TickSettled extends Error {}

/** The run that the schedule started last is not over. */
class RunNotOver extends Error {
  constructor(run: ScheduledRun) {
    super(busyWith(run));
  }
}

/** `now`: the time of day that the record gets. Rejects only where the store cannot be used. */
export async function settleTick(
  app: Application,
  schedule: StoredSchedule,
  { tick, missed, isLate }: DueTick,
  now: number,
): Promise<TickOutcome | null> {
  const { parts } = await app.read();
  const settle = async (outcome: TickOutcome, why: string) => {
    const record = recordOf(schedule, { tick, at: now, outcome, missed, why: parts.secrets.redact(why) });
    return (await settleWithoutRun(parts.store, record)) ? outcome : null;
  };
  if (isLate && schedule.spec.missed === "skip")
    return await settle("missed", "nothing looked at the clock at that time");
  if (isNotOver(schedule.run)) return await settle("skipped", busyWith(schedule.run));
  const alongside: Alongside = async (tx, run) => {
    const current = await find(tx, schedule.id);
    if (current === null || current.paused || current.settled >= tick) throw new TickSettled();
    if (isNotOver(current.run)) throw new RunNotOver(current.run);
    const record = recordOf(current, { tick, at: now, outcome: "started", run, missed });
    if (!(await tx.recordTick(record))) throw new TickSettled();
    await tx.putSchedule({ ...current, settled: tick, run: { ...run, status: "running" } });
  };
  try {
    await startScheduled(app, schedule, `schedule:${schedule.id}`, alongside);
    return "started";
  } catch (error) {
    if (error instanceof TickSettled) return await passOver(parts.store, schedule.id, tick);
    if (error instanceof RunNotOver) return await settle("skipped", error.message);
    return await settle("failed", reasonOf(error));
  }
}

/** A run that a person asks for. Ticks stay due as they were. */
export async function startNow(app: Application, schedule: StoredSchedule, now: number): Promise<Started> {
  const alongside: Alongside = async (tx, run) => {
    const current = await find(tx, schedule.id);
    if (current === null) throw new TickSettled();
    if (isNotOver(current.run)) throw new RunNotOver(current.run);
    const record = recordOf(current, { tick: now, at: now, outcome: "started", askedBy: app.author, run });
    if (!(await tx.recordTick(record))) throw new TickSettled();
    await tx.putSchedule({ ...current, run: { ...run, status: "running" } });
  };
  try {
    return await startScheduled(app, schedule, app.author, alongside);
  } catch (error) {
    if (error instanceof RunNotOver) {
      throw new AppError("REFUSED", `${schedule.id}: ${error.message}, and a schedule has one run at a time`, {
        hint: "wait for it, or end it with `pawl cancel`",
      });
    }
    if (!(error instanceof TickSettled)) throw error;
    throw new AppError("REFUSED", `the schedule ${schedule.id} was changed meanwhile`, {
      hint: "look with `pawl schedule list`, then try again",
    });
  }
}

/** By the use case of `pawl run`, with what the file says now. */
async function startScheduled(
  app: Application,
  { workflow, repo, executor }: StoredSchedule,
  author: string,
  alongside: Alongside,
): Promise<Started> {
  const opened = openScheduled(app, workflow);
  const { task, context } = opened.schedule;
  return await start(app, {
    workflow: opened,
    task,
    repo,
    context,
    author,
    alongside,
    ...(executor === null ? {} : { executor }),
  });
}

/** False: the tick is settled already. */
async function settleWithoutRun(store: Store, record: TickRecord): Promise<boolean> {
  return await store.transaction(async (tx) => {
    const current = await find(tx, record.schedule);
    if (current === null || current.paused || current.settled >= record.tick) return false;
    await tx.putSchedule({ ...current, settled: record.tick });
    return await tx.recordTick(record);
  });
}

/** After a clock was set back by days, ticks come again of which it is known what became. */
async function passOver(store: Store, id: string, tick: number): Promise<null> {
  await store.transaction(async (tx) => {
    const current = await find(tx, id);
    if (current !== null && current.settled < tick) await tx.putSchedule({ ...current, settled: tick });
  });
  return null;
}

export async function find(tx: Pick<Transaction, "schedules">, id: string): Promise<StoredSchedule | null> {
  return (await tx.schedules()).find((schedule) => schedule.id === id) ?? null;
}

export function isNotOver(run: ScheduledRun | null): run is ScheduledRun {
  return run !== null && ["running", "held", "paused"].includes(run.status);
}

export function busyWith({ number, status }: ScheduledRun): string {
  const state = { held: "it waits for an answer", paused: "it is paused" }[status as string] ?? "it runs";
  return `run #${number} is not over: ${state}`;
}

function recordOf(
  { id }: StoredSchedule,
  known: Pick<TickRecord, "tick" | "at" | "outcome"> & Partial<TickRecord>,
): TickRecord {
  return { schedule: id, askedBy: null, run: null, missed: 0, why: "", ...known };
}

function reasonOf(error: unknown): string {
  return error instanceof AppError ? `${error.message}; ${error.hint}` : errorText(error);
}
