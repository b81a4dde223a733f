// Totals count the attempts whose agents have not said what they used, so that a list of runs need not read attempts.

import { type Kysely, sql } from "kysely";
import type { ColumnTypes } from "../column-types.ts";

interface Old {
  attempts: { run_id: string; body: string };
  totals: { run_id: string; unreported: number };
}

export async function up(db: Kysely<never>, types: ColumnTypes): Promise<void> {
  await db.schema
    .alterTable("totals")
    .addColumn("unreported", types.integer, (c) => c.notNull().defaultTo(0))
    .execute();
  const old = db as unknown as Kysely<Old>;
  const counts = new Map<string, number>();
  for (const { run_id, body } of await old.selectFrom("attempts").select(["run_id", "body"]).execute())
    if (isUnreported(JSON.parse(body) as Body)) counts.set(run_id, (counts.get(run_id) ?? 0) + 1);
  for (const [run, unreported] of counts)
    await old
      .updateTable("totals")
      .set({ unreported: sql`${unreported}` })
      .where("run_id", "=", run)
      .execute();
}

interface Body {
  readonly executor: string;
  readonly usage?: Readonly<Record<string, number>>;
}

/** As the engine counted when this was written. */
function isUnreported({ executor, usage = {} }: Body): boolean {
  const isPawls = executor === "shell" || executor === "integrate";
  return !isPawls && Object.values(usage).every((value) => value === 0);
}
