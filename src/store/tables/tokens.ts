// Every query on API tokens. Only the hash of a secret is kept.

import type { Kysely } from "kysely";
import type { ApiToken, Role } from "../../domain/api-token.ts";
import type { Tables, TokenRow } from "../schema.ts";
import { statement } from "../statement.ts";
import type { NewApiToken } from "../store.ts";

/** False: the name is taken. */
export async function insertToken(db: Kysely<Tables>, token: NewApiToken): Promise<boolean> {
  const { name, hash, role, createdAt, expiresAt } = token;
  const { numInsertedOrUpdatedRows } = await db
    .insertInto("tokens")
    .values({ name, hash, role, created_at: createdAt, expires_at: expiresAt, used_at: null })
    .onConflict((conflict) => conflict.column("name").doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

/** Oldest first. */
export async function selectTokens(db: Kysely<Tables>): Promise<readonly ApiToken[]> {
  return (await db.selectFrom("tokens").selectAll().orderBy("created_at").orderBy("name").execute()).map(readToken);
}

export async function selectTokenByHash(db: Kysely<Tables>, hash: string): Promise<ApiToken | null> {
  const row = await byHash.first(db, { hash });
  return row ? readToken(row) : null;
}

export async function updateTokenUse(db: Kysely<Tables>, name: string, at: number): Promise<void> {
  await db.updateTable("tokens").set({ used_at: at }).where("name", "=", name).execute();
}

/** False: there is none. */
export async function deleteToken(db: Kysely<Tables>, name: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom("tokens").where("name", "=", name).executeTakeFirstOrThrow();
  return numDeletedRows === 1n;
}

function readToken(row: TokenRow): ApiToken {
  const { name, role, created_at: createdAt, expires_at: expiresAt, used_at: usedAt } = row;
  return { name, role: role as Role, createdAt, expiresAt, usedAt };
}

/** Each request asks for it. */
const byHash = statement<{ hash: string }, TokenRow>((db, p) =>
  db.selectFrom("tokens").selectAll().where("hash", "=", p("hash")),
);
