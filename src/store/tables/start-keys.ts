// Every query on the keys under which callers started runs.

import type { Kysely } from "kysely";
import { runId } from "../../domain/ids.ts";
import type { Tables } from "../schema.ts";
import type { StartKey } from "../store.ts";

/** What is kept under the key: the given entry, or the earlier one. */
export async function keepStartKey(db: Kysely<Tables>, given: StartKey): Promise<StartKey> {
  const { author, key, request, run, createdAt } = given;
  await db
    .insertInto("start_keys")
    .values({ author, key, request, run_id: run, created_at: createdAt })
    .onConflict((conflict) => conflict.columns(["author", "key"]).doNothing())
    .execute();
  const row = await db
    .selectFrom("start_keys")
    .selectAll()
    .where("author", "=", author)
    .where("key", "=", key)
    .executeTakeFirstOrThrow();
  return { author, key, request: row.request, run: runId(row.run_id), createdAt: row.created_at };
}

export async function deleteStartKey(db: Kysely<Tables>, { author, key }: StartKey): Promise<void> {
  await db.deleteFrom("start_keys").where("author", "=", author).where("key", "=", key).execute();
}
