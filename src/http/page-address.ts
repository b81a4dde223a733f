// Addresses of the page: which paths a browser shows it at, and who may come to them from another site. The page reads its data by the
// API; what is served here is the same for everybody.

import type { IncomingMessage } from "node:http";
import type { GuardName } from "./guards.ts";

const addresses: readonly RegExp[] = [
  /^\/$/,
  /^\/runs\/[\w.-]+(?:\/[a-z]+)?$/,
  /^\/(?:gates|attempts)\/[\w.-]+$/,
  /^\/workflows(?:\/[\w.-]+)?$/,
  /^\/(?:compare|new|health|projects|sessions)$/,
];

export function isPageAddress(path: string): boolean {
  return addresses.some((address) => address.test(path));
}

/**
 * A person who follows a link from a chat or a mail: a window of its own goes to an address of the page. Another site cannot read that
 * window, and nothing secret is in what it gets. Everything else that another site makes a browser ask for is refused.
 */
export function isVisit({ method, url = "", headers }: Pick<IncomingMessage, "method" | "url" | "headers">): boolean {
  return (
    (method === "GET" || method === "HEAD") &&
    headers["sec-fetch-mode"] === "navigate" &&
    headers["sec-fetch-dest"] === "document" &&
    isPageAddress(pathOf(url))
  );
}

export const notForVisits: readonly GuardName[] = ["site"];

/** As it came over the wire, without the query. */
export function pathOf(url: string): string {
  return url.split("?", 1)[0] ?? "";
}
