// Adds the driver of each run, and the steady time of leases, which no change of the time of day moves.

import type { Kysely } from "kysely";
import type { ColumnTypes } from "../column-types.ts";

/** Leases that are there have the time of day alone: it counts for them. */
export async function up({ schema }: Kysely<never>, types: ColumnTypes): Promise<void> {
  await schema.alterTable("leases").addColumn("boot", "text").execute();
  await schema.alterTable("leases").addColumn("steady", types.integer).execute();
  await schema
    .createTable("drivers")
    .addColumn("run_id", "text", (c) => c.primaryKey())
    .addColumn("worker", "text", (c) => c.notNull())
    .addColumn("until", types.integer, (c) => c.notNull())
    .addColumn("boot", "text")
    .addColumn("steady", types.integer)
    .execute();
}
