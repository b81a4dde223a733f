// Routes. Owns: where a verdict can lead. This is all the control flow there is.

import type { StepName } from "./ids.ts";

export type Route =
  | { readonly to: "next" }
  | { readonly to: "again" }
  | { readonly to: "back_to"; readonly step: StepName }
  | { readonly to: "go_to"; readonly step: StepName }
  /** Runs these first, then the routing step again; or, with `before`, all from that earlier step on. */
  | { readonly to: "insert"; readonly steps: readonly StepName[]; readonly before?: StepName }
  | { readonly to: "gate"; readonly question: string; readonly options: GateOptions; readonly deadline?: GateDeadline }
  | { readonly to: "fail"; readonly reason: string };

/**
 * Every gate names its options and where each leads; the first is `approve`, the last is `reject`. `reject:unclear` is the
 * option `reject` with the reason `unclear`, where that leads elsewhere.
 */
export type GateOptions = Readonly<Record<string, Route>>;

/** The option that is taken when no answer comes in time. */
export interface GateDeadline {
  readonly afterMs: number;
  readonly option: string;
}

/** A limit: `route` at most so often, then something else. An exhausted limit never means "continue as if nothing happened". */
export interface Limit {
  readonly atMost: number;
  readonly then: Route;
  /** What the attempts that it covers may cost together. */
  readonly spend?: Spend;
}

export interface Spend {
  readonly costUsd: number | null;
  readonly tokens: number | null;
  readonly wallMs: number | null;
  /** Running out stops an attempt that runs; its work is kept. */
  readonly hard: boolean;
}

/** A route with its own limit; without one, the story's or the decision's budget covers it. */
export interface RouteRule {
  readonly route: Route;
  readonly limit: Limit | null;
}

/**
 * Which rule of `on` a verdict takes: `passed`, `rejected`, `rejected:<reason>`, or `=<value>` for a deciding key.
 * Values are folded (trimmed, lower case) on both sides.
 */
export type VerdictKey = "passed" | "rejected" | `rejected:${string}` | `=${string}`;

/** True for a route that makes the chain run something again. Such a route must meet a limit. */
export function repeats(route: Route): boolean {
  return route.to === "again" || route.to === "back_to" || route.to === "insert";
}
