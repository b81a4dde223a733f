// What the answer of a receiver means, for every receiver that is reached by HTTP.

import type { Answered } from "./request.ts";
import type { Delivery } from "./target.ts";

export function judgeAnswer({ status, headers }: Pick<Answered, "status" | "headers">): Delivery {
  if (status >= 200 && status < 300) return { outcome: "delivered" };
  if (status === 410) return { outcome: "dropped", why: "it answered 410: it is gone for good" };
  const more = status >= 300 && status < 400 ? "; redirects are not followed" : "";
  return failedFor(`it answered ${status}${more}`, secondsOf(headers["retry-after"]));
}

/** `seconds`: how long the receiver asks to be left alone; null: it did not say. */
export function failedFor(why: string, seconds: number | null): Delivery {
  return { outcome: "failed", why, ...(seconds === null ? {} : { retryAfterMs: Math.ceil(seconds * 1000) }) };
}

/** `Retry-After` has seconds, or a date, which is left out: clocks differ. */
function secondsOf(written: string | undefined): number | null {
  return written !== undefined && /^\d{1,6}(\.\d+)?$/.test(written) ? Number(written) : null;
}
