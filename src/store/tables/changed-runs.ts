// Every query on the order in which runs changed. A change has a position among those of all runs, which grows with each commit and is
// never given again, also after its run was removed.

import { type Kysely, sql } from "kysely";
import type { RunId } from "../../domain/ids.ts";
import type { Tables } from "../schema.ts";
import { statement } from "../statement.ts";
import type { RunChange } from "../store.ts";
import { type SummaryRow, summaries, summaryOfRow } from "./runs.ts";

/** Inside a write transaction: until it ends no other commit gets a position, so positions become visible in their order. */
export async function nextPosition(db: Kysely<Tables>): Promise<number> {
  return (await countUp.one(db, { name: counter })).value;
}

/** The position of the last change of any run. */
export async function selectLastPosition(db: Kysely<Tables>): Promise<number> {
  const row = await db.selectFrom("counters").select("value").where("name", "=", counter).executeTakeFirst();
  return row?.value ?? 0;
}

/** The number of the last event of a run; 0: there is none. */
export async function selectLastSeq(db: Kysely<Tables>, run: RunId): Promise<number> {
  const row = await db.selectFrom("totals").select("events").where("run_id", "=", run).executeTakeFirst();
  return row?.events ?? 0;
}

/** Runs whose last change is behind `after`, in the order of these changes. */
export async function selectChangedRuns(
  db: Kysely<Tables>,
  after: number,
  limit: number,
): Promise<readonly RunChange[]> {
  const rows = await changed.all(db, { after, limit });
  return rows.map((row) => ({ position: row.position, seq: row.events, run: summaryOfRow(row) }));
}

const counter = "change";

const countUp = statement<{ name: string }, { value: number }>((db, p) =>
  db.updateTable("counters").set({ value: sql<number>`value + 1` }).where("name", "=", p("name")).returning("value"),
);

const changed = statement<{ after: number; limit: number }, SummaryRow & { position: number; events: number }>(
  (db, p) =>
    summaries(db)
      .select(["position", "events"])
      .where("position", ">", p("after"))
      .orderBy("position")
      .limit(p("limit")),
);
