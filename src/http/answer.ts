// Answers requests that the guards let through: the API, the links and the page behind one router. Loaded with the first of them, since
// it brings every contract and every use case along, and most services wait for hours before anybody asks.

import type { IncomingMessage, ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { type ApiParts, apiRouter, type HttpEnvironment, problemResponse } from "./api.ts";
import { linkRouter } from "./links/router.ts";
import { nothingHere } from "./problem.ts";
import { routes } from "./routes.ts";

/** A file of the page by its path; null: there is none. */
export type Page = (path: string) => Response | null;

export interface AnswerParts extends ApiParts {
  readonly page: Page;
}

export type RequestAnswer = (incoming: IncomingMessage, outgoing: ServerResponse) => unknown;

export function answering(parts: AnswerParts): RequestAnswer {
  const hono = new Hono<HttpEnvironment>({ strict: true });
  hono.route("/", apiRouter(routes, parts));
  hono.route("/", linkRouter(parts));
  hono.all("*", ({ req: { method, path } }) => {
    const isRead = method === "GET" || method === "HEAD";
    return (isRead ? parts.page(path) : null) ?? problemResponse(nothingHere);
  });
  return getRequestListener(hono.fetch, { overrideGlobalObjects: false });
}
