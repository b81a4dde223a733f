// Totals have the position of a run's last change among the changes of all runs, so that a reader can ask for what is new.

import { type Kysely, sql } from "kysely";
import type { ColumnTypes } from "../column-types.ts";

interface Old {
  counters: { name: string; value: number };
  runs: { id: string; number: number };
  totals: { run_id: string; position: number };
}

export async function up(db: Kysely<never>, types: ColumnTypes): Promise<void> {
  await db.schema
    .alterTable("totals")
    .addColumn("position", types.integer, (c) => c.notNull().defaultTo(0))
    .execute();
  const old = db as unknown as Kysely<Old>;
  // When older runs changed is not known; their order is.
  await old
    .updateTable("totals")
    .set({ position: sql<number>`(select number from runs where runs.id = totals.run_id)` })
    .execute();
  await old
    .insertInto("counters")
    .values({ name: "change", value: sql<number>`(select coalesce(max(position), 0) from totals)` })
    .execute();
  await db.schema.createIndex("totals_by_position").on("totals").column("position").execute();
}
