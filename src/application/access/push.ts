// Web push: the browsers that get messages. A subscription belongs to the token that it was made with: it gets nothing more when that
// token is revoked or has expired.

import { subscriptionProblem, subscriptionsIn } from "../../app.ts";
import type { PushState, PushSubscriptionDocument, PushSubscriptions } from "../../contracts/push-documents.ts";
import { AppError } from "../../domain/error.ts";
import type { BrowserSubscription } from "../../domain/push-subscription.ts";
import { isoTime } from "../../runtime/views/status.ts";
import { pushKey } from "../../system/push-key.ts";
import { sha256Of } from "../../system/sha256.ts";
import type { Application } from "../application.ts";

/** As `PushSubscription.toJSON()` of a browser has it. */
export interface SubscriptionRequest {
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
}

/** Each costs a request to another machine for every message. */
const mostSubscriptions = 20;
/** So that no token takes the places of all others. */
const mostOfToken = 5;

/** `token`: the name of the caller's. */
export async function pushState(app: Application, token: string): Promise<PushState> {
  const { parts } = await app.read();
  const own = (await subscriptionsIn(parts).list()).filter((subscription) => subscription.token === token);
  return {
    publicKey: pushKey(app.home.dir).publicKey.toString("base64url"),
    subscriptions: own.map(subscriptionDocument),
  };
}

/** Of all tokens. */
export async function allSubscriptions(app: Application): Promise<PushSubscriptions> {
  const { parts } = await app.read();
  const known = await subscriptionsIn(parts).list();
  return { subscriptions: known.map((each) => ({ ...subscriptionDocument(each), token: each.token })) };
}

/** A browser that subscribes again replaces what it gave before. */
export async function subscribe(
  app: Application,
  token: string,
  { endpoint, keys: { p256dh, auth } }: SubscriptionRequest,
): Promise<PushSubscriptionDocument> {
  const problem = subscriptionProblem({ endpoint, p256dh, auth });
  if (problem !== null)
    throw new AppError("INPUT_INVALID", `this subscription cannot be used: ${problem}`, {
      hint: "send what `PushSubscription.toJSON()` of the browser gives",
    });
  const { parts } = await app.read();
  const { store, clock } = parts;
  // Those of tokens that are gone would keep the place of others.
  const valid = new Set((await subscriptionsIn(parts).list()).map(({ id }) => id));
  for (const { id } of await store.subscriptions()) if (!valid.has(id)) await store.removeSubscription(id);
  const given = { id: sha256Of(endpoint).slice(0, 16), endpoint, p256dh, auth, token, createdAt: clock.now() };
  const put = await store.putSubscription(given, { inAll: mostSubscriptions, ofToken: mostOfToken });
  if (put === "put") return subscriptionDocument(given);
  if (put === "full_of_token")
    throw new AppError("REFUSED", `${mostOfToken} browsers have subscribed with this token already`, {
      hint: "end one of them: `GET /api/v1/push` has yours; or sign in with another token",
    });
  throw new AppError("REFUSED", `${mostSubscriptions} browsers have subscribed already`, {
    hint: "end one of them (`GET /api/v1/push/subscriptions` lists all to the role operate), or revoke its token: `pawl token revoke NAME`",
  });
}

/** `token`: only of this one; null: of any. */
export async function unsubscribe(
  app: Application,
  id: string,
  token: string | null,
): Promise<PushSubscriptionDocument> {
  const { store } = (await app.read()).parts;
  const found = (await store.subscriptions()).find(
    (each) => each.id === id && (token === null || each.token === token),
  );
  if (found && (await store.removeSubscription(id))) return subscriptionDocument(found);
  throw new AppError("NOT_FOUND", "there is no such subscription", { hint: "`GET /api/v1/push` has yours" });
}

function subscriptionDocument({ id, endpoint, createdAt }: BrowserSubscription): PushSubscriptionDocument {
  return { id, service: new URL(endpoint).host, createdAt: isoTime(createdAt) };
}
