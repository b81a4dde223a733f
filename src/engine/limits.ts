// Decides how often something may repeat and how much it may use. No counter is stored: each limit is computed from the
// attempts, so none can drift, and no inner loop resets an outer one.

import { type EndedAttempt, hasEnded, type Taken } from "../domain/attempt.ts";
import { counted } from "../domain/counted.ts";
import type { CapName, Caps, PerformedDefinition } from "../domain/definition.ts";
import type { StepName, StoryId } from "../domain/ids.ts";
import { anyOtherValue, type Limit, type Route, type RouteRule, repeats, type Spend } from "../domain/route.ts";
import { type Header, type Run, scopeOf } from "../domain/run.ts";
import type { Scope } from "../domain/scope.ts";
import type { Step } from "../domain/step.ts";
import { bodyOf } from "./definitions.ts";
import type { Draft } from "./draft.ts";

/** The route to take: the rule's own, or the one that its limit leads to. */
export interface LimitedRoute {
  readonly route: Route;
  readonly taken: Taken;
  /** Which limit was reached, in words; null if none was. */
  readonly exhausted: string | null;
}

export function applyLimits(
  draft: Draft,
  story: StoryId | null,
  definition: PerformedDefinition,
  key: Taken["key"],
  rule: RouteRule,
): LimitedRoute {
  const { route } = rule;
  // A question about an error leads to the next attempt as well, where the budget covers errors.
  const asksAgain = route.to === "gate" && !isVerdict(key) && definition.budget?.errors === true;
  if (!repeats(route) && !asksAgain) return { route, taken: { key, to: route.to, draws: null }, exhausted: null };

  const scope = draft.scope(story);
  const own = countedAttempts(scope, definition.name);
  const limits: { draws: NonNullable<Taken["draws"]>; limit: Limit; used: number; what: string }[] = [];
  if (rule.limit) {
    const used = own.filter(({ state }) => state.taken?.key === key && state.taken.draws !== null).length;
    limits.push({ draws: "edge", limit: rule.limit, used, what: `${definition.name}: ${describe(key, route)}` });
  }
  const { budget } = definition;
  const isCovered = (taken: Taken["key"]) => budget?.errors === true || isVerdict(taken);
  if (budget && isCovered(key)) {
    const used = own.filter(
      ({ state }) => state.taken !== null && isCovered(state.taken.key) && state.taken.draws !== null,
    ).length;
    limits.push({
      draws: "decision",
      limit: budget,
      used,
      what: `${definition.name}: all ${budget.errors ? "retries" : "routes back"} together`,
    });
  }
  if (limits.length === 0 && story !== null) {
    const used = countedAttempts(scope, null).filter(({ state }) => state.taken?.draws === "story").length;
    limits.push({ draws: "story", limit: bodyOf(draft.run, story).storyBudget, used, what: `story ${story}` });
  }

  const reached = limits.find(({ limit, used }) => used >= limit.atMost);
  if (reached) {
    const then = reached.draws === "story" ? onceMore(reached.limit.then, route) : reached.limit.then;
    const exhausted = `${reached.what}: limit of ${reached.limit.atMost} reached`;
    return { route: then, taken: { key, to: then.to, draws: null }, exhausted };
  }
  return { route, taken: { key, to: route.to, draws: limits[0]?.draws ?? null }, exhausted: null };
}

/**
 * `continue` at the end of a story's budget takes the route that the budget refused. For a verifier that is its way back: the
 * verifier once more would judge the same work.
 */
function onceMore(then: Route, refused: Route): Route {
  if (then.to !== "gate" || then.options["continue"]?.to !== "again") return then;
  return { ...then, options: { ...then.options, continue: refused } };
}

/** How often a step has restarted at its own request. */
export function restartsUsed(scope: Scope, step: Step): number {
  const asked = countedAttempts(scope, step.name).filter(
    ({ step: id, state }) => id === step.id && state.taken?.key === "edit" && state.taken.to === "again",
  );
  return asked.length + (step.restartsBefore ?? 0);
}

/** Lost attempts use no budget of the step, but have a cap of their own. */
export function lostTooOften(draft: Draft, story: StoryId | null, name: StepName): boolean {
  const lost = countedAttempts(draft.scope(story), name).filter(({ state }) => state.outcome === "lost").length;
  return lost >= draft.run.header.caps.lostPerStep;
}

/** The run-wide cap that one more attempt would exceed, in words; null if none. */
export function capReached(header: Header, at: number): string | null {
  return capsOf(header, at).find(({ used, limit }) => used >= limit)?.words ?? null;
}

/** All caps, with those that are reached raised by their current value. */
export function raisedCaps(header: Header, at: number): Caps {
  const raised = capsOf(header, at)
    .filter(({ used, limit }) => used >= limit)
    .map(({ name, used }) => [name, used + defaultRaise(header.caps[name])]);
  return { ...header.caps, ...Object.fromEntries(raised) };
}

/** A cap of 0 is raised to 1, since adding 0 would change nothing. */
function defaultRaise(cap: number): number {
  return cap > 0 ? cap : 1;
}

interface Cap {
  readonly name: CapName;
  readonly used: number;
  readonly limit: number;
  readonly words: string;
}

/** Every cap with what the run has used of it. */
export function capsOf({ caps, totals, startedAt }: Header, at: number): readonly Cap[] {
  const tokens = totals.inputTokens + totals.outputTokens;
  const minutes = Math.round(caps.wallMs / 60_000);
  return [
    {
      name: "attempts",
      used: totals.attempts,
      limit: caps.attempts,
      words: `the run has used its ${counted(caps.attempts, "attempt")}`,
    },
    {
      name: "steps",
      used: totals.steps - 1,
      limit: caps.steps,
      words: `the run has more than its ${counted(caps.steps, "step")}`,
    },
    {
      name: "wallMs",
      used: at - startedAt,
      limit: caps.wallMs,
      words: `the run has used its ${counted(minutes, "minute")}`,
    },
    {
      name: "costUsd",
      used: usd(totals.costUsd),
      limit: caps.costUsd,
      words: `the run has spent its ${caps.costUsd} USD`,
    },
    {
      name: "tokens",
      used: tokens,
      limit: caps.tokens,
      words: `the run has used its ${counted(caps.tokens, "token")}`,
    },
  ];
}

/** The first spending limit of the step or its story that is used up; null if none is. */
export function spendReached(
  draft: Draft,
  story: StoryId | null,
  definition: PerformedDefinition,
): LimitedRoute | null {
  for (const { limit, attempts, what } of spendLimitsOf(draft.run, story, definition)) {
    const over = limit.spend && overspent(attempts, limit.spend);
    if (!over) continue;
    const { then } = limit;
    return { route: then, taken: { key: "error", to: then.to, draws: null }, exhausted: `${what}: ${over}` };
  }
  return null;
}

/** How long an attempt that starts now may run before it reaches a hard time limit; null if there is none. */
export function timeLeft(run: Run, story: StoryId | null, definition: PerformedDefinition, at: number): number | null {
  const { caps, startedAt } = run.header;
  const left = caps.hard ? [startedAt + caps.wallMs - at] : [];
  for (const { limit, attempts } of spendLimitsOf(run, story, definition)) {
    if (limit.spend?.hard && limit.spend.wallMs !== null) left.push(limit.spend.wallMs - timeOf(attempts));
  }
  return left.length === 0 ? null : Math.max(0, Math.min(...left));
}

interface SpendLimit {
  readonly limit: Limit;
  readonly attempts: readonly EndedAttempt[];
  readonly what: string;
}

function spendLimitsOf(run: Run, story: StoryId | null, definition: PerformedDefinition): readonly SpendLimit[] {
  const scope = scopeOf(run, story);
  if (!scope) return [];
  const own: SpendLimit[] = definition.budget
    ? [{ limit: definition.budget, attempts: countedAttempts(scope, definition.name), what: definition.name }]
    : [];
  if (story === null) return own;
  return [
    ...own,
    { limit: bodyOf(run, story).storyBudget, attempts: countedAttempts(scope, null), what: `story ${story}` },
  ];
}

function overspent(attempts: readonly EndedAttempt[], spend: Spend): string | null {
  const sum = (of: (attempt: EndedAttempt) => number) => attempts.reduce((total, attempt) => total + of(attempt), 0);
  const cost = usd(sum(({ usage }) => usage.costUsd));
  const tokens = sum(({ usage }) => usage.inputTokens + usage.outputTokens);
  if (spend.costUsd !== null && cost >= spend.costUsd) return `its budget of ${spend.costUsd} USD is spent`;
  if (spend.tokens !== null && tokens >= spend.tokens)
    return `its budget of ${counted(spend.tokens, "token")} is spent`;
  if (spend.wallMs !== null && timeOf(attempts) >= spend.wallMs)
    return `its budget of ${Math.round(spend.wallMs / 1000)} s is spent`;
  return null;
}

/** In floating point eight times 0.1 is a little less than 0.8, which would allow a ninth attempt. */
function usd(sum: number): number {
  return Math.round(sum * 1e6) / 1e6;
}

function timeOf(attempts: readonly EndedAttempt[]): number {
  return attempts.reduce((total, { startedAt, state }) => total + (state.endedAt - startedAt), 0);
}

/** Ended attempts of one step, or of the whole scope, since the limits were last renewed. */
function countedAttempts(scope: Scope, name: StepName | null): readonly EndedAttempt[] {
  const all = scope.countsFrom["*"] ?? 0;
  return scope.attempts.filter((attempt, index): attempt is EndedAttempt => {
    if (!hasEnded(attempt) || index < all) return false;
    return (name === null || attempt.name === name) && index >= (scope.countsFrom[attempt.name] ?? 0);
  });
}

function isVerdict(key: Taken["key"]): boolean {
  return key !== "unreadable" && !key.startsWith("error");
}

function describe(key: Taken["key"], route: Route): string {
  const said = saidText(key);
  return route.to === "back_to" ? `${said} back to ${route.step}` : said;
}

function saidText(key: Taken["key"]): string {
  if (key === "error" || key === "error:failed") return "failure";
  if (key === "error:timed_out") return "time-out";
  if (key === "unreadable") return "unreadable answer";
  if (key === anyOtherValue) return "any other value";
  return key.startsWith("=") ? key.slice(1) : key.replace(":", " ");
}
