// Every way out of a step, where each can lead, and which steps of a chain can be reached.

import type { GateStep, PerformedDefinition, StepDefinition } from "../../domain/definition.ts";
import { isWithin } from "../../domain/include.ts";
import { type Limit, type Route, repeats, type VerdictKey } from "../../domain/route.ts";

export interface Exit {
  readonly route: Route;
  readonly key: VerdictKey | "error" | "unreadable" | "budget" | "option";
  /** Taken by a rule, at the end of a limit, or because a person answered so. */
  readonly as: "rule" | "then" | "answer";
  /** The rule's own limit. */
  readonly limit: Limit | null;
}

export function exitsOf(step: StepDefinition): Exit[] {
  if (step.kind === "stories") return [];
  if (step.kind === "gate") return answers(step.options);
  const { onError, onErrorBy = {}, onUnreadable } = step;
  return [
    ...verdictExits(step),
    ...[onError, ...Object.values(onErrorBy)].flatMap(({ route, limit }) => ruleExits("error", route, limit)),
    ...(onUnreadable ? ruleExits("unreadable", onUnreadable.route, onUnreadable.limit) : []),
  ];
}

/** Without crashes: what follows from what the step said. */
function verdictExits(step: PerformedDefinition): Exit[] {
  const rules = Object.entries(step.on) as [VerdictKey, (typeof step.on)[VerdictKey]][];
  return [
    ...rules.flatMap(([key, rule]) => (rule ? ruleExits(key, rule.route, rule.limit) : [])),
    ...(step.budget ? routeExits("budget", "then", step.budget.then, null) : []),
  ];
}

function ruleExits(key: Exit["key"], route: Route, limit: Limit | null): Exit[] {
  return [...routeExits(key, "rule", route, limit), ...(limit ? routeExits(key, "then", limit.then, null) : [])];
}

function routeExits(key: Exit["key"], as: Exit["as"], route: Route, limit: Limit | null): Exit[] {
  const own: Exit = { route, key, as, limit };
  return route.to === "gate" ? [own, ...answers(route.options)] : [own];
}

/** All routes below a gate's options. */
export function answers(options: Readonly<Record<string, Route>>): Exit[] {
  return Object.values(options).flatMap((route) => routeExits("option", "answer", route, null));
}

export type Asking = GateStep | (Route & { readonly to: "gate" });

/** Every question that a step may ask: itself, at the end of a route or of a limit, or after another answer. */
export function gatesOf(step: StepDefinition): Asking[] {
  const exits = step.kind === "stories" ? routeExits("budget", "then", step.storyBudget.then, null) : exitsOf(step);
  const routes = new Set(exits.map(({ route }) => route));
  return [...(step.kind === "gate" ? [step] : []), ...[...routes].filter((route) => route.to === "gate")];
}

/** False where each route back has a limit of its own and the budget's number is never reached before theirs. */
export function limitsRoutes({ on, budget }: PerformedDefinition): boolean {
  if (budget === null || budget.spend === undefined || budget.errors) return budget !== null;
  const back = Object.values(on).flatMap((rule) => (rule && repeats(rule.route) ? [rule] : []));
  const together = back.reduce((sum, { limit }) => sum + (limit?.atMost ?? 0), 0);
  return back.some(({ limit }) => limit === null) || budget.atMost < together;
}

/** The steps that no way from the first one leads to, in order. */
export function unreached(chain: readonly StepDefinition[]): StepDefinition[] {
  const places = placesOf(chain);
  const reached = new Set<number>();
  const open = [nextOf(chain, -1)];
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    const step = chain[index];
    if (!step || reached.has(index)) continue;
    reached.add(index);
    if (step.kind === "stories") open.push(nextOf(chain, index));
    // A step that its condition skips leads on as `next` does.
    if (maySkip(step)) open.push(...targetsOf(places, { to: "next" }, index));
    for (const { include } of step.entries ?? []) open.push(behindInclude(chain, include));
    for (const { route } of exitsOf(step)) open.push(...targetsOf(places, route, index));
  }
  return chain.filter((_, index) => !reached.has(index));
}

/** By its condition, or because its list is empty. */
function maySkip(step: StepDefinition): boolean {
  return step.if !== undefined || step.repeatFor !== undefined;
}

/**
 * Whether some answer can lead out: to the end of the chain, or to a failure that a person chose. A crash or
 * a used-up limit is not a way out that a person could take.
 */
export function leadsOut(chain: readonly StepDefinition[], index: number, asking: Asking): boolean {
  const places = placesOf(chain);
  const reached = new Set<number>();
  const open: number[] = [];
  const take = (exits: readonly Exit[], at: number): boolean => {
    open.push(...exits.flatMap(({ route }) => targetsOf(places, route, at)));
    return exits.some(({ route, as }) => route.to === "fail" && as !== "then");
  };
  if (take(answers(asking.options), index)) return true;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const step = chain[at];
    // Past the last step; a target that does not exist is reported elsewhere.
    if (!step) return true;
    if (reached.has(at)) continue;
    reached.add(at);
    if (maySkip(step)) open.push(...targetsOf(places, { to: "next" }, at));
    for (const { include } of step.entries ?? []) open.push(behindInclude(chain, include));
    if (step.kind === "stories") open.push(nextOf(chain, at));
    else if (take(step.kind === "gate" ? answers(step.options) : verdictExits(step), at)) return true;
  }
  return false;
}

/** A chain with what is asked of it again and again. */
interface Places {
  /** Where an early end leads: to the integration of the chain, else past its last step. */
  readonly end: number;
  readonly chain: readonly StepDefinition[];
  readonly indexOf: ReadonlyMap<string, number>;
  /** Where the chain continues after each inserted step: a spare one has no other place. */
  readonly returns: ReadonlyMap<string, readonly number[]>;
}

function placesOf(chain: readonly StepDefinition[]): Places {
  const indexOf = new Map(chain.map((step, index) => [step.name as string, index]));
  const returns = new Map<string, number[]>();
  chain.forEach((step, index) => {
    for (const { route } of exitsOf(step)) {
      if (route.to !== "insert") continue;
      const place = route.before === undefined ? index : (indexOf.get(route.before) ?? -1);
      for (const name of route.steps) returns.set(name, [...(returns.get(name) ?? []), place]);
    }
  });
  const integration = chain.findIndex(({ kind }) => kind === "integrate");
  return { chain, indexOf, returns, end: integration < 0 ? chain.length : integration };
}

function targetsOf({ chain, indexOf, returns, end }: Places, route: Route, index: number): readonly number[] {
  switch (route.to) {
    case "next":
      return chain[index]?.spare ? (returns.get(chain[index].name) ?? []) : [nextOf(chain, index)];
    case "again":
      return [index];
    case "go_to":
    case "back_to":
      return [indexOf.get(route.step) ?? -1];
    case "insert": {
      const rest = route.before === undefined ? index : (indexOf.get(route.before) ?? -1);
      return [...route.steps.map((name) => indexOf.get(name) ?? -1), rest];
    }
    case "end":
      return [route.of === undefined ? end : behindInclude(chain, route.of)];
    case "gate":
    case "fail":
      return [];
  }
}

/** Spare steps are not in the chain until a route inserts them. */
function nextOf(chain: readonly StepDefinition[], index: number): number {
  let next = index + 1;
  while (chain[next]?.spare) next += 1;
  return next;
}

/** Where the chain continues behind an included workflow. */
function behindInclude(chain: readonly StepDefinition[], include: string): number {
  return nextOf(
    chain,
    chain.findLastIndex((step) => isWithin(step, include)),
  );
}
