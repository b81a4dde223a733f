// Adds the lines of ready steps that wait for a permit, so that the oldest gets it.

import type { Kysely } from "kysely";
import type { ColumnTypes } from "../column-types.ts";

export async function up({ schema }: Kysely<never>, types: ColumnTypes): Promise<void> {
  await schema
    .createTable("permit_lines")
    .addColumn("key", "text", (c) => c.notNull())
    .addColumn("run_id", "text", (c) => c.notNull())
    .addColumn("story_id", "text", (c) => c.notNull())
    .addColumn("step", "text", (c) => c.notNull())
    .addColumn("since", types.integer, (c) => c.notNull())
    .addColumn("seen", types.integer, (c) => c.notNull())
    .addPrimaryKeyConstraint("permit_lines_key", ["key", "run_id", "story_id", "step"])
    .execute();
}
