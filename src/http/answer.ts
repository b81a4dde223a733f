// Answers requests that the guards let through: the API, the links and the page behind one router. Loaded with the first of them, since
// it brings every contract and every use case along, and most services wait for hours before anybody asks.

import type { IncomingMessage, ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { type ApiParts, apiRouter, type HttpEnvironment, problemResponse } from "./api.ts";
import { linkRouter } from "./links/router.ts";
import { openPage } from "./page.ts";
import { pathOf } from "./page-address.ts";
import { nothingHere } from "./problem.ts";
import { routes } from "./routes.ts";

export interface AnswerParts extends ApiParts {
  /** The folder that the build has put the page in; null: there is no page. */
  readonly page: string | null;
}

export type RequestAnswer = (incoming: IncomingMessage, outgoing: ServerResponse) => unknown;

export function answering(parts: AnswerParts): RequestAnswer {
  const hono = new Hono<HttpEnvironment>({ strict: true });
  hono.route("/", apiRouter(routes, parts));
  hono.route("/", linkRouter(parts));
  const page = openPage(parts.page, parts.log);
  hono.all("*", async ({ env: { incoming } }) => {
    const isRead = incoming.method === "GET" || incoming.method === "HEAD";
    return isRead ? await page(pathOf(incoming.url ?? ""), incoming.headers.accept) : problemResponse(nothingHere);
  });
  return getRequestListener(hono.fetch, { overrideGlobalObjects: false });
}
