// Webhooks. Owns: one signed POST to one address that was checked. Does not own: when to try again.

import { createHmac } from "node:crypto";
import { type LookupAddress, type LookupOptions, lookup as resolveName } from "node:dns";
import { request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { errorText } from "../domain/error.ts";
import { hostOf, isPublicAddress } from "./address.ts";
import { type Delivery, type DeliveryCall, type Notice, reasonOf } from "./target.ts";

export interface Webhook {
  readonly url: string;
  readonly secret: string | null;
  readonly allowPrivate: boolean;
}

export async function post(hook: Webhook, notice: Notice, call: DeliveryCall): Promise<Delivery> {
  try {
    return judge(await send(hook, notice, call));
  } catch (error) {
    return { outcome: "failed", why: call.signal.aborted ? reasonOf(call.signal) : errorText(error) };
  }
}

/** What a receiver recomputes. The time is signed, too, so that an old message cannot be replayed. */
export function signatureOf(secret: string, timestamp: string, body: string): string {
  return `sha256=${createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex")}`;
}

type Resolve = (
  hostname: string,
  options: LookupOptions & { all: true },
  callback: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
) => void;

/**
 * Gives the connection only addresses that may be used. It is asked when the connection is made, and what it gives is what is
 * connected to: a name that changes its address after a check gains nothing.
 */
export function checkedLookup(allowPrivate: boolean, resolve: Resolve = resolveName): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, "");
      const allowed = allowPrivate ? found : found.filter(({ address }) => isPublicAddress(address));
      const [first] = allowed;
      if (!first) return callback(refusal(`${hostname} (${found.map(({ address }) => address).join(", ")})`), "");
      if (options.all) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}

function refusal(what: string): Error {
  return new Error(`${what} is not a public address, and allow_private is not set`);
}

function send(hook: Webhook, notice: Notice, { at, signal }: DeliveryCall): Promise<number> {
  const url = new URL(hook.url);
  const host = hostOf(url);
  // A connection to an address, unlike one to a name, looks nothing up.
  if (!hook.allowPrivate && isIP(host) !== 0 && !isPublicAddress(host)) return Promise.reject(refusal(host));
  const body = JSON.stringify(notice);
  const timestamp = String(Math.floor(at / 1000));
  return new Promise((resolve, reject) => {
    const request = (url.protocol === "https:" ? requestSecure : requestPlain)(url, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        "Content-Length": Buffer.byteLength(body),
        "User-Agent": "Pawl",
        "X-Pawl-Id": notice.id,
        "X-Pawl-Timestamp": timestamp,
        ...(hook.secret === null ? {} : { "X-Pawl-Signature": signatureOf(hook.secret, timestamp, body) }),
      },
      // A connection of its own: one that was kept open would never be checked again.
      agent: false,
      lookup: checkedLookup(hook.allowPrivate),
      signal,
    });
    request.on("error", reject);
    request.on("response", (response) => {
      resolve(response.statusCode ?? 0);
      // Only the status counts; a body that never ends must not keep us.
      response.on("error", () => undefined);
      response.destroy();
    });
    request.end(body);
  });
}

function judge(status: number): Delivery {
  if (status >= 200 && status < 300) return { outcome: "delivered" };
  if (status === 410) return { outcome: "dropped", why: "it answered 410: it is gone for good" };
  const more = status >= 300 && status < 400 ? "; redirects are not followed" : "";
  return { outcome: "failed", why: `it answered ${status}${more}` };
}
