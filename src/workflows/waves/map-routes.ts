// Changes every route of a step. A copy counts as written where its original was, so that checks point there.

import type { StepDefinition } from "../../domain/definition.ts";
import type { GateOptions, Limit, Route, RouteRule } from "../../domain/route.ts";
import { from, type Reading } from "../document/reading.ts";

type Change = (route: Route) => Route;

export function copied<T extends object>(reading: Reading, original: object, copy: T): T {
  const path = reading.origins.get(original);
  return path === undefined || copy === original ? copy : from(reading, path, copy);
}

/** Also those at the end of a limit, and below the options of a question. */
export function mapRoutes<T extends StepDefinition>(reading: Reading, step: T, change: Change): T {
  const route = (given: Route): Route => {
    const asked = given.to === "gate" ? { ...given, options: options(given.options) } : given;
    return copied(reading, given, change(asked));
  };
  const options = (given: GateOptions): GateOptions => mapValues(given, route);
  const limit = (given: Limit): Limit => ({ ...given, then: route(given.then) });
  const rule = (given: RouteRule): RouteRule => ({
    route: route(given.route),
    limit: given.limit && limit(given.limit),
  });
  if (step.kind === "stories") return { ...step, storyBudget: limit(step.storyBudget) };
  if (step.kind === "gate") return { ...step, options: options(step.options) };
  const { on, onError, onErrorBy, onUnreadable, budget } = step;
  return {
    ...step,
    on: mapValues(on as Readonly<Record<string, RouteRule>>, rule),
    onError: rule(onError),
    ...(onErrorBy === undefined
      ? {}
      : { onErrorBy: mapValues(onErrorBy as Readonly<Record<string, RouteRule>>, rule) }),
    ...(onUnreadable === undefined ? {} : { onUnreadable: rule(onUnreadable) }),
    budget: budget && limit(budget),
  };
}

function mapValues<T>(values: Readonly<Record<string, T>>, change: (value: T) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value)]));
}
