// An offer names the part of its step, so that several parts of one step are ready at once. "" stands for the whole step, because a
// key column must not be null.

import { type Kysely, sql } from "kysely";
import type { ColumnTypes } from "../column-types.ts";

export async function up(db: Kysely<never>, types: ColumnTypes): Promise<void> {
  const { schema } = db;
  await schema.dropIndex("ready_by_agent").execute();
  await schema.dropIndex("ready_in_order").execute();
  await schema.alterTable("ready").renameTo("ready_of_steps").execute();
  await schema
    .createTable("ready")
    .addColumn("run_id", "text", (c) => c.notNull().references("runs.id"))
    .addColumn("story_id", "text", (c) => c.notNull())
    .addColumn("step", "text", (c) => c.notNull())
    .addColumn("part", "text", (c) => c.notNull())
    .addColumn("agent", "text", (c) => c.notNull())
    .addColumn("paused", types.integer, (c) => c.notNull())
    .addColumn("not_before", types.integer, (c) => c.notNull())
    .addColumn("run_number", types.integer, (c) => c.notNull())
    .addColumn("pause_ms", types.integer)
    .addPrimaryKeyConstraint("ready_parts_key", ["run_id", "story_id", "step", "part"])
    .execute();
  await sql`insert into ready (run_id, story_id, step, part, agent, paused, not_before, run_number, pause_ms)
    select run_id, story_id, step, '', agent, paused, not_before, run_number, pause_ms from ready_of_steps`.execute(db);
  await schema.dropTable("ready_of_steps").execute();
  await schema
    .createIndex("ready_by_agent")
    .on("ready")
    .columns(["agent", "paused", "run_number", "not_before"])
    .execute();
  await schema.createIndex("ready_in_order").on("ready").columns(["paused", "run_number", "not_before"]).execute();
}
