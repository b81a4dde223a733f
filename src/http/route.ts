// Routes. Owns: what one is: a method and a path, who may call it, what it takes and what it returns. The router and the OpenAPI
// document are both made from the table of routes.

import type { z } from "zod";
import type { Application } from "../application/application.ts";
import type { Role } from "../domain/api-token.ts";
import type { Live, StreamCall } from "./streams/live.ts";

export type Inputs = z.ZodObject<z.ZodRawShape>;

/** What a route is called with. */
export interface Asked<Query = Readonly<Record<string, unknown>>, Body = unknown> extends StreamCall {
  readonly app: Application;
  /** Recorded with what the call changes. */
  readonly author: string;
  /** Throws where the role of the caller may not do it: for a call whose role follows from what its body asks. */
  readonly assertRole: (needed: Role) => void;
  /** Throws: the code of a sign-in lets nobody in. Counts as a failed one of the caller's address. */
  readonly refuseCode: () => never;
  /** What `{name}` stands for in the path, decoded. */
  readonly path: (name: string) => string;
  readonly query: Query;
  readonly body: Body;
  readonly header: (name: string) => string | undefined;
  /** The streams of this service. */
  readonly live: Live;
  /** Whether the service can do its work. */
  readonly isReady: () => Promise<boolean>;
}

export interface ApiRoute {
  readonly method: "get" | "post";
  /** `/api/v1/runs/{run}`. */
  readonly path: string;
  /** null: no token is needed. */
  readonly role: Role | null;
  readonly summary: string;
  readonly query: Inputs | null;
  readonly body: Inputs | null;
  /** Headers that it knows, with what they are for. */
  readonly headers: Readonly<Record<string, string>>;
  /** The status and the document of an answer. */
  readonly status: 200 | 201;
  readonly answer: z.ZodType;
  /** Documents that it answers with another status. */
  readonly others: Readonly<Record<number, z.ZodType>>;
  /** Other types that it answers with, by what `Accept` asks for. */
  readonly streams: boolean;
  /** It starts programs: only a few such calls work at once. */
  readonly isSlow: boolean;
  readonly handle: (asked: Asked) => Promise<object>;
}

interface RouteMore<Query extends Inputs, Body extends Inputs> {
  readonly query?: Query;
  readonly body?: Body;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status?: 201;
  /** Its handler then returns a Response. */
  readonly others?: Readonly<Record<number, z.ZodType>>;
  /** It can answer with `text/event-stream`: its handler then returns a Response. */
  readonly streams?: true;
  readonly isSlow?: true;
}

const root = "/api/v1";

/** `called`: the method and the path below the root of the API, `GET /runs/{run}`; one that begins with `/api/` is whole. */
export function apiRoute<Answer extends z.ZodType, Query extends Inputs = Inputs, Body extends Inputs = Inputs>(
  called: `${"GET" | "POST"} /${string}`,
  role: Role | null,
  summary: string,
  answer: Answer,
  handle: (asked: Asked<z.infer<Query>, z.infer<Body>>) => Promise<z.infer<Answer> | Response>,
  more: RouteMore<Query, Body> = {},
): ApiRoute {
  const [method = "", path = ""] = called.split(" ");
  return {
    method: method === "POST" ? "post" : "get",
    path: path.startsWith("/api/") ? path : `${root}${path}`,
    role,
    summary,
    query: more.query ?? null,
    body: more.body ?? null,
    headers: more.headers ?? {},
    status: more.status ?? 200,
    answer,
    others: more.others ?? {},
    streams: more.streams ?? false,
    isSlow: more.isSlow ?? false,
    // The router calls it with what the schemas above have parsed.
    handle: handle as unknown as ApiRoute["handle"],
  };
}
