// Moves story entries from the run's header to rows of their own, with a count of their open dependencies.

import type { Kysely } from "kysely";
import type { ColumnTypes } from "../column-types.ts";
import { readDocument } from "../document.ts";

/** The tables as this migration leaves them. Current types may change; the stored data of that version does not. */
interface Tables {
  runs: { id: string; header: string };
  stories: { run_id: string; id: string; position: number; status: string; spec: string; entry: string };
}

interface Entry {
  readonly id: string;
  readonly status: string;
  readonly dependsOn: readonly string[];
}

export async function up(untyped: Kysely<never>, types: ColumnTypes): Promise<void> {
  const { schema } = untyped;
  await schema
    .alterTable("runs")
    .addColumn("planned", types.integer, (c) => c.notNull().defaultTo(0))
    .execute();
  await schema
    .alterTable("stories")
    .addColumn("entry", "text", (c) => c.notNull().defaultTo("{}"))
    .execute();
  await schema
    .alterTable("stories")
    .addColumn("changed", types.integer, (c) => c.notNull().defaultTo(0))
    .execute();
  await schema.alterTable("stories").dropColumn("title").execute();
  await schema.createIndex("stories_by_change").on("stories").columns(["run_id", "changed"]).execute();

  const db = untyped as unknown as Kysely<Tables>;
  for (const { id } of await db.selectFrom("runs").select("id").execute()) await moveEntries(db, id);
}

/** One run at a time, since a store may have many runs with large headers. */
async function moveEntries(db: Kysely<Tables>, run: string): Promise<void> {
  const row = await db.selectFrom("runs").select("header").where("id", "=", run).executeTakeFirstOrThrow();
  const { stories, ...header } = readDocument<{ readonly stories: readonly Entry[] }>(row.header, `run ${run}`, [
    "stories",
  ]);
  const done = new Set(stories.filter(({ status }) => status === "done").map(({ id }) => id));
  for (const entry of stories) {
    const openDependencies = entry.dependsOn.filter((id) => !done.has(id)).length;
    await db
      .updateTable("stories")
      .set({ entry: JSON.stringify({ ...entry, openDependencies }), status: entry.status })
      .where("run_id", "=", run)
      .where("id", "=", entry.id)
      .execute();
  }
  await db
    .updateTable("runs")
    .set({ header: JSON.stringify(header) })
    .where("id", "=", run)
    .execute();
}
