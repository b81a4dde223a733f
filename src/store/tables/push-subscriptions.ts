// Every query on the browsers that get web push.

import type { Kysely } from "kysely";
import type { BrowserSubscription, MostSubscriptions, PutSubscription } from "../../domain/push-subscription.ts";
import type { Tables } from "../schema.ts";

/** Adds it, or replaces the one with this id. False: there are `most` others already. */
export async function upsertSubscription(
  db: Kysely<Tables>,
  given: BrowserSubscription,
  { inAll, ofToken }: MostSubscriptions,
): Promise<PutSubscription> {
  const others = await db.selectFrom("push_subscriptions").select("token").where("id", "<>", given.id).execute();
  if (others.filter(({ token }) => token === given.token).length >= ofToken) return "full_of_token";
  if (others.length >= inAll) return "full";
  const { id, endpoint, p256dh, auth, token, createdAt } = given;
  const values = { endpoint, p256dh, auth, token, created_at: createdAt };
  await db
    .insertInto("push_subscriptions")
    .values({ id, ...values })
    .onConflict((conflict) => conflict.column("id").doUpdateSet(values))
    .execute();
  return "put";
}

/** Oldest first. */
export async function selectSubscriptions(db: Kysely<Tables>): Promise<readonly BrowserSubscription[]> {
  const rows = await db.selectFrom("push_subscriptions").selectAll().orderBy("created_at").orderBy("id").execute();
  return rows.map(({ created_at: createdAt, ...row }) => ({ ...row, createdAt }));
}

/** False: there is none. */
export async function deleteSubscription(db: Kysely<Tables>, id: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom("push_subscriptions").where("id", "=", id).executeTakeFirstOrThrow();
  return numDeletedRows === 1n;
}
