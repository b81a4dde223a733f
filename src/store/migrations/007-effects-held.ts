// An effect that is under way names the process that performs it, and one that failed says why.

import type { Kysely } from "kysely";

export async function up({ schema }: Kysely<never>): Promise<void> {
  await schema.alterTable("outbox").addColumn("holder", "text").execute();
  await schema.alterTable("outbox").addColumn("why", "text").execute();
}
