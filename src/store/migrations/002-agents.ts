// Adds the model and version of agents, tokens read from a cache, and holds on accounts that hit their quota.

import type { Kysely } from "kysely";
import type { ColumnTypes } from "../column-types.ts";

export async function up(db: Kysely<never>, types: ColumnTypes): Promise<void> {
  const { schema } = db;
  for (const table of ["totals", "attempts"]) {
    await schema
      .alterTable(table)
      .addColumn("cache_read_tokens", types.integer, (c) => c.notNull().defaultTo(0))
      .execute();
    await schema
      .alterTable(table)
      .addColumn("estimated_usd", types.real, (c) => c.notNull().defaultTo(0))
      .execute();
  }
  await schema.alterTable("attempts").addColumn("model", "text").execute();
  await schema.alterTable("attempts").addColumn("agent_version", "text").execute();

  await schema
    .createTable("holds")
    .addColumn("account", types.id, (c) => c.primaryKey())
    .addColumn("cause", "text", (c) => c.notNull())
    .addColumn("since", types.integer, (c) => c.notNull())
    .addColumn("until", types.integer, (c) => c.notNull())
    .addColumn("times", types.integer, (c) => c.notNull())
    .addColumn("why", "text", (c) => c.notNull())
    .execute();
}
