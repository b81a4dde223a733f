// Contracts of web push in the HTTP API.

import type { z } from "zod";
import { list, object, text, time } from "./shape.ts";

export const pushSubscriptionContract = object({
  id: text,
  service: text.describe("The host of the push service. Its address is a secret of the browser."),
  createdAt: time,
}).meta({ id: "PushSubscriptionDocument" });

export const pushContract = object({
  publicKey: text.describe("The `applicationServerKey` of `pushManager.subscribe`, base64url."),
  subscriptions: list(pushSubscriptionContract).describe("Those that were made with this token."),
}).meta({ id: "PushState" });

export const pushSubscriptionsContract = object({
  subscriptions: list(
    object({
      ...pushSubscriptionContract.unwrap().shape,
      token: text.describe("The name of the token that it was made with."),
    }),
  ).describe("Of all tokens, the oldest first."),
}).meta({ id: "PushSubscriptions" });

export type PushSubscriptions = z.infer<typeof pushSubscriptionsContract>;
export type PushState = z.infer<typeof pushContract>;
export type PushSubscriptionDocument = z.infer<typeof pushSubscriptionContract>;
