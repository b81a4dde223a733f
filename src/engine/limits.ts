// Decides how often something may repeat and how much it may use. No counter is stored: each limit is computed from the
// attempts, so none can drift, and no inner loop resets an outer one.

import { type Attempt, type EndedAttempt, hasEnded, nameWithPart, type Taken } from "../domain/attempt.ts";
import { counted } from "../domain/counted.ts";
import type { CapName, Caps, PerformedWork } from "../domain/definition.ts";
import type { PartName, StepName, StoryId } from "../domain/ids.ts";
import { type IncludeBudget, isWithin } from "../domain/include.ts";
import { anyOtherValue, type Limit, type Route, type RouteRule, repeats, type Spend } from "../domain/route.ts";
import { type Header, type Run, scopeOf } from "../domain/run.ts";
import { partKey, type Scope, stepOfKey } from "../domain/scope.ts";
import type { Step } from "../domain/step.ts";
import { bodyOf, definitionOf, partDefinition } from "./definitions.ts";
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
  definition: PerformedWork,
  key: Taken["key"],
  rule: RouteRule,
  part?: PartName,
): LimitedRoute {
  const { route } = rule;
  // A question about an error leads to the next attempt as well, where the budget covers errors.
  const asksAgain = route.to === "gate" && !isVerdict(key) && definition.budget?.errors === true;
  if (!repeats(route) && !asksAgain) return { route, taken: { key, to: route.to, draws: null }, exhausted: null };

  const scope = draft.scope(story);
  const own = countedRoutes(scope, definition.name, part);
  const name = nameWithPart({ name: definition.name, ...(part === undefined ? {} : { part }) });
  const limits: { draws: NonNullable<Taken["draws"]>; limit: Limit; used: number; what: string }[] = [];
  if (rule.limit) {
    const used = own.filter((taken) => taken.key === key && taken.draws !== null).length;
    limits.push({ draws: "edge", limit: rule.limit, used, what: `${name}: ${describe(key, route)}` });
  }
  const { budget } = definition;
  const isCovered = (taken: Taken["key"]) => budget?.errors === true || isVerdict(taken);
  if (budget && isCovered(key)) {
    const used = own.filter((taken) => isCovered(taken.key) && taken.draws !== null).length;
    limits.push({
      draws: "decision",
      limit: budget,
      used,
      what: `${name}: all ${budget.errors ? "retries" : "routes back"} together`,
    });
  }
  if (limits.length === 0 && story !== null) {
    const used = countedRoutes(scope, null).filter(({ draws }) => draws === "story").length;
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

/** The step that routes is the one at work. If it runs for each entry of a list, its limits hold for each of them. */
function isOfEntry({ chain }: Scope, name: StepName): (taken: Pick<EndedAttempt, "step">) => boolean {
  const item = chain.find((step) => step.name === name && step.state.status === "running")?.item;
  if (item === undefined) return () => true;
  const same = chain.filter((step) => step.item?.first === item.first && step.item.number === item.number);
  const ids = new Set(same.map(({ id }) => id));
  return ({ step }) => ids.has(step);
}

/** How often a step has restarted at its own request. */
export function restartsUsed(scope: Scope, step: Step): number {
  const asked = countedAttempts(scope, step.name).filter(
    ({ step: id, state }) => id === step.id && state.taken?.key === "edit" && state.taken.to === "again",
  );
  return asked.length + (step.restartsBefore ?? 0);
}

/** Lost attempts use no budget of the step, but have a cap of their own. */
export function lostTooOften(draft: Draft, story: StoryId | null, { name, part }: Attempt): boolean {
  const own = countedAttempts(draft.scope(story), name).filter((attempt) => attempt.part === part);
  const lost = own.filter(({ state }) => state.outcome === "lost").length;
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
  definition: PerformedWork,
  part?: PartName,
): LimitedRoute | null {
  for (const { limit, attempts, what } of spendLimitsOf(draft.run, story, definition, part)) {
    const over = limit.spend && overspent(attempts, limit.spend);
    if (!over) continue;
    const { then } = limit;
    return { route: then, taken: { key: "error", to: then.to, draws: null }, exhausted: `${what}: ${over}` };
  }
  return includeSpent(draft, story, definition);
}

/** The caps of an included workflow hold for the attempts of all its steps in this chain. */
function includeSpent(draft: Draft, story: StoryId | null, definition: PerformedWork): LimitedRoute | null {
  for (const { id, budget, attempts, started } of includeBudgetsOf(draft.run, story, definition)) {
    const isFull = budget.attempts !== null && started >= budget.attempts;
    const full = isFull ? `its ${counted(budget.attempts ?? 0, "attempt")} are used` : null;
    const over = full ?? overspent(attempts, budget.spend);
    if (over === null) continue;
    const { then } = budget;
    return { route: then, taken: { key: "error", to: then.to, draws: null }, exhausted: `${id}: ${over}` };
  }
  return null;
}

interface IncludeUse {
  readonly id: string;
  readonly budget: IncludeBudget;
  readonly attempts: readonly EndedAttempt[];
  /** With those that run: parts run at the same time. */
  readonly started: number;
}

function includeBudgetsOf(run: Run, story: StoryId | null, definition: PerformedWork): readonly IncludeUse[] {
  const scope = scopeOf(run, story);
  if (!scope || definition.include === undefined) return [];
  return Object.entries(run.header.definition.includes ?? {}).flatMap(([id, { budget }]) => {
    if (budget === undefined || !isWithin(definition, id)) return [];
    const isOwn = (name: StepName) => isWithin(definitionOf(run, story, name), id);
    // A person who renews the limits of one of its steps, or of a part of one, renews those of the whole.
    const renewed = Object.entries(scope.countsFrom).map(([key, from]) => {
      const name = stepOfKey(key);
      return name === null || isOwn(name) ? from : 0;
    });
    const attempts = scope.attempts.slice(Math.max(0, ...renewed)).filter(({ name }) => isOwn(name));
    return [{ id, budget, attempts: attempts.filter(hasEnded), started: attempts.length }];
  });
}

/** How long an attempt that starts now may run before it reaches a hard time limit; null if there is none. */
export function timeLeft(
  run: Run,
  { story, part }: Pick<Attempt, "story" | "part">,
  definition: PerformedWork,
  at: number,
): number | null {
  const { caps, startedAt } = run.header;
  const left = caps.hard ? [startedAt + caps.wallMs - at] : [];
  for (const { limit, attempts } of spendLimitsOf(run, story, definition, part)) {
    if (limit.spend?.hard && limit.spend.wallMs !== null) left.push(limit.spend.wallMs - timeOf(attempts));
  }
  for (const { budget, attempts } of includeBudgetsOf(run, story, definition)) {
    if (budget.spend.hard && budget.spend.wallMs !== null) left.push(budget.spend.wallMs - timeOf(attempts));
  }
  return left.length === 0 ? null : Math.max(0, Math.min(...left));
}

interface SpendLimit {
  readonly limit: Limit;
  readonly attempts: readonly EndedAttempt[];
  readonly what: string;
}

function spendLimitsOf(
  run: Run,
  story: StoryId | null,
  definition: PerformedWork,
  part: PartName | undefined,
): readonly SpendLimit[] {
  const scope = scopeOf(run, story);
  if (!scope) return [];
  const all = countedAttempts(scope, definition.name);
  const own: SpendLimit[] = definition.budget
    ? [{ limit: definition.budget, attempts: all, what: definition.name }]
    : [];
  const spend = part === undefined ? undefined : partDefinition(definition, part)?.spend;
  if (part !== undefined && spend !== undefined) {
    const limit: Limit = { atMost: 0, then: { to: "fail", reason: "" }, spend };
    own.push({
      limit,
      attempts: all.filter((attempt) => attempt.part === part),
      what: nameWithPart({ name: definition.name, part }),
    });
  }
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
  return scope.attempts.filter((attempt, index): attempt is EndedAttempt => {
    if (!hasEnded(attempt) || (name !== null && attempt.name !== name)) return false;
    return index >= countsFrom(scope, attempt);
  });
}

function countsFrom({ countsFrom: from }: Scope, { name, part }: Pick<Attempt, "name" | "part">): number {
  const ofPart = part === undefined ? 0 : (from[partKey(name, part)] ?? 0);
  return Math.max(from["*"] ?? 0, from[name] ?? 0, ofPart);
}

/**
 * The routes that ended attempts led to: those of one step, of one part of it, or of the whole scope. Of a step with parts these are
 * its rounds: what its parts did does not use up its limits.
 */
function countedRoutes(scope: Scope, name: StepName | null, part?: PartName): readonly Taken[] {
  const isOwn = name === null ? () => true : isOfEntry(scope, name);
  const attempts = countedAttempts(scope, name).filter(
    (attempt) => name === null || (attempt.part === part && isOwn(attempt)),
  );
  const rounds = (scope.rounds ?? []).filter(
    (round) => name === null || (round.name === name && part === undefined && isOwn(round)),
  );
  return [...attempts.flatMap(({ state }) => state.taken ?? []), ...rounds.map(({ taken }) => taken)];
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
