// Every query on the order in which runs changed.

import type { Kysely } from "kysely";
import type { RunId } from "../../domain/ids.ts";
import type { Tables } from "../schema.ts";
import { statement } from "../statement.ts";
import type { RunChange } from "../store.ts";
import { type SummaryRow, summaries, summaryOfRow } from "./runs.ts";

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

const changed = statement<{ after: number; limit: number }, SummaryRow & { position: number; events: number }>(
  (db, p) =>
    summaries(db)
      .select(["position", "events"])
      .where("position", ">", p("after"))
      .orderBy("position")
      .limit(p("limit")),
);
