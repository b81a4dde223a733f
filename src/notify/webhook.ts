// Webhooks. Owns: one signed POST of the document. Does not own: when to try again.

import { createHmac } from "node:crypto";
import { errorText } from "../domain/error.ts";
import { judgeAnswer } from "./answer.ts";
import { sendChecked } from "./request.ts";
import { type Delivery, type DeliveryCall, type Notice, reasonOf } from "./target.ts";

export interface Webhook {
  readonly url: string;
  readonly secret: string | null;
  readonly allowPrivate: boolean;
}

export async function post(hook: Webhook, notice: Notice, { at, signal }: DeliveryCall): Promise<Delivery> {
  const body = JSON.stringify(notice);
  const timestamp = String(Math.floor(at / 1000));
  const headers = {
    "Content-Type": "application/json",
    "X-Pawl-Id": notice.id,
    "X-Pawl-Timestamp": timestamp,
    ...(hook.secret === null ? {} : { "X-Pawl-Signature": signatureOf(hook.secret, timestamp, body) }),
  };
  const { url, allowPrivate } = hook;
  try {
    // Only the status counts.
    return judgeAnswer(await sendChecked({ method: "POST", url: new URL(url), headers, body, allowPrivate, signal }));
  } catch (error) {
    return { outcome: "failed", why: signal.aborted ? reasonOf(signal) : errorText(error) };
  }
}

/** What a receiver recomputes. The time is signed, too, so that an old message cannot be replayed. */
export function signatureOf(secret: string, timestamp: string, body: string): string {
  return `sha256=${createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex")}`;
}
