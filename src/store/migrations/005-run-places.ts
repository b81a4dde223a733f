// Gives runs the shared folder of their files and the file of their stories as columns, so that a run is found by them.

import type { Kysely } from "kysely";
import { readDocument } from "../document.ts";

/** The rows after it. Current types may change; the stored data of that version does not. */
interface Tables {
  runs: { id: string; header: string; shared: string | null; source: string | null };
}

/** `source` was once called `prd`. */
interface Place {
  readonly shared?: string;
  readonly source?: string;
  readonly prd?: string;
}

export async function up(untyped: Kysely<never>): Promise<void> {
  const { schema } = untyped;
  await schema.alterTable("runs").addColumn("shared", "text").execute();
  await schema.alterTable("runs").addColumn("source", "text").execute();
  await schema.createIndex("runs_by_shared").on("runs").column("shared").execute();
  await schema.createIndex("runs_by_source").on("runs").column("source").execute();

  const db = untyped as unknown as Kysely<Tables>;
  for (const { id } of await db.selectFrom("runs").select("id").execute()) await placeRun(db, id);
}

/** One run at a time, since a store may have many runs with large headers. */
async function placeRun(db: Kysely<Tables>, id: string): Promise<void> {
  const row = await db.selectFrom("runs").select("header").where("id", "=", id).executeTakeFirstOrThrow();
  const { place } = readDocument<{ readonly place: Place }>(row.header, `run ${id}`, ["place"]);
  const [shared, source] = [place.shared ?? null, place.source ?? place.prd ?? null];
  if (shared === null && source === null) return;
  await db.updateTable("runs").set({ shared, source }).where("id", "=", id).execute();
}
