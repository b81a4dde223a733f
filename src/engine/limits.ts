// Limits. Owns: how often something may repeat. No counter is stored: each limit is a question over attempts, so none can
// drift and no inner loop resets an outer one.

import { type EndedAttempt, hasEnded, type Taken } from "../domain/attempt.ts";
import type { PerformedDefinition } from "../domain/definition.ts";
import type { StepName, StoryId } from "../domain/ids.ts";
import { type Limit, type Route, type RouteRule, repeats } from "../domain/route.ts";
import type { Header } from "../domain/run.ts";
import type { Scope } from "../domain/scope.ts";
import { bodyOf } from "./definitions.ts";
import type { Draft } from "./draft.ts";

/** The route that is really taken: the rule's own, or what its limit leads to. */
export interface Permitted {
  readonly route: Route;
  readonly taken: Taken;
  /** Which limit was reached, in words; null when none was. */
  readonly exhausted: string | null;
}

export function permit(
  draft: Draft,
  story: StoryId | null,
  definition: PerformedDefinition,
  key: Taken["key"],
  rule: RouteRule,
): Permitted {
  const { route } = rule;
  if (!repeats(route)) return { route, taken: { key, to: route.to, draws: null }, exhausted: null };

  const scope = draft.scope(story);
  const own = countedAttempts(scope, definition.name);
  const limits: { draws: NonNullable<Taken["draws"]>; limit: Limit; used: number; what: string }[] = [];
  if (rule.limit) {
    const used = own.filter(({ state }) => state.taken?.key === key && state.taken.draws !== null).length;
    limits.push({ draws: "edge", limit: rule.limit, used, what: `${definition.name}: ${describe(key, route)}` });
  }
  if (definition.budget && key !== "error") {
    const used = own.filter(
      ({ state }) => state.taken !== null && state.taken.key !== "error" && state.taken.draws !== null,
    ).length;
    limits.push({
      draws: "decision",
      limit: definition.budget,
      used,
      what: `${definition.name}: all routes back together`,
    });
  }
  if (limits.length === 0 && story !== null) {
    const used = countedAttempts(scope, null).filter(({ state }) => state.taken?.draws === "story").length;
    limits.push({ draws: "story", limit: bodyOf(draft.run, story).storyBudget, used, what: `story ${story}` });
  }

  const reached = limits.find(({ limit, used }) => used >= limit.atMost);
  if (reached) {
    const { then } = reached.limit;
    const exhausted = `${reached.what}: limit of ${reached.limit.atMost} reached`;
    return { route: then, taken: { key, to: then.to, draws: null }, exhausted };
  }
  return { route, taken: { key, to: route.to, draws: limits[0]?.draws ?? null }, exhausted: null };
}

/** Deaths that we did not cause use no budget of the step, but have a cap of their own. */
export function lostTooOften(draft: Draft, story: StoryId | null, name: StepName): boolean {
  const lost = countedAttempts(draft.scope(story), name).filter(({ state }) => state.outcome === "lost").length;
  return lost >= draft.run.header.caps.lostPerStep;
}

/** The run-wide cap that one more attempt would break, in words; null when none. */
export function capReached(header: Header, at: number): string | null {
  const { caps, totals } = header;
  if (totals.attempts >= caps.attempts) return `the run has used its ${caps.attempts} attempts`;
  if (totals.steps > caps.steps) return `the run has more than its ${caps.steps} steps`;
  if (at - header.startedAt >= caps.wallMs) return `the run has used its ${Math.round(caps.wallMs / 60_000)} minutes`;
  if (totals.costUsd >= caps.costUsd) return `the run has spent its ${caps.costUsd} USD`;
  return null;
}

/** Ended attempts of one step, or of the whole scope, since its limits were last renewed. */
export function countedAttempts(scope: Scope, name: StepName | null): readonly EndedAttempt[] {
  const all = scope.countsFrom["*"] ?? 0;
  return scope.attempts.filter((attempt, index): attempt is EndedAttempt => {
    if (!hasEnded(attempt) || index < all) return false;
    return (name === null || attempt.name === name) && index >= (scope.countsFrom[attempt.name] ?? 0);
  });
}

function describe(key: Taken["key"], route: Route): string {
  const said = key === "error" ? "failure" : key.startsWith("=") ? key.slice(1) : key.replace(":", " ");
  return route.to === "back_to" ? `${said} back to ${route.step}` : said;
}
