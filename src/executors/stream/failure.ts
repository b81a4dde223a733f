// Classifies failures by the status, the names and the words that agents and their APIs use. All agents share these tables: a new
// wording is a new line here.

import type { FailureKind } from "../../domain/agent-event.ts";
import { resetTimeIn } from "./reset-time.ts";

export interface Failure {
  readonly kind: FailureKind;
  readonly message: string;
  /** When it passes, if the message says so. */
  readonly resetsAt: number | null;
}

export interface Complaint {
  readonly message: string;
  /** The HTTP status, if the agent reports it. */
  readonly status?: number | null;
  /** What the agent or its API calls the error; the most specific name first. */
  readonly names?: readonly unknown[];
  /** When the message was printed: "in 20 seconds" counts from then. */
  readonly at: number;
}

/** Some agents put a whole answer of their API into the message. */
const longestMessage = 4_000;

export function failureFrom(complaint: Complaint): Failure {
  const message = complaint.message.slice(0, longestMessage).trim();
  const kind = kindOf({ ...complaint, message });
  const resetsAt = passes.has(kind) ? resetTimeIn(message, complaint.at) : null;
  return { kind, message: message || "it failed and does not say why", resetsAt };
}

/** Kinds that pass by themselves; only their messages may say when. */
const passes: ReadonlySet<FailureKind> = new Set(["rate_limit", "quota", "overloaded"]);

function kindOf({ message, status, names }: Complaint): FailureKind {
  const kind =
    first(names ?? [], (name) => kindByName.get(name)) ??
    kindByStatus(status ?? null) ??
    kindByStatus(statusIn(message)) ??
    kindByWords(message) ??
    "other";
  // A used-up plan comes as 429, like a burst that passes in seconds; only the words differ.
  return kind === "rate_limit" && kindByWords(message) === "quota" ? "quota" : kind;
}

function first<In, Out>(values: readonly In[], find: (value: In) => Out | undefined): Out | undefined {
  for (const value of values) {
    const found = find(value);
    if (found !== undefined) return found;
  }
  return undefined;
}

const names: Readonly<Partial<Record<FailureKind, readonly string[]>>> = {
  auth: [
    "authentication_error",
    "authentication_failed",
    "authentication",
    "auth_required",
    "permission_error",
    "oauth_org_not_allowed",
    "ProviderAuthError",
    "FatalAuthenticationError",
  ],
  rate_limit: ["rate_limit_error", "rate_limit", "rate_limited", "rate_limit_exceeded", "too_many_requests"],
  quota: ["usage_limit_reached", "insufficient_quota", "quota_exceeded", "quota", "billing_error"],
  overloaded: ["overloaded_error", "overloaded", "server_overloaded"],
  server: ["server_error", "internal_server_error"],
  network: ["connection_failed", "connection_error"],
  context: ["prompt_too_long", "ContextOverflowError", "context_length_exceeded", "request_too_large"],
  max_turns: ["max_turns", "error_max_turns", "max_turn_requests", "FatalTurnLimitedError"],
  max_budget: ["budget_exhausted", "error_max_budget_usd"],
  aborted: [
    "aborted_tools",
    "aborted_streaming",
    "cancelled",
    "interrupted",
    "AbortError",
    "MessageAbortedError",
    "FatalCancellationError",
  ],
};

const kindByName: ReadonlyMap<unknown, FailureKind> = new Map(
  Object.entries(names).flatMap(([kind, list]) => list.map((name) => [name, kind as FailureKind] as const)),
);

const statuses: Readonly<Record<number, FailureKind>> = {
  401: "auth",
  402: "quota",
  403: "auth",
  407: "auth",
  408: "network",
  413: "context",
  429: "rate_limit",
  503: "overloaded",
  529: "overloaded",
};

function kindByStatus(status: number | null): FailureKind | undefined {
  if (status === null) return undefined;
  return statuses[status] ?? (status >= 500 && status <= 599 ? "server" : undefined);
}

/** `last status: 429`, `[API Error: 401 …]`, `{"code":401`, `(HTTP 401)`, `rejected (429)`; not any number of three digits. */
function statusIn(message: string): number | null {
  const found = /(?:\bstatus(?: ?code)?|\bcode|\bhttp|\berror|\brejected)["']?\W{0,3}([45]\d\d)\b/i.exec(message);
  return found ? Number(found[1]) : null;
}

/** The first match counts. */
const words: readonly (readonly [FailureKind, RegExp])[] = [
  ["rate_limit", /quota[^]{0,200}per.?minute/i],
  [
    "quota",
    /usage limit|\bhit your\b.{0,40}\blimit|\b(?:5-hour|weekly|daily|monthly) limit|quota (?:exceeded|reached|will reset|exhausted)|exceeded your (?:\w+ )?quota|insufficient.quota|credit balance|out of credits|more credits|billing/i,
  ],
  [
    "context",
    /prompt is too long|context (?:window|length)|maximum context|too many (?:input )?tokens|input is too long|out of room/i,
  ],
  ["max_turns", /maximum number of (?:turns|actions)|max(?:imum)? (?:session )?turns/i],
  ["max_budget", /maximum budget|budget (?:is )?(?:exhausted|exceeded)/i],
  ["rate_limit", /rate.?limit|too many requests|resource.?exhausted/i],
  ["overloaded", /overloaded|at capacity|service unavailable/i],
  [
    "auth",
    /not logged in|log ?in again|\/login\b|unauthori[sz]ed|forbidden|authenticat|api.key|invalid auth|expired token|token (?:has |is )?expired/i,
  ],
  [
    "network",
    /\bE(?:CONNRESET|CONNREFUSED|CONNABORTED|NOTFOUND|TIMEDOUT|AI_AGAIN|PIPE|HOSTUNREACH|NETUNREACH)\b|socket hang up|fetch failed|network|stream disconnected|error sending request|connection (?:\w+ )?(?:dropped|reset|refused|closed|failed|error|timed out)|timed out/i,
  ],
  ["server", /internal (?:server )?error|bad gateway|gateway time.?out|server error/i],
];

function kindByWords(message: string): FailureKind | undefined {
  return words.find(([, pattern]) => pattern.test(message))?.[0];
}

/** What agents tell their model when a call was denied. A program's own "permission denied" is not a denial. */
const denial =
  /requires? approval|rejected permission|could not request permission|denied by (?:policy|the user|user|permission)|(?:user|policy) (?:has )?(?:rejected|denied|declined)|blocked by (?:policy|read-only)|haven't granted|not allowed by (?:policy|permission)|a rule which prevents you/i;

export function isDenial(message: string): boolean {
  return denial.test(message.slice(0, longestMessage));
}
