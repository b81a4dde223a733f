// Adds schedules, and what became of each of their ticks.

import type { Kysely } from "kysely";
import type { ColumnTypes } from "../column-types.ts";

export async function up({ schema }: Kysely<never>, types: ColumnTypes): Promise<void> {
  await schema
    .createTable("schedules")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("workflow", "text", (c) => c.notNull())
    .addColumn("repo", "text", (c) => c.notNull())
    .addColumn("executor", "text")
    .addColumn("spec", "text", (c) => c.notNull())
    .addColumn("paused", types.integer, (c) => c.notNull())
    .addColumn("settled", types.integer, (c) => c.notNull())
    .addColumn("run_id", "text")
    .addColumn("added_at", types.integer, (c) => c.notNull())
    .execute();
  await schema
    .createTable("schedule_ticks")
    .addColumn("id", types.serial)
    .addColumn("schedule_id", "text", (c) => c.notNull())
    .addColumn("tick", types.integer, (c) => c.notNull())
    .addColumn("at", types.integer, (c) => c.notNull())
    .addColumn("outcome", "text", (c) => c.notNull())
    .addColumn("asked_by", "text")
    .addColumn("run_id", "text")
    .addColumn("run_number", types.integer)
    .addColumn("missed", types.integer, (c) => c.notNull())
    .addColumn("why", "text", (c) => c.notNull())
    .execute();
  await schema
    .createIndex("schedule_ticks_key")
    .on("schedule_ticks")
    .columns(["schedule_id", "tick"])
    .unique()
    .execute();
}
