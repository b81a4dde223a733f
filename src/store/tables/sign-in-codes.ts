// Every query on sign-in codes. Only the hash of a code is kept, until it has expired.

import type { Kysely } from "kysely";
import type { Role } from "../../domain/api-token.ts";
import type { Tables } from "../schema.ts";
import type { NewSignInCode } from "../store.ts";

/** Forgets those that had expired by `now`. */
export async function insertSignInCode(db: Kysely<Tables>, code: NewSignInCode, now: number): Promise<void> {
  await db.deleteFrom("sign_in_codes").where("expires_at", "<=", now).execute();
  const { hash, role, expiresAt } = code;
  await db.insertInto("sign_in_codes").values({ hash, role, expires_at: expiresAt, used_at: null }).execute();
}

/** What it lets its bearer do, once; null: it is wrong, used or expired. */
export async function takeSignInCode(db: Kysely<Tables>, hash: string, now: number): Promise<Role | null> {
  const taken = await db
    .updateTable("sign_in_codes")
    .set({ used_at: now })
    .where("hash", "=", hash)
    .where("used_at", "is", null)
    .where("expires_at", ">", now)
    .returning("role")
    .executeTakeFirst();
  return taken === undefined ? null : (taken.role as Role);
}
