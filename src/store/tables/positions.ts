// Every query on positions. A change of a run has one among those of all runs, which grows with each commit and is never given again, also
// after its run was removed.

import { type Kysely, sql } from "kysely";
import type { Tables } from "../schema.ts";
import { statement } from "../statement.ts";

/**
 * Begins the next position, `currentPosition`. Inside a write transaction: until it ends no other commit gets one, so positions become
 * visible in their order.
 */
export async function beginPosition(db: Kysely<Tables>): Promise<void> {
  await countUp.run(db, { name: counter });
}

/** The position of the last change of any run. */
export async function selectLastPosition(db: Kysely<Tables>): Promise<number> {
  const row = await db.selectFrom("counters").select("value").where("name", "=", counter).executeTakeFirst();
  return row?.value ?? 0;
}

const counter = "change";

/** Within a statement. */
export const currentPosition = sql<number>`(select value from counters where name = ${sql.lit(counter)})`;

const countUp = statement<{ name: string }>((db, p) =>
  db.updateTable("counters").set({ value: sql<number>`value + 1` }).where("name", "=", p("name")),
);
