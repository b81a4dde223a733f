// An offer says how long its step was to wait, so that a clock that is put back does not prolong that.

import type { Kysely } from "kysely";
import type { ColumnTypes } from "../column-types.ts";

export async function up({ schema }: Kysely<never>, types: ColumnTypes): Promise<void> {
  await schema.alterTable("ready").addColumn("pause_ms", types.integer).execute();
}
