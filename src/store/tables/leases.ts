// Every query on leases, which say what worker performs an attempt and until when.

import type { Kysely } from "kysely";
import { type AttemptId, attemptId, runId } from "../../domain/ids.ts";
import type { LeaseRow, Tables } from "../schema.ts";
import { statement } from "../statement.ts";
import type { Lease } from "../store.ts";
import { scopeKey, storyOfKey } from "./scope-key.ts";

/** `endedBefore` null: all of them. */
export async function selectLeases(db: Kysely<Tables>, endedBefore: number | null): Promise<readonly Lease[]> {
  const rows = await untilTime.all(db, { time: endedBefore ?? Number.MAX_SAFE_INTEGER });
  return rows.map((row) => ({
    attempt: attemptId(row.attempt_id),
    run: runId(row.run_id),
    story: storyOfKey(row.story_id),
    worker: row.worker,
    until: row.until,
  }));
}

export async function insertLease(db: Kysely<Tables>, lease: Lease): Promise<void> {
  await insert.run(db, {
    attempt_id: lease.attempt,
    run_id: lease.run,
    story_id: scopeKey(lease.story),
    worker: lease.worker,
    until: lease.until,
  });
}

export async function deleteLease(db: Kysely<Tables>, attempt: AttemptId): Promise<void> {
  await remove.run(db, { attempt });
}

export async function renewLease(
  db: Kysely<Tables>,
  attempt: AttemptId,
  worker: string,
  until: number,
): Promise<boolean> {
  return (await renew.run(db, { attempt, worker, until })) > 0;
}

export async function takeOverLease(db: Kysely<Tables>, seen: Lease, worker: string, until: number): Promise<boolean> {
  const taken = { attempt: seen.attempt, from: seen.worker, until: seen.until, worker, next: until };
  return (await takeOver.run(db, taken)) > 0;
}

const untilTime = statement<{ time: number }, LeaseRow>((db, p) =>
  db.selectFrom("leases").selectAll().where("until", "<=", p("time")).orderBy("until"),
);

const insert = statement<LeaseRow>((db, p) =>
  db.insertInto("leases").values({
    attempt_id: p("attempt_id"),
    run_id: p("run_id"),
    story_id: p("story_id"),
    worker: p("worker"),
    until: p("until"),
  }),
);

const remove = statement<{ attempt: string }>((db, p) =>
  db.deleteFrom("leases").where("attempt_id", "=", p("attempt")),
);

const renew = statement<{ attempt: string; worker: string; until: number }>((db, p) =>
  db
    .updateTable("leases")
    .set({ until: p("until") })
    .where("attempt_id", "=", p("attempt"))
    .where("worker", "=", p("worker")),
);

/** Only if the lease has not changed since it was read, so that one of two workers gets it. */
const takeOver = statement<{ attempt: string; from: string; until: number; worker: string; next: number }>((db, p) =>
  db
    .updateTable("leases")
    .set({ worker: p("worker"), until: p("next") })
    .where("attempt_id", "=", p("attempt"))
    .where("worker", "=", p("from"))
    .where("until", "=", p("until")),
);
