// The router of the API: the table of routes behind tokens, roles and limits. An error becomes problem details.

import type { HttpBindings } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { z } from "zod";
import type { Application } from "../application/application.ts";
import { Readiness } from "../application/health/readiness.ts";
import type { ProblemDocument } from "../contracts/http-documents.ts";
import type { ApiToken } from "../domain/api-token.ts";
import { AppError, errorText } from "../domain/error.ts";
import { refuseCode } from "./bearer.ts";
import { jsonBody } from "./body.ts";
import { FailedSignIns, Streams } from "./limits.ts";
import { nothingHere, problem, problemOf, problemType } from "./problem.ts";
import type { Protection } from "./protection.ts";
import { Refusal } from "./refusal.ts";
import type { ApiRoute, Asked, Inputs } from "./route.ts";
import { Live } from "./streams/live.ts";
import { Turns } from "./turns.ts";

export type HttpEnvironment = { Bindings: HttpBindings };
type Call = Context<HttpEnvironment>;

export interface ApiParts {
  readonly app: Application;
  readonly protection: Protection;
  /** Whether the service drives runs now. */
  readonly drives: () => boolean;
  /** Aborted when the service closes. */
  readonly closing: AbortSignal;
  readonly log: (event: string, fields: Readonly<Record<string, string | number | null>>) => void;
}

export function apiRouter(routes: readonly ApiRoute[], parts: ApiParts): Hono<HttpEnvironment> {
  const { app, protection, closing, log } = parts;
  const { limits } = protection;
  const failed = new FailedSignIns(limits.failedSignIns, () => performance.now());
  const streams = new Streams(limits.streams);
  const turns = new Turns(limits.slowCalls);
  const live = new Live(parts, protection.live);
  const readiness = Readiness.of(app, parts.drives);
  const router = new Hono<HttpEnvironment>({ strict: true });

  const addressOf = (call: Call): string => call.env.incoming.socket.remoteAddress ?? "";
  const bearer = async (call: Call): Promise<ApiToken> =>
    await protection.bearer({ app, failed }, call.req.header("authorization") ?? "", addressOf(call));

  for (const route of routes) {
    router.on(route.method.toUpperCase(), route.path.replaceAll(/\{(\w+)\}/g, ":$1"), async (call) => {
      const token = route.role === null ? null : await bearer(call);
      if (token !== null && route.role !== null) protection.role(token, route.role);
      const asked: Asked = {
        app,
        author: `token:${token?.name ?? ""}`,
        token,
        assertRole: (needed) => {
          if (token !== null) protection.role(token, needed);
        },
        refuseCode: () => refuseCode(failed, addressOf(call)),
        path: (name) => call.req.param(name) ?? "",
        query: parsed(route.query, call.req.query(), "the query"),
        body: parsed(
          route.body,
          route.method === "get" ? {} : await jsonBody(call.req.raw, limits.bodyBytes),
          "the body",
        ),
        header: (name) => call.req.header(name),
        openStream: () => streams.open(token?.name ?? "") ?? tooManyStreams(limits.streams),
        disconnect: () => call.env.outgoing.destroy(),
        live,
        isReady: async () => await readiness.isReady(),
        signal: AbortSignal.any([call.req.raw.signal, closing]),
      };
      const answer = await (route.isSlow ? turns.take(asked.signal, () => route.handle(asked)) : route.handle(asked));
      return answer instanceof Response ? await fitting(call, answer) : call.json(answer, route.status);
    });
  }

  // Whoever has no token does not learn which paths there are.
  for (const below of ["/api", "/api/*"])
    router.all(below, async (call) => {
      await bearer(call);
      return problemResponse(nothingHere);
    });

  router.onError((error, call) => {
    if (error instanceof Refusal) return problemResponse(error.problem, error.headers);
    if (!(error instanceof AppError)) log("http.defect", { path: call.req.path, why: error.stack ?? errorText(error) });
    return problemResponse(problemOf(error));
  });
  return router;
}

export function problemResponse(body: ProblemDocument, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(body), {
    status: body.status,
    headers: { "content-type": problemType, ...headers },
  });
}

/** A stream as the request can take it. */
async function fitting({ req, env }: Call, answer: Response): Promise<Response> {
  // Nobody reads the body of an answer to HEAD: its stream would stay open.
  if (req.method === "HEAD") await answer.body?.cancel();
  // HTTP/1.0 has no chunks: their lengths would stand between the messages.
  if (env.incoming.httpVersion === "1.0") answer.headers.delete("transfer-encoding");
  return answer;
}

const nothing = z.strictObject({});

/** A key that a route does not know is wrong: it would be ignored where the caller relies on it. */
function parsed(schema: Inputs | null, given: unknown, what: string): Readonly<Record<string, unknown>> {
  const found = (schema ?? nothing).safeParse(given);
  if (found.success) return found.data;
  const details = found.error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.join(".")}: ${message}`,
  );
  throw new AppError("INPUT_INVALID", `${what} is not right: ${details[0] ?? ""}`, {
    hint: "GET /api/v1/openapi.json says what each call takes",
    details,
  });
}

function tooManyStreams(most: number): never {
  throw new Refusal(
    problem(429, "TOO_MANY", `this token has ${most} open streams`, "close one, or make a token for each program"),
    { "retry-after": "5" },
  );
}
