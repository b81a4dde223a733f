// Default rules: where an answer leads that the file does not mention, and which options a person gets then.

import { counted } from "../../domain/counted.ts";
import type { GateOptions, Limit, Route, RouteRule, VerdictKey } from "../../domain/route.ts";
import { anyOtherValue, repeats } from "../../domain/route.ts";

export type Rules = Readonly<Partial<Record<VerdictKey, RouteRule>>>;

export function plain(route: Route): RouteRule {
  return { route, limit: null };
}

/** Again, twice; inside a story as often as the story's budget allows. */
export function repeatRule(step: string, still: string, inBody: boolean): RouteRule {
  return inBody ? plain({ to: "again" }) : againRule(step, still, 2);
}

export function againRule(step: string, still: string, atMost: number): RouteRule {
  const limit: Limit = {
    atMost,
    then: { to: "fail", reason: `${step}: ${still} after ${counted(atMost, "retry", "retries")}` },
  };
  return { route: { to: "again" }, limit };
}

/** A decision that cannot be read is never guessed: after some tries a person decides instead. */
export function unreadableRule(step: string, key: string, on: Rules, atMost: number): RouteRule {
  const question = `${step}: the decision \`${key}\` cannot be read. Which one is it?`;
  const options = valueOptions(step, on);
  return { route: { to: "again" }, limit: { atMost, then: { to: "gate", question, options } } };
}

/** What a person may say in the place of a decision: each value, once more, or no. */
export function valueOptions(step: string, on: Rules): GateOptions {
  const values = Object.entries(on).filter(([verdict]) => verdict.startsWith("="));
  return {
    ...Object.fromEntries(values.map(([verdict, rule]) => [optionName(verdict), rule?.route ?? { to: "again" }])),
    again: { to: "again" },
    stop: { to: "fail", reason: `${step}: stopped by a person` },
  };
}

/** What a person may have once more at the end of a shared limit: the one route back, or each by its name. */
export function limitedRoutes(on: Rules): GateOptions {
  const back = Object.entries(on).filter(([, rule]) => rule !== undefined && repeats(rule.route));
  const same = new Set(back.map(([, rule]) => JSON.stringify(rule?.route))).size === 1;
  const named = back.map(([key, rule]): [string, Route] => [
    same ? "continue" : optionName(key),
    rule?.route ?? { to: "again" },
  ]);
  return Object.fromEntries(named);
}

/** In an option a colon would stand before a reason. */
function optionName(verdict: string): string {
  if (verdict === anyOtherValue) return "default";
  return verdict.replace(/^=/, "").replaceAll(":", "-");
}
