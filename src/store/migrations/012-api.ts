// The HTTP API: hashes of its tokens, and the keys under which runs were started, so that a repeated request starts no second run.

import type { Kysely } from "kysely";
import type { ColumnTypes } from "../column-types.ts";

export async function up({ schema }: Kysely<never>, types: ColumnTypes): Promise<void> {
  await schema
    .createTable("tokens")
    .addColumn("name", "text", (c) => c.primaryKey())
    .addColumn("hash", "text", (c) => c.notNull().unique())
    .addColumn("role", "text", (c) => c.notNull())
    .addColumn("created_at", types.integer, (c) => c.notNull())
    .addColumn("expires_at", types.integer)
    .addColumn("used_at", types.integer)
    .execute();
  await schema
    .createTable("start_keys")
    .addColumn("author", "text", (c) => c.notNull())
    .addColumn("key", "text", (c) => c.notNull())
    .addColumn("request", "text", (c) => c.notNull())
    .addColumn("run_id", "text", (c) => c.notNull())
    .addColumn("created_at", types.integer, (c) => c.notNull())
    .addPrimaryKeyConstraint("start_keys_key", ["author", "key"])
    .execute();
  await schema.createIndex("start_keys_by_run").on("start_keys").column("run_id").execute();
}
