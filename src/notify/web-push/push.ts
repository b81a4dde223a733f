// One web push message to one browser (RFC 8030): encrypted for it, under a topic, so that a later message about the same question takes
// the place of one that the browser has not got yet.

import { errorText } from "../../domain/error.ts";
import type { BrowserSubscription, PushedMessage } from "../../domain/push-subscription.ts";
import type { PushKey } from "../../system/push-key.ts";
import { sha256Of } from "../../system/sha256.ts";
import { judgeAnswer } from "../answer.ts";
import { sendChecked } from "../request.ts";
import { type Delivery, type DeliveryCall, type Notice, reasonOf } from "../target.ts";
import { type MessageWords, messageWords, paragraphsOf, wordsWhenOver } from "../words.ts";
import { encrypted } from "./encryption.ts";
import { vapidHeader } from "./vapid.ts";

export interface PushSender {
  readonly key: PushKey;
  readonly contact: string;
  readonly allowPrivate: boolean;
}

const secondsOfDay = 24 * 60 * 60;

export async function pushTo(
  sender: PushSender,
  browser: BrowserSubscription,
  notice: Notice,
  call: DeliveryCall,
): Promise<Delivery> {
  const urgency = notice.event === "needs_you" ? "high" : "normal";
  const delivery = await send(sender, browser, notice, call, messageWords(notice), { urgency, silent: false });
  return delivery.outcome === "delivered" ? { ...delivery, receipt: "push" } : delivery;
}

export async function pushOver(
  sender: PushSender,
  browser: BrowserSubscription,
  notice: Notice,
  how: string,
  call: DeliveryCall,
): Promise<Delivery> {
  const words = wordsWhenOver(notice, how);
  return await send(sender, browser, notice, call, words, { urgency: "low", silent: true });
}

async function send(
  { key, contact, allowPrivate }: PushSender,
  { endpoint, p256dh, auth }: BrowserSubscription,
  notice: Notice,
  { at, signal }: DeliveryCall,
  words: MessageWords,
  { urgency, silent }: { readonly urgency: string; readonly silent: boolean },
): Promise<Delivery> {
  const url = new URL(endpoint);
  const topic = sha256Of(notice.gate?.id ?? notice.id).slice(0, 32);
  const path = notice.gate === null ? `/runs/${notice.run.number}` : `/gates/${encodeURIComponent(notice.gate.id)}`;
  const { title } = words;
  const pushed: PushedMessage = {
    title,
    body: paragraphsOf({ ...words, why: "" }).join("\n"),
    tag: topic,
    path,
    silent,
  };
  try {
    const browserKeys = { p256dh: Buffer.from(p256dh, "base64url"), auth: Buffer.from(auth, "base64url") };
    const answer = await sendChecked({
      method: "POST",
      url,
      headers: {
        Authorization: vapidHeader(key, url, contact, at),
        "Content-Encoding": "aes128gcm",
        "Content-Type": "application/octet-stream",
        TTL: String(secondsLeft(notice, at)),
        Urgency: urgency,
        Topic: topic,
      },
      body: encrypted(Buffer.from(JSON.stringify(pushed)), browserKeys),
      allowPrivate,
      signal,
    });
    // RFC 8030: the subscription has ended.
    if (answer.status === 404) return { outcome: "dropped", why: "it answered 404: the subscription has ended" };
    return judgeAnswer(answer);
  } catch (error) {
    return { outcome: "failed", why: signal.aborted ? reasonOf(signal) : errorText(error) };
  }
}

/** How long the push service keeps it for a browser that is away: until the deadline of the question, at most three days. */
function secondsLeft({ gate }: Notice, at: number): number {
  const most = 3 * secondsOfDay;
  if (!gate?.deadline) return most;
  return Math.min(most, Math.max(60, Math.round((Date.parse(gate.deadline.at) - at) / 1000)));
}
