// The HTTP service: listens, lets only guarded requests through, and serves the API and the page. `pawl up` starts it; nothing else
// loads this file.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import type { Application } from "../application/application.ts";
import { hasToken } from "../application/tokens.ts";
import { AppError, systemCode } from "../domain/error.ts";
import { type ApiParts, apiRouter, type HttpEnvironment, problemResponse } from "./api.ts";
import { refusedBy, type ServiceNames } from "./guards.ts";
import { linkRoot, linkRouter, notForLinks } from "./links/router.ts";
import { isLoopback, serviceNames } from "./names.ts";
import { answerNoRequests } from "./no-request.ts";
import { nothingHere, problemType } from "./problem.ts";
import { fullProtection, type Protection } from "./protection.ts";
import { routes } from "./routes.ts";

export interface ApiServerOptions {
  readonly app: Application;
  /** An address of this machine. Beyond loopback only where a token exists. */
  readonly host: string;
  /** 0: a free one. */
  readonly port: number;
  /** The address of a proxy in front of it: `https://pawl.example.org`. Default: `service.public_url` of the user's configuration. */
  readonly publicUrl?: string | null | undefined;
  /** The files of the page by their path; null: there is none. */
  readonly page?: ((path: string) => Response | null) | undefined;
  readonly log?: ApiParts["log"] | undefined;
}

export interface RunningServer {
  readonly url: string;
  /** Ends its streams, waits for calls that are under way, and closes every connection. */
  close(): Promise<void>;
}

/** How long calls that are under way get when the service closes. */
const closeMs = 2_000;

export async function startServer(options: ApiServerOptions, protection = fullProtection): Promise<RunningServer> {
  const { app, host, port, log = () => undefined } = options;
  await assertMayListen(app, host);
  const publicUrl = options.publicUrl ?? (await app.read()).config.service.publicUrl;
  const closing = new AbortController();
  const { signal } = closing;
  const hono = new Hono<HttpEnvironment>({ strict: true });
  hono.route("/", apiRouter(routes, { app, protection, closing: signal, log }));
  hono.route("/", linkRouter({ app, protection, log }));
  hono.all("*", (call) => pageOf(options, call.req.method, call.req.path) ?? problemResponse(nothingHere));
  const answer = getRequestListener(hono.fetch, { overrideGlobalObjects: false });
  const { connections, requestMs, headersMs } = protection.limits;
  const settings = {
    // A guard asks for it.
    requireHostHeader: false,
    requestTimeout: requestMs,
    headersTimeout: Math.min(headersMs, requestMs),
    connectionsCheckingInterval: Math.max(100, Math.min(1_000, requestMs / 2)),
  };
  const known: { names: ServiceNames } = { names: new Map() };
  const server = createServer(settings, (incoming, outgoing) => {
    for (const [name, value] of Object.entries(protection.headers)) outgoing.setHeader(name, value);
    if (!refuse(incoming, outgoing, known.names, protection)) void answer(incoming, outgoing);
  });
  answerNoRequests(server, protection.headers);
  server.maxConnections = connections;
  await listen(server, host, port);
  const bound = (server.address() as AddressInfo).port;
  known.names = serviceNames(host, bound, publicUrl);
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}`,
    async close() {
      closing.abort();
      await closed(server);
    },
  };
}

/** Whoever reaches an open port without tokens has everything; whoever has none cannot sign in either. */
async function assertMayListen(app: Application, host: string): Promise<void> {
  if (isLoopback(host) || (await hasToken(app))) return;
  throw new AppError("REFUSED", `${host} can be reached by other machines, and there is no token`, {
    hint: "make one first: `pawl token create --role operate`; or listen on 127.0.0.1",
  });
}

function refuse(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  names: ServiceNames,
  protection: Protection,
): boolean {
  const isLink = incoming.url?.startsWith(linkRoot) ?? false;
  const asked = isLink ? protection.guards.filter((name) => !notForLinks.includes(name)) : protection.guards;
  const refused = refusedBy(incoming, names, asked);
  if (refused === null) return false;
  // A body that is refused is not read.
  outgoing.writeHead(refused.status, { "content-type": problemType, connection: "close" }).end(JSON.stringify(refused));
  outgoing.once("finish", () => incoming.destroy());
  return true;
}

function pageOf({ page }: ApiServerOptions, method: string, path: string): Response | null {
  return method === "GET" || method === "HEAD" ? (page?.(path) ?? null) : null;
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen({ host, port }, resolve);
    });
  } catch (error) {
    const code = systemCode(error);
    if (code === "EADDRINUSE")
      throw new AppError("REFUSED", `port ${port} of ${host} is in use`, {
        hint: "choose another with --port, or 0 for a free one; `pawl down` stops a service of this home",
        cause: error,
      });
    throw new AppError("USAGE", `cannot listen on ${host}:${port} (${code ?? "unknown"})`, {
      hint: "choose an address of this machine and a port from 1024 to 65535",
      cause: error,
    });
  }
}

async function closed(server: Server): Promise<void> {
  const timer = setTimeout(() => server.closeAllConnections(), closeMs);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
  clearTimeout(timer);
}
