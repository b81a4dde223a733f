// Schedules. Owns: the use cases of schedules: list, add, remove, pause, resume, run now. `service.ts` starts runs at their times.

import { existsSync } from "node:fs";
import type { ScheduleDocument, ScheduleList, TickDocument } from "../../contracts/schedule-documents.ts";
import { AppError } from "../../domain/error.ts";
import type { Schedule } from "../../domain/schedule.ts";
import type { Store, StoredSchedule, TickRecord } from "../../store/store.ts";
import { nearest } from "../../workflows/document/problem.ts";
import { tickTimes } from "../../workflows/schedule/tick-times.ts";
import { inspectRepository } from "../../workspaces/git/repository.ts";
import type { Application } from "../application.ts";
import { assertExecutors, executorOf, type Started } from "../starting/start.ts";
import { mostAheadMs } from "./due.ts";
import { openScheduled } from "./scheduled-workflow.ts";
import { busyWith, find, isNotOver, startNow } from "./tick.ts";

/** `now`: the time of day, by the machine's own clock. */
export async function schedules(app: Application, now = Date.now()): Promise<ScheduleList> {
  const { parts } = await app.read();
  const found = await parts.store.schedules();
  return { schedules: await Promise.all(found.map((each) => documentOf(app, parts.store, each, now))) };
}

export interface ScheduleRequest {
  /** The id of an installed or bundled workflow. */
  readonly workflow: string;
  readonly repo: string;
  /** For every agent; absent: as configured. */
  readonly executor?: string | undefined;
}

/** From now on the service starts the workflow in this repository. Nothing is recorded before a run could start. */
export async function addSchedule(
  app: Application,
  { workflow, repo, executor }: ScheduleRequest,
  now = Date.now(),
): Promise<ScheduleDocument> {
  const opened = openScheduled(app, workflow);
  const { root } = await inspectRepository(app.path(repo));
  const named = executorOf(app, { executor });
  const added = await app.change(root, async ({ parts }) => {
    await assertExecutors(parts.executors, opened, named);
    const spec = parts.secrets.redactAll(opened.schedule);
    return await parts.store.transaction(async (tx) => {
      const known = await tx.schedules();
      const same = known.find((each) => each.workflow === workflow && each.repo === root);
      if (same !== undefined) {
        throw new AppError("REFUSED", `${workflow} is scheduled in ${root} already, as ${same.id}`, {
          hint: `\`pawl schedule remove ${same.id}\` removes it; a file that is installed again counts by itself`,
        });
      }
      const id = freeId(workflow, known);
      const schedule = { id, workflow, repo: root, executor: named, spec, paused: false, run: null };
      const stored = { ...schedule, settled: now, addedAt: now };
      await tx.putSchedule(stored);
      return stored;
    });
  });
  return await documentFor(app, added, now);
}

function freeId(workflow: string, known: readonly StoredSchedule[]): string {
  const taken = new Set(known.map(({ id }) => id));
  for (let number = 1; ; number += 1) {
    const id = number === 1 ? workflow : `${workflow}-${number}`;
    if (!taken.has(id)) return id;
  }
}

/** Runs that it started continue. */
export async function removeSchedule(app: Application, id: string): Promise<{ readonly id: string }> {
  return await changeOne(app, id, async (tx, found) => {
    await tx.removeSchedule(found.id);
    return { id: found.id };
  });
}

/** Its ticks pass without a run, and are not missed. */
export async function pauseSchedule(app: Application, id: string, now = Date.now()): Promise<ScheduleDocument> {
  return await setPaused(app, id, true, now);
}

/** From the next tick on. */
export async function resumeSchedule(app: Application, id: string, now = Date.now()): Promise<ScheduleDocument> {
  return await setPaused(app, id, false, now);
}

async function setPaused(app: Application, id: string, paused: boolean, now: number): Promise<ScheduleDocument> {
  const changed = await changeOne(app, id, async (tx, found) => {
    if (found.paused === paused) return found;
    const settled = paused ? found.settled : Math.max(found.settled, now);
    const next = { ...found, paused, settled };
    await tx.putSchedule(next);
    return next;
  });
  return await documentFor(app, changed, now);
}

/** Records a run now, whether a tick is due or not, unless the last one is not over. */
export async function runSchedule(app: Application, id: string, now = Date.now()): Promise<Started> {
  const { parts } = await app.read();
  return await startNow(app, await findSchedule(parts.store, id), now);
}

async function changeOne<T>(
  app: Application,
  id: string,
  work: (tx: Parameters<Parameters<Store["transaction"]>[0]>[0], found: StoredSchedule) => Promise<T>,
): Promise<T> {
  return await app.change(null, async ({ parts }) => {
    await findSchedule(parts.store, id);
    return await parts.store.transaction(async (tx) => {
      const found = await find(tx, id);
      if (found === null) throw unknownSchedule(id, []);
      return await work(tx, found);
    });
  });
}

async function findSchedule(store: Store, id: string): Promise<StoredSchedule> {
  const known = await store.schedules();
  const found = known.find((each) => each.id === id);
  if (found !== undefined) return found;
  throw unknownSchedule(
    id,
    known.map((each) => each.id),
  );
}

function unknownSchedule(id: string, known: readonly string[]): AppError {
  const near = nearest(id, known);
  return new AppError("NOT_FOUND", `there is no schedule "${id}"`, {
    hint: near ? `did you mean ${near}?` : "`pawl schedule list` lists them; `pawl schedule add WORKFLOW` adds one",
  });
}

async function documentFor(app: Application, schedule: StoredSchedule, now: number): Promise<ScheduleDocument> {
  return await documentOf(app, (await app.read()).parts.store, schedule, now);
}

async function documentOf(
  app: Application,
  store: Store,
  schedule: StoredSchedule,
  now: number,
): Promise<ScheduleDocument> {
  const { id, workflow, repo, executor, paused, run, addedAt } = schedule;
  const [last] = await store.ticks(id, 1);
  const { spec, problem } = currentSpec(app, schedule);
  return {
    id,
    workflow,
    repo,
    executor,
    state: paused ? "paused" : problem !== null ? "broken" : isNotOver(run) ? "running" : "waiting",
    why: problem ?? (isNotOver(run) ? busyWith(run) : ""),
    cron: spec.cron,
    zone: spec.zone,
    task: spec.task,
    missed: spec.missed,
    next: paused ? null : nextOf(schedule, spec, now),
    run,
    last: last === undefined ? null : tickDocument(last),
    addedAt: timeOf(addedAt),
  };
}

/** What the file says now; where it cannot be read, what it said last, and why. */
function currentSpec(app: Application, { workflow, repo, spec }: StoredSchedule): CurrentSpec {
  try {
    const { schedule } = openScheduled(app, workflow);
    return { spec: schedule, problem: existsSync(repo) ? null : `${repo} is not there` };
  } catch (error) {
    if (error instanceof AppError) return { spec, problem: error.message };
    throw error;
  }
}

interface CurrentSpec {
  readonly spec: Schedule;
  readonly problem: string | null;
}

function nextOf({ settled }: StoredSchedule, { cron, zone }: Schedule, now: number): string | null {
  const times = tickTimes(cron, zone);
  if ("wrong" in times) return null;
  const next = times.next(settled > now + mostAheadMs ? now : Math.max(settled, now));
  return next === null ? null : timeOf(next);
}

function tickDocument({ tick, outcome, askedBy, run, missed, why }: TickRecord): TickDocument {
  return { tick: timeOf(tick), outcome, askedBy, run, missed, why };
}

function timeOf(at: number): string {
  return new Date(at).toISOString();
}
