// One request to an address that was checked. Owns: that nothing is sent to an address that is not public, unless it is allowed.
// Does not own: what an answer means.

import { type LookupAddress, type LookupOptions, lookup as resolveName } from "node:dns";
import { type IncomingHttpHeaders, type IncomingMessage, request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { hostOf, isPublicAddress } from "./address.ts";

export interface CheckedRequest {
  readonly method: "POST" | "PATCH";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  readonly allowPrivate: boolean;
  readonly signal: AbortSignal;
  /** How much of the answer is read; absent: only its status and headers. */
  readonly mostBytes?: number;
}

export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Its beginning, as far as it was asked for. */
  readonly body: string;
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

/** Rejects where there was no answer. Redirects are answers: they are not followed. */
export function sendChecked(sent: CheckedRequest): Promise<Answered> {
  const { url, allowPrivate, method, signal, body, mostBytes = 0 } = sent;
  const host = hostOf(url);
  // A connection to an address, unlike one to a name, looks nothing up.
  if (!allowPrivate && isIP(host) !== 0 && !isPublicAddress(host)) return Promise.reject(refusal(host));
  return new Promise((resolve, reject) => {
    const request = (url.protocol === "https:" ? requestSecure : requestPlain)(url, {
      method,
      headers: { ...sent.headers, "Content-Length": Buffer.byteLength(body), "User-Agent": "Pawl" },
      // A connection of its own: one that was kept open would never be checked again.
      agent: false,
      lookup: checkedLookup(allowPrivate),
      signal,
    });
    request.on("error", reject);
    request.on("response", (response) => {
      const { statusCode: status = 0, headers } = response;
      readBeginning(response, mostBytes).then((text) => resolve({ status, headers, body: text }), reject);
    });
    request.end(body);
  });
}

/** A body that never ends must not keep us. */
function readBeginning(response: IncomingMessage, mostBytes: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const end = () => {
      resolve(Buffer.concat(chunks).subarray(0, mostBytes).toString());
      response.destroy();
    };
    response.on("error", reject);
    if (mostBytes === 0) return end();
    response.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= mostBytes) end();
    });
    response.on("end", end);
    response.on("close", () => reject(new Error("the connection was closed in the middle of the answer")));
  });
}

function refusal(what: string): Error {
  return new Error(`${what} is not a public address, and allow_private is not set`);
}
