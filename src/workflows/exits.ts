// Exits. Owns: every way out of a step, and which steps of a chain some way leads to.

import type { StepDefinition } from "../domain/definition.ts";
import type { Limit, Route, VerdictKey } from "../domain/route.ts";

export interface Exit {
  readonly route: Route;
  readonly key: VerdictKey | "error" | "budget" | "option";
  /** Taken by a rule, at the end of a limit, or because a person answered so. */
  readonly as: "rule" | "then" | "answer";
  /** The rule's own limit. */
  readonly limit: Limit | null;
}

export function exitsOf(step: StepDefinition): Exit[] {
  if (step.kind === "stories") return [];
  if (step.kind === "gate") return answers(step.options);
  const rules = Object.entries(step.on) as [VerdictKey, (typeof step.on)[VerdictKey]][];
  return [
    ...rules.flatMap(([key, rule]) => (rule ? ruleExits(key, rule.route, rule.limit) : [])),
    ...ruleExits("error", step.onError.route, step.onError.limit),
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

/** The steps that no way from the first one leads to, in order. */
export function unreached(chain: readonly StepDefinition[]): StepDefinition[] {
  const indexOf = new Map(chain.map((step, index) => [step.name, index]));
  const reached = new Set<number>();
  const open = [0];
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    const step = chain[index];
    if (!step || reached.has(index)) continue;
    reached.add(index);
    if (step.kind === "stories") open.push(index + 1);
    for (const { route } of exitsOf(step)) {
      if (route.to === "next") open.push(index + 1);
      if (route.to === "go_to" || route.to === "back_to") open.push(indexOf.get(route.step) ?? -1);
      if (route.to === "insert") open.push(...route.steps.map((name) => indexOf.get(name) ?? -1));
    }
  }
  return chain.filter((_, index) => !reached.has(index));
}
