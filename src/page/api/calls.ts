// Calls of the HTTP API. Owns: the token in their header.

import { signal } from "@preact/signals";
import type { ProblemDocument } from "../../contracts/http-documents.ts";
import { CallProblem } from "./call-problem.ts";
import { signOut, tokenNow } from "./sign-in.ts";

export { CallProblem };

/** Grows whenever the role of the token was not enough: it may have changed. */
export const forbidden = signal(0);

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await (await call(path, { method: "GET", ...(signal === undefined ? {} : { signal }) })).json()) as T;
}

/** `key`: the same key starts the same thing once, however often it is sent. */
export async function post<T>(path: string, body: object, key?: string): Promise<T> {
  const headers = { "content-type": "application/json", ...(key === undefined ? {} : { "idempotency-key": key }) };
  return (await (await call(path, { method: "POST", headers, body: JSON.stringify(body) })).json()) as T;
}

/** Throws a CallProblem, also where nothing answers (status 0). */
export async function call(path: string, request: RequestInit): Promise<Response> {
  const token = tokenNow();
  const headers = { ...(request.headers as Record<string, string>), authorization: `Bearer ${token ?? ""}` };
  const answer = await reached(path, { ...request, headers, credentials: "omit", cache: "no-store" });
  if (answer.ok) return answer;
  const said = (await answer.json().catch(() => ({}))) as Partial<ProblemDocument>;
  // A late answer says nothing about the token that is there by now.
  if (answer.status === 401 && token === tokenNow()) signOut(said.detail ?? "");
  if (answer.status === 403) forbidden.value++;
  throw new CallProblem(answer.status, said);
}

async function reached(path: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(`/api/v1${path}`, request);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new CallProblem(0, { detail: "the service does not answer", hint: "`pawl up --background` starts it" });
  }
}
