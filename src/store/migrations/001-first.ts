// The first schema.

import type { Kysely } from "kysely";
import type { ColumnTypes } from "../column-types.ts";

export async function up(db: Kysely<never>, types: ColumnTypes): Promise<void> {
  const { schema } = db;
  await schema
    .createTable("definitions")
    .addColumn("hash", "text", (c) => c.primaryKey())
    .addColumn("body", "text", (c) => c.notNull())
    .execute();

  await schema
    .createTable("counters")
    .addColumn("name", "text", (c) => c.primaryKey())
    .addColumn("value", types.integer, (c) => c.notNull())
    .execute();

  await schema
    .createTable("runs")
    .addColumn("id", types.id, (c) => c.primaryKey())
    .addColumn("number", types.integer, (c) => c.notNull().unique())
    .addColumn("workflow", "text", (c) => c.notNull())
    .addColumn("task", "text", (c) => c.notNull())
    .addColumn("status", "text", (c) => c.notNull())
    .addColumn("repo", "text")
    .addColumn("started_at", types.integer, (c) => c.notNull())
    .addColumn("ended_at", types.integer)
    .addColumn("definition", "text", (c) => c.notNull().references("definitions.hash"))
    .addColumn("version", types.integer, (c) => c.notNull())
    .addColumn("header", "text", (c) => c.notNull())
    .execute();
  await schema
    .createTable("totals")
    .addColumn("run_id", "text", (c) => c.primaryKey().references("runs.id"))
    .addColumn("events", types.integer, (c) => c.notNull())
    .addColumn("attempts", types.integer, (c) => c.notNull())
    .addColumn("steps", types.integer, (c) => c.notNull())
    .addColumn("cost_usd", types.real, (c) => c.notNull())
    .addColumn("input_tokens", types.integer, (c) => c.notNull())
    .addColumn("output_tokens", types.integer, (c) => c.notNull())
    .execute();
  await schema.createIndex("runs_by_status").on("runs").columns(["status", "number"]).execute();

  await schema
    .createTable("stories")
    .addColumn("run_id", "text", (c) => c.notNull().references("runs.id"))
    .addColumn("id", "text", (c) => c.notNull())
    .addColumn("position", types.integer, (c) => c.notNull())
    .addColumn("title", "text", (c) => c.notNull())
    .addColumn("status", "text", (c) => c.notNull())
    .addColumn("spec", "text", (c) => c.notNull())
    .addColumn("version", types.integer, (c) => c.notNull())
    .addColumn("scope", "text")
    .addPrimaryKeyConstraint("stories_key", ["run_id", "id"])
    .execute();

  await schema
    .createTable("attempts")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("run_id", "text", (c) => c.notNull().references("runs.id"))
    .addColumn("story_id", "text", (c) => c.notNull())
    .addColumn("position", types.integer, (c) => c.notNull())
    .addColumn("step", "text", (c) => c.notNull())
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("visit", types.integer, (c) => c.notNull())
    .addColumn("number", types.integer, (c) => c.notNull())
    .addColumn("token", "text", (c) => c.notNull())
    .addColumn("driver", "text", (c) => c.notNull())
    .addColumn("executor", "text", (c) => c.notNull())
    .addColumn("host", "text", (c) => c.notNull())
    .addColumn("started_at", types.integer, (c) => c.notNull())
    .addColumn("phase", "text", (c) => c.notNull())
    .addColumn("outcome", "text")
    .addColumn("ended_at", types.integer)
    .addColumn("workspace", "text")
    .addColumn("base", "text")
    .addColumn("session", "text")
    .addColumn("cost_usd", types.real, (c) => c.notNull().defaultTo(0))
    .addColumn("input_tokens", types.integer, (c) => c.notNull().defaultTo(0))
    .addColumn("output_tokens", types.integer, (c) => c.notNull().defaultTo(0))
    .addColumn("state", "text", (c) => c.notNull())
    .execute();
  await schema
    .createIndex("attempts_by_scope")
    .unique()
    .on("attempts")
    .columns(["run_id", "story_id", "position"])
    .execute();

  await schema
    .createTable("gates")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("run_id", "text", (c) => c.notNull().references("runs.id"))
    .addColumn("story_id", "text", (c) => c.notNull())
    .addColumn("step", "text", (c) => c.notNull())
    .addColumn("status", "text", (c) => c.notNull())
    .addColumn("opened_at", types.integer, (c) => c.notNull())
    .addColumn("body", "text", (c) => c.notNull())
    .execute();
  await schema.createIndex("gates_by_status").on("gates").columns(["status", "opened_at"]).execute();
  await schema.createIndex("gates_by_run").on("gates").columns(["run_id"]).execute();

  await schema
    .createTable("events")
    .addColumn("run_id", "text", (c) => c.notNull().references("runs.id"))
    .addColumn("seq", types.integer, (c) => c.notNull())
    .addColumn("at", types.integer, (c) => c.notNull())
    .addColumn("author", "text", (c) => c.notNull())
    .addColumn("type", "text", (c) => c.notNull())
    .addColumn("story_id", "text", (c) => c.notNull())
    .addColumn("schema_version", types.integer, (c) => c.notNull())
    .addColumn("body", "text", (c) => c.notNull())
    .addPrimaryKeyConstraint("events_key", ["run_id", "seq"])
    .execute();

  await schema
    .createTable("outbox")
    .addColumn("id", types.serial)
    .addColumn("lane", "text", (c) => c.notNull())
    .addColumn("run_id", "text", (c) => c.notNull().references("runs.id"))
    .addColumn("effect", "text", (c) => c.notNull())
    .addColumn("created_at", types.integer, (c) => c.notNull())
    .addColumn("not_before", types.integer, (c) => c.notNull())
    .addColumn("tries", types.integer, (c) => c.notNull().defaultTo(0))
    .execute();
  await schema.createIndex("outbox_by_lane").on("outbox").columns(["lane", "id"]).execute();

  await schema
    .createTable("permit_keys")
    .addColumn("key", "text", (c) => c.primaryKey())
    .execute();
  await schema
    .createTable("permits")
    .addColumn("key", "text", (c) => c.notNull())
    .addColumn("attempt_id", "text", (c) => c.notNull())
    .addPrimaryKeyConstraint("permits_key", ["key", "attempt_id"])
    .execute();
  await schema.createIndex("permits_by_attempt").on("permits").columns(["attempt_id"]).execute();

  await schema
    .createTable("ready")
    .addColumn("run_id", "text", (c) => c.notNull().references("runs.id"))
    .addColumn("story_id", "text", (c) => c.notNull())
    .addColumn("step", "text", (c) => c.notNull())
    .addColumn("agent", "text", (c) => c.notNull())
    .addColumn("paused", types.integer, (c) => c.notNull())
    .addColumn("not_before", types.integer, (c) => c.notNull())
    .addColumn("run_number", types.integer, (c) => c.notNull())
    .addPrimaryKeyConstraint("ready_key", ["run_id", "story_id", "step"])
    .execute();
  await schema
    .createIndex("ready_by_agent")
    .on("ready")
    .columns(["agent", "paused", "run_number", "not_before"])
    .execute();
  await schema.createIndex("ready_in_order").on("ready").columns(["paused", "run_number", "not_before"]).execute();

  await schema
    .createTable("leases")
    .addColumn("attempt_id", "text", (c) => c.primaryKey())
    .addColumn("run_id", "text", (c) => c.notNull().references("runs.id"))
    .addColumn("story_id", "text", (c) => c.notNull())
    .addColumn("worker", "text", (c) => c.notNull())
    .addColumn("until", types.integer, (c) => c.notNull())
    .execute();
  await schema.createIndex("leases_by_time").on("leases").columns(["until"]).execute();
}
