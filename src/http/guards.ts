// Guards: what is asked of every request before a route sees it, whatever its path. Each returns why it refuses, or null. They read
// the request as it came over the wire: a URL that was parsed has lost what an attacker wrote.

import type { IncomingMessage } from "node:http";
import type { ProblemDocument } from "../contracts/http-documents.ts";
import { nothingHere, problem } from "./problem.ts";

/** What the service may be called, as a Host header spells it, and the origin of its own page under that name. */
export type ServiceNames = ReadonlyMap<string, string>;

/** What a guard looks at. */
export type RawRequest = Pick<IncomingMessage, "url" | "method" | "headers" | "rawHeaders">;

type Guard = (wire: RawRequest, names: ServiceNames) => ProblemDocument | null;

/** DNS can give any name the address of this machine. A page of that name then speaks to us, and its browser thinks we are that page. */
const host: Guard = ({ rawHeaders, headers, url = "" }, names) => {
  const given = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === "host").length;
  const isOurs = given === 1 && names.has((headers.host ?? "").toLowerCase()) && url.startsWith("/");
  return isOurs
    ? null
    : problem(
        421,
        "MISDIRECTED",
        "this server does not answer to that name",
        `use one of: ${[...names.keys()].join(", ")}`,
      );
};

/** A browser names the page that sends a request; programs send no Origin. */
const origin: Guard = ({ headers }, names) => {
  if (headers.origin === undefined || headers.origin === names.get((headers.host ?? "").toLowerCase())) return null;
  return problem(
    403,
    "FORBIDDEN",
    "another site may not call this server",
    "call it from its own page, or from a program",
  );
};

/** As the Origin, for requests that have none: images, scripts, navigation. */
const site: Guard = ({ headers }) => {
  const from = headers["sec-fetch-site"];
  if (from === undefined || from === "same-origin" || from === "none") return null;
  return problem(
    403,
    "FORBIDDEN",
    "another site may not call this server",
    "call it from its own page, or from a program",
  );
};

/** A form can send everything but JSON to another site without asking first. */
const json: Guard = ({ method, headers }) => {
  const hasBody = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
  // Nothing reads it, so nothing would count it.
  if (method === "GET" || method === "HEAD")
    return hasBody ? problem(415, "MEDIA_TYPE", `${method} takes no body`, "send it without one") : null;
  const type = headers["content-type"];
  if (type === undefined ? !hasBody : /^application\/json\s*(?:;|$)/i.test(type)) return null;
  return problem(415, "MEDIA_TYPE", "the body is not application/json", "send Content-Type: application/json");
};

/** A path has one spelling. Every other one that a router would take for the same is not a path of this server. */
const spelling: Guard = ({ url = "" }) => {
  const [path = ""] = url.split("?", 1);
  return isPlain(path) ? null : nothingHere;
};

/** Encoded: a letter, digit or sign that needs no encoding, a separator, a control character, or what is not UTF-8. */
function isPlain(path: string): boolean {
  if (!path.startsWith("/") || /[\\#]/.test(path) || /\/\/|\/\.{1,2}(?:\/|$)/.test(path)) return false;
  if (path.replace(/%[0-9A-Fa-f]{2}/g, "").includes("%")) return false;
  try {
    return !path.match(/(?:%[0-9A-Fa-f]{2})+/g)?.some((run) => /[\w.~/\\\-\p{Cc}]/u.test(decodeURIComponent(run)));
  } catch {
    return false;
  }
}

/** In the order in which they ask. */
export const guards = { host, spelling, origin, site, json } as const;

export type GuardName = keyof typeof guards;

/** Whose are given, or all. */
export function refusedBy(wire: RawRequest, names: ServiceNames, asked: readonly GuardName[]): ProblemDocument | null {
  for (const name of asked) {
    const refused = guards[name](wire, names);
    if (refused !== null) return refused;
  }
  return null;
}
