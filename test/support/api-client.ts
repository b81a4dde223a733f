// A client of the HTTP API that checks every answer: it must fit the schema that the OpenAPI document has for that call.

import { z } from "zod";
import { problemContract } from "../../src/contracts/http-documents.ts";
import type { Role } from "../../src/domain/api-token.ts";
import { routes } from "../../src/http/routes.ts";
import type { Service } from "./http-service.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- it was checked against its contract, and each test knows which
  readonly body: any;
}

/** `GET /api/v1/runs/{run}`, each that was called and answered. */
export const answered = new Set<string>();

export interface Client {
  get(path: string): Promise<Answer>;
  post(path: string, body?: object, headers?: Readonly<Record<string, string>>): Promise<Answer>;
}

interface Given {
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function clientOf(service: Service, role: Role): Client {
  const call = async (method: string, path: string, given: Given): Promise<Answer> => {
    const { body: sent, headers: more = {} } = given;
    const headers = { ...more, authorization: `Bearer ${await service.token(role)}` };
    const answer = await fetch(`${service.url}${path}`, {
      method,
      headers,
      ...(sent === undefined ? {} : { body: sent }),
    });
    const body: unknown = await answer.json();
    check(method, path.split("?", 1)[0] ?? "", answer, body);
    return { status: answer.status, headers: answer.headers, body };
  };
  return {
    get: (path) => call("GET", path, {}),
    post: (path, body, headers = {}) =>
      call("POST", path, {
        headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
  };
}

function check(method: string, path: string, { status, headers }: Response, body: unknown): void {
  const type = headers.get("content-type");
  if (status >= 400) {
    if (type !== "application/problem+json") throw new Error(`${method} ${path}: a problem of type ${type}`);
    fits(problemContract, body, `${method} ${path}: ${status}`);
    return;
  }
  const matching = routes.filter((each) => each.method === method.toLowerCase() && patternOf(each.path).test(path));
  const [route, ...others] = matching;
  if (route === undefined || others.length > 0) throw new Error(`${method} ${path} is of ${matching.length} routes`);
  if (route.status !== status) throw new Error(`${method} ${path}: ${status} instead of ${route.status}`);
  fits(route.answer, body, `${method} ${path}`);
  answered.add(`${method} ${route.path}`);
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`);
}

function fits(schema: z.ZodType, body: unknown, what: string): void {
  const { error } = schema.safeParse(body);
  if (error !== undefined) throw new Error(`${what} does not fit its contract: ${z.prettifyError(error)}`);
}
