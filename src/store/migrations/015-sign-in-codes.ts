// Codes with which a browser signs in, once. Of a code only its hash is kept.

import type { Kysely } from "kysely";
import type { ColumnTypes } from "../column-types.ts";

export async function up({ schema }: Kysely<never>, types: ColumnTypes): Promise<void> {
  await schema
    .createTable("sign_in_codes")
    .addColumn("hash", "text", (c) => c.primaryKey())
    .addColumn("role", "text", (c) => c.notNull())
    .addColumn("expires_at", types.integer, (c) => c.notNull())
    .addColumn("used_at", types.integer)
    .execute();
}
