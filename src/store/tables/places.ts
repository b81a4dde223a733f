// Every query on places: the repositories and the shared folders that runs of this store have used.

import type { Kysely } from "kysely";
import type { Tables } from "../schema.ts";
import type { KnownPlaces } from "../store.ts";

/** Those of the newest runs first. */
export async function selectPlaces(db: Kysely<Tables>): Promise<KnownPlaces> {
  return { repos: await distinct(db, "repo"), shared: await distinct(db, "shared") };
}

async function distinct(db: Kysely<Tables>, column: "repo" | "shared"): Promise<readonly string[]> {
  const rows = await db
    .selectFrom("runs")
    .select([`${column} as place`, (e) => e.fn.max("number").as("newest")])
    .where(column, "is not", null)
    .groupBy(column)
    .orderBy("newest", "desc")
    .execute();
  return rows.flatMap(({ place }) => place ?? []);
}
