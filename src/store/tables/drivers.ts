// Every query on drivers: the one process that moves a run, and until when it does so without renewing.

import type { Kysely } from "kysely";
import { type RunId, runId } from "../../domain/ids.ts";
import type { DriverRow, Tables } from "../schema.ts";
import { sqlText } from "../sql-text.ts";
import { statement } from "../statement.ts";
import type { DriverLease } from "../store.ts";
import { deadlineColumns, deadlineOf } from "./deadline-columns.ts";

export async function selectDrivers(db: Kysely<Tables>): Promise<readonly DriverLease[]> {
  return (await all.all(db, {})).map(leaseOf);
}

export async function selectDriver(db: Kysely<Tables>, run: RunId): Promise<DriverLease | null> {
  const [row] = await one.all(db, { run });
  return row === undefined ? null : leaseOf(row);
}

export async function setDriver(db: Kysely<Tables>, { run, worker, until }: DriverLease): Promise<void> {
  await set.run(db, { run_id: run, worker, ...deadlineColumns(until) });
}

export async function deleteDriver(db: Kysely<Tables>, run: RunId, worker: string): Promise<void> {
  await remove.run(db, { run, worker });
}

function leaseOf(row: DriverRow): DriverLease {
  return { run: runId(row.run_id), worker: row.worker, until: deadlineOf(row) };
}

const all = statement<Record<string, never>, DriverRow>(() => sqlText`select * from drivers`);

const one = statement<{ run: string }, DriverRow>((db, p) =>
  db.selectFrom("drivers").selectAll().where("run_id", "=", p("run")),
);

const set = statement<DriverRow>((db, p) => {
  const row = { worker: p("worker"), until: p("until"), boot: p("boot"), steady: p("steady") };
  return db
    .insertInto("drivers")
    .values({ run_id: p("run_id"), ...row })
    .onConflict((conflict) => conflict.column("run_id").doUpdateSet(row));
});

const remove = statement<{ run: string; worker: string }>((db, p) =>
  db.deleteFrom("drivers").where("run_id", "=", p("run")).where("worker", "=", p("worker")),
);
