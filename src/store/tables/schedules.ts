// Every query on schedules and on what became of their ticks.

import type { Kysely } from "kysely";
import { runId } from "../../domain/ids.ts";
import type { RunStatus } from "../../domain/run.ts";
import type { Schedule, TickOutcome } from "../../domain/schedule.ts";
import { readDocument } from "../document.ts";
import type { ScheduleRow, ScheduleTickRow, Tables } from "../schema.ts";
import { sqlText } from "../sql-text.ts";
import { statement } from "../statement.ts";
import type { ScheduledRun, StoredSchedule, TickRecord } from "../store.ts";

/** Ticks of which nothing is kept any more are far older than any clock is wrong. */
const mostTicks = 1_000;

export async function selectSchedules(db: Kysely<Tables>): Promise<readonly StoredSchedule[]> {
  return (await all.all(db, {})).map(scheduleOf);
}

export async function upsertSchedule(db: Kysely<Tables>, schedule: StoredSchedule): Promise<void> {
  await upsert.run(db, {
    id: schedule.id,
    workflow: schedule.workflow,
    repo: schedule.repo,
    executor: schedule.executor,
    spec: JSON.stringify(schedule.spec),
    paused: schedule.paused ? 1 : 0,
    settled: schedule.settled,
    run_id: schedule.run?.id ?? null,
    added_at: schedule.addedAt,
  });
}

export async function deleteSchedule(db: Kysely<Tables>, id: string): Promise<void> {
  await removeTicks.run(db, { id });
  await remove.run(db, { id });
}

/** False if something is recorded of this tick already. */
export async function insertTick(db: Kysely<Tables>, { schedule, run, ...record }: TickRecord): Promise<boolean> {
  const { tick, at, outcome, askedBy, missed, why } = record;
  const row = { schedule_id: schedule, tick, at, outcome, asked_by: askedBy, missed, why };
  const isNew = (await insert.count(db, { ...row, run_id: run?.id ?? null, run_number: run?.number ?? null })) > 0;
  if (isNew) await prune.run(db, { id: schedule, most: mostTicks });
  return isNew;
}

export async function selectTicks(db: Kysely<Tables>, id: string, limit: number): Promise<readonly TickRecord[]> {
  return (await newest.all(db, { id, limit })).map(recordOf);
}

/** The status and the number are null where the run was removed. */
type FoundRow = ScheduleRow & { readonly status: string | null; readonly number: number | null };

function scheduleOf(row: FoundRow): StoredSchedule {
  return {
    id: row.id,
    workflow: row.workflow,
    repo: row.repo,
    executor: row.executor,
    spec: readDocument<Schedule>(row.spec, `schedule ${row.id}`, ["cron", "zone", "task"]),
    paused: row.paused === 1,
    settled: row.settled,
    run: runOf(row),
    addedAt: row.added_at,
  };
}

function runOf({ run_id, number, status }: FoundRow): ScheduledRun | null {
  if (run_id === null || number === null || status === null) return null;
  return { id: runId(run_id), number, status: status as RunStatus };
}

function recordOf(row: Omit<ScheduleTickRow, "id">): TickRecord {
  return {
    schedule: row.schedule_id,
    tick: row.tick,
    at: row.at,
    outcome: row.outcome as TickOutcome,
    askedBy: row.asked_by,
    run: row.run_id === null || row.run_number === null ? null : { id: runId(row.run_id), number: row.run_number },
    missed: row.missed,
    why: row.why,
  };
}

const all = statement<Record<string, never>, FoundRow>(
  () =>
    sqlText`select schedules.*, runs.status, runs.number from schedules left join runs on runs.id = schedules.run_id order by schedules.id`,
);

const upsert = statement<ScheduleRow>((db, p) => {
  const row = {
    workflow: p("workflow"),
    repo: p("repo"),
    executor: p("executor"),
    spec: p("spec"),
    paused: p("paused"),
    settled: p("settled"),
    run_id: p("run_id"),
    added_at: p("added_at"),
  };
  return db
    .insertInto("schedules")
    .values({ id: p("id"), ...row })
    .onConflict((conflict) => conflict.column("id").doUpdateSet(row));
});

const remove = statement<{ id: string }>((db, p) => db.deleteFrom("schedules").where("id", "=", p("id")));

const removeTicks = statement<{ id: string }>((db, p) =>
  db.deleteFrom("schedule_ticks").where("schedule_id", "=", p("id")),
);

const insert = statement<Omit<ScheduleTickRow, "id">>((db, p) =>
  db
    .insertInto("schedule_ticks")
    .values({
      schedule_id: p("schedule_id"),
      tick: p("tick"),
      at: p("at"),
      outcome: p("outcome"),
      asked_by: p("asked_by"),
      run_id: p("run_id"),
      run_number: p("run_number"),
      missed: p("missed"),
      why: p("why"),
    })
    .onConflict((conflict) => conflict.columns(["schedule_id", "tick"]).doNothing()),
);

const newest = statement<{ id: string; limit: number }, ScheduleTickRow>((db, p) =>
  db
    .selectFrom("schedule_ticks")
    .selectAll()
    .where("schedule_id", "=", p("id"))
    .orderBy("id", "desc")
    .limit(p("limit")),
);

/** By the order in which they were recorded: a clock that was wrong makes a time say nothing. */
const prune = statement<{ id: string; most: number }>((db, p) =>
  db
    .deleteFrom("schedule_ticks")
    .where("schedule_id", "=", p("id"))
    .where(
      "id",
      "<=",
      db
        .selectFrom("schedule_ticks")
        .select("id")
        .where("schedule_id", "=", p("id"))
        .orderBy("id", "desc")
        .limit(1)
        .offset(p("most")),
    ),
);
