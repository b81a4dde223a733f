// Routes of web push: the key that a browser subscribes to, subscribing, and leaving.

import { z } from "zod";
import { allSubscriptions, pushState, subscribe, unsubscribe } from "../../application/access/push.ts";
import { pushContract, pushSubscriptionContract, pushSubscriptionsContract } from "../../contracts/push-documents.ts";
import { mayDo } from "../../domain/api-token.ts";
import { type ApiRoute, apiRoute } from "../route.ts";

const subscriptionBody = z.object({
  endpoint: z.string().min(1).max(1_000),
  keys: z.object({ p256dh: z.string().min(1).max(200), auth: z.string().min(1).max(100) }),
});

export const pushRoutes: readonly ApiRoute[] = [
  apiRoute("GET /push", "read", "the key for web push, and your subscriptions", pushContract, async ({ app, token }) =>
    pushState(app, token?.name ?? ""),
  ),
  apiRoute(
    "GET /push/subscriptions",
    "operate",
    "the browsers that get messages, of all tokens",
    pushSubscriptionsContract,
    async ({ app }) => await allSubscriptions(app),
  ),
  apiRoute(
    "POST /push/subscriptions",
    "answer",
    "messages to this browser, as `PushSubscription.toJSON()` gives it",
    pushSubscriptionContract,
    async ({ app, token, body }) => await subscribe(app, token?.name ?? "", body),
    { body: subscriptionBody, status: 201 },
  ),
  apiRoute(
    "POST /push/subscriptions/{subscription}/remove",
    "answer",
    "no more messages to this browser; of another token only with the role operate",
    pushSubscriptionContract,
    async ({ app, token, path }) => {
      const isAny = token !== null && mayDo(token.role, "operate");
      return await unsubscribe(app, path("subscription"), isAny ? null : (token?.name ?? ""));
    },
  ),
];
