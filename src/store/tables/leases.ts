// Every query on leases, which say what worker performs an attempt and until when.

import type { Kysely } from "kysely";
import { type AttemptId, attemptId, runId } from "../../domain/ids.ts";
import type { Deadline } from "../../system/clock.ts";
import type { DeadlineColumns, LeaseRow, Tables } from "../schema.ts";
import { sqlText } from "../sql-text.ts";
import { statement } from "../statement.ts";
import type { Lease } from "../store.ts";
import { deadlineColumns, deadlineOf } from "./deadline-columns.ts";
import { scopeKey, storyOfKey } from "./scope-key.ts";

/** `endedBefore` null: all of them. */
export async function selectLeases(db: Kysely<Tables>, endedBefore: number | null): Promise<readonly Lease[]> {
  const rows = await untilTime.all(db, { time: endedBefore ?? Number.MAX_SAFE_INTEGER });
  return rows.map((row) => ({
    attempt: attemptId(row.attempt_id),
    run: runId(row.run_id),
    story: storyOfKey(row.story_id),
    worker: row.worker,
    until: deadlineOf(row),
  }));
}

export async function insertLease(db: Kysely<Tables>, lease: Lease): Promise<void> {
  await insert.run(db, {
    attempt_id: lease.attempt,
    run_id: lease.run,
    story_id: scopeKey(lease.story),
    worker: lease.worker,
    ...deadlineColumns(lease.until),
  });
}

export async function deleteLease(db: Kysely<Tables>, attempt: AttemptId): Promise<void> {
  await remove.run(db, { attempt });
}

export async function renewLease(
  db: Kysely<Tables>,
  attempt: AttemptId,
  worker: string,
  until: Deadline,
): Promise<boolean> {
  return (await renew.count(db, { attempt, worker, ...deadlineColumns(until) })) > 0;
}

export async function takeOverLease(
  db: Kysely<Tables>,
  seen: Lease,
  worker: string,
  until: Deadline,
): Promise<boolean> {
  const taken = { attempt: seen.attempt, from: seen.worker, seen: seen.until.at, worker, ...deadlineColumns(until) };
  return (await takeOver.count(db, taken)) > 0;
}

const untilTime = statement<{ time: number }, LeaseRow>(
  (_, p) => sqlText`select * from leases where until <= ${p("time")} order by until`,
);

const insert = statement<LeaseRow>((db, p) =>
  db.insertInto("leases").values({
    attempt_id: p("attempt_id"),
    run_id: p("run_id"),
    story_id: p("story_id"),
    worker: p("worker"),
    until: p("until"),
    boot: p("boot"),
    steady: p("steady"),
  }),
);

const remove = statement<{ attempt: string }>((db, p) =>
  db.deleteFrom("leases").where("attempt_id", "=", p("attempt")),
);

const renew = statement<{ attempt: string; worker: string } & DeadlineColumns>((db, p) =>
  db
    .updateTable("leases")
    .set({ until: p("until"), boot: p("boot"), steady: p("steady") })
    .where("attempt_id", "=", p("attempt"))
    .where("worker", "=", p("worker")),
);

/** Only if the lease has not changed since it was read, so that one of two workers gets it. */
const takeOver = statement<{ attempt: string; from: string; seen: number; worker: string } & DeadlineColumns>((db, p) =>
  db
    .updateTable("leases")
    .set({ worker: p("worker"), until: p("until"), boot: p("boot"), steady: p("steady") })
    .where("attempt_id", "=", p("attempt"))
    .where("worker", "=", p("from"))
    .where("until", "=", p("seen")),
);
