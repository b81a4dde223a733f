// The HTTP service: listens, lets only guarded requests through, and serves the API and the page. `pawl up` starts it; nothing else
// loads this file.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { hasToken } from "../application/access/tokens.ts";
import type { Application } from "../application/application.ts";
import type { ProblemDocument } from "../contracts/http-documents.ts";
import { AppError, errorText, systemCode } from "../domain/error.ts";
import type { RequestAnswer } from "./answer.ts";
import type { ApiParts } from "./api.ts";
import { refusedBy, type ServiceNames } from "./guards.ts";
import { linkRoot, notForLinks } from "./links/path.ts";
import { isLoopback, serviceNames } from "./names.ts";
import { answerNoRequests } from "./no-request.ts";
import { isVisit, notForVisits } from "./page-address.ts";
import { problem, problemType } from "./problem.ts";
import { fullProtection, type Protection } from "./protection.ts";

export interface ApiServerOptions {
  readonly app: Application;
  /** An address of this machine. Beyond loopback only where a token exists. */
  readonly host: string;
  /** 0: a free one. */
  readonly port: number;
  /** The address of a proxy in front of it: `https://pawl.example.org`. Default: `service.public_url` of the user's configuration. */
  readonly publicUrl?: string | null | undefined;
  /** The folder that the build has put the page in. Default: none is served. */
  readonly page?: string | undefined;
  readonly log?: ApiParts["log"] | undefined;
  /** Whether the service drives runs now. Default: it does. */
  readonly drives?: ApiParts["drives"] | undefined;
}

export interface RunningServer {
  readonly url: string;
  /** Ends its streams, waits for calls that are under way, and closes every connection. */
  close(): Promise<void>;
}

/** The package was replaced or removed under a service that had not been called before. */
const filesGone = problem(
  503,
  "FILES_GONE",
  "the files of this service are gone: Pawl was upgraded or removed since it started",
  "`pawl down`, then `pawl up --background`",
);

/** How long calls that are under way get when the service closes. */
const closeMs = 2_000;

export async function startServer(options: ApiServerOptions, protection = fullProtection): Promise<RunningServer> {
  const { app, host, port, log = () => undefined } = options;
  await assertMayListen(app, host);
  const publicUrl = options.publicUrl ?? (await app.read()).config.service.publicUrl;
  const closing = new AbortController();
  let loading: Promise<RequestAnswer> | null = null;
  const load = async (): Promise<RequestAnswer> => {
    const { answering } = await import("./answer.ts");
    const { drives = () => true, page = null } = options;
    return answering({ app, protection, closing: closing.signal, log, drives, page });
  };
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    try {
      loading ??= load();
      (await loading)(incoming, outgoing);
    } catch (error) {
      loading = null;
      log("http.not_loaded", { why: errorText(error) });
      turnAway(incoming, outgoing, filesGone);
    }
  };
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
  const spared = isLink ? notForLinks : isVisit(incoming) ? notForVisits : [];
  const refused = refusedBy(
    incoming,
    names,
    protection.guards.filter((name) => !spared.includes(name)),
  );
  if (refused !== null) turnAway(incoming, outgoing, refused);
  return refused !== null;
}

/** A body that is refused is not read. */
function turnAway(incoming: IncomingMessage, outgoing: ServerResponse, said: ProblemDocument): void {
  outgoing.writeHead(said.status, { "content-type": problemType, connection: "close" }).end(JSON.stringify(said));
  outgoing.once("finish", () => incoming.destroy());
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
