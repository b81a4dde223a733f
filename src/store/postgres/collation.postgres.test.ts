// How a store on a server compares texts.

import { CompiledQuery, type Kysely } from "kysely";
import { expect, test } from "vitest";
import { onPostgres, openEmptyStore } from "../../../test/support/postgres.ts";
import { chainOf } from "../../../test/support/sample-runs.ts";
import { Transitions } from "../../../test/support/transitions.ts";
import type { Tables } from "../schema.ts";

onPostgres();

/** How the server would look for a run with its totals if it never read a whole table by choice. */
async function planOfRun(db: Kysely<Tables>): Promise<string> {
  await db.executeQuery(CompiledQuery.raw("set enable_seqscan to off"));
  const words = "explain select * from runs inner join totals on totals.run_id = runs.id where id = 'a-run'";
  const { rows } = await db.executeQuery<Readonly<Record<string, string>>>(CompiledQuery.raw(words));
  return rows.flatMap((row) => Object.values(row)).join("\n");
}

test("[SO111] a run is found by the indexes of all tables, also in a store of an older Pawl, which compared some texts by a language", async () => {
  const { store, reopen, query } = await openEmptyStore();
  expect(await query(planOfRun)).not.toContain("Seq Scan");
  const run = await new Transitions(store).start(chainOf(1));
  await query(async (db) => {
    for (const words of [
      `alter table totals alter column run_id type text collate "default"`,
      "delete from migrations where name = 'collation'",
    ])
      await db.executeQuery(CompiledQuery.raw(words));
  });
  expect(await query(planOfRun)).toContain("Seq Scan");
  const again = await reopen();
  expect(await query(planOfRun)).not.toContain("Seq Scan");
  expect((await again.wholeRun(run))?.header.id).toBe(run);
});
