// Routes: where a verdict can lead. There is no other control flow.

import type { StepName } from "./ids.ts";

export type Route =
  | { readonly to: "next" }
  | { readonly to: "again" }
  | { readonly to: "back_to"; readonly step: StepName }
  | { readonly to: "go_to"; readonly step: StepName }
  /** Runs these steps first, then the routing step again; with `before`, everything from that earlier step on. */
  | { readonly to: "insert"; readonly steps: readonly StepName[]; readonly before?: StepName }
  /** Finishes the chain early and successfully; work that must be integrated is integrated first. `of`: only that included workflow. */
  | { readonly to: "end"; readonly of?: string }
  | { readonly to: "gate"; readonly question: string; readonly options: GateOptions; readonly deadline?: GateDeadline }
  | { readonly to: "fail"; readonly reason: string };

/**
 * The options of a gate and their routes. `pawl approve` takes the first, `pawl reject` the last. `reject:unclear` is a route of
 * its own for the option `reject` with the reason `unclear`.
 */
export type GateOptions = Readonly<Record<string, Route>>;

/** The option that is taken if no answer comes in time. */
export interface GateDeadline {
  readonly afterMs: number;
  readonly option: string;
}

/** A route may be taken at most `atMost` times; after that, `then` is taken. An exhausted limit is never ignored. */
export interface Limit {
  readonly atMost: number;
  readonly then: Route;
  /** Attempts that did not complete draw on it, too; absent: only verdicts do. It is for the budget of a step. */
  readonly errors?: boolean;
  /** What the covered attempts may use together. */
  readonly spend?: Spend;
}

export interface Spend {
  readonly costUsd: number | null;
  readonly tokens: number | null;
  readonly wallMs: number | null;
  /** Running out of time stops a running attempt; its work is kept. */
  readonly hard: boolean;
}

/** A route with its own limit; without one, the budget of the step or the story applies. */
export interface RouteRule {
  readonly route: Route;
  readonly limit: Limit | null;
}

/**
 * The key of the rule that a verdict takes: `passed`, `rejected`, `rejected:<reason>`, or `=<value>` for a deciding key.
 * Values are compared trimmed and in lower case.
 */
export type VerdictKey = "passed" | "rejected" | `rejected:${string}` | `=${string}`;

/** The ends of an attempt that can have a rule of their own in `on_error`. */
export type ErrorOutcome = "failed" | "timed_out";

/** The rule for every value of a deciding key that has no rule of its own. No answer has an empty value. */
export const anyOtherValue = "=";

/** Values and reasons are compared without regard to case and to spaces around them. */
export function foldValue(text: string): string {
  return text.trim().toLowerCase();
}

/** The values of a deciding key that have a rule of their own, in the order of the file. */
export function decidedValues(on: Readonly<Partial<Record<VerdictKey, RouteRule>>>): readonly string[] {
  return Object.keys(on).flatMap((key) => (key.startsWith("=") && key !== anyOtherValue ? [key.slice(1)] : []));
}

/** True for a route that makes the chain run something again. Such a route must have a limit. */
export function repeats(route: Route): boolean {
  return route.to === "again" || route.to === "back_to" || route.to === "insert";
}
