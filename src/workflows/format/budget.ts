// Lowers `budget` of a step and `story_budget`, with the options that a person gets when one is used up.

import type { StepName } from "../../domain/ids.ts";
import type { GateOptions, Limit } from "../../domain/route.ts";
import { repeats } from "../../domain/route.ts";
import { formatPath, type Path } from "../document/problem.ts";
import { type Reading, refuse } from "../document/reading.ts";
import { limitedRoutes, type Rules } from "./default-rules.ts";
import { readLimit } from "./routes.ts";
import type { StepInput } from "./step-schema.ts";

/** Money alone ends no cycle, since an attempt may cost nothing: without `at_most` each route needs a limit of its own. */
export function readBudget(reading: Reading, written: StepInput, path: Path, on: Rules): Limit | null {
  const { budget } = written;
  if (!budget) return null;
  const at = [...path, "budget"];
  const money = budget.usd !== undefined || budget.tokens !== undefined;
  const spending = money || budget.wall !== undefined;
  if (written.agent === undefined && money) {
    const who =
      written.command !== undefined ? "a command" : written.decision !== undefined ? "a decision" : "an integration";
    refuse(reading, at, {
      message: `Step '${written.id}': ${who} uses no money and no tokens`,
      expected: "at_most and wall",
      hint: "limit its time: `wall`",
    });
  }
  const errors = budget.errors === true;
  if (errors && budget.at_most === undefined) {
    refuse(reading, [...at, "errors"], {
      message: `Step '${written.id}': \`errors\` has no effect without \`at_most\``,
      expected: "`at_most: N` beside `errors`",
      hint: "for example `budget: { at_most: 2, errors: true, then: gate }`: three attempts",
    });
  }
  const repeating = Object.entries(on).flatMap(([key, rule]) =>
    rule !== undefined && repeats(rule.route) ? [{ key, rule }] : [],
  );
  for (const { key, rule } of repeating) {
    if (!spending || budget.at_most !== undefined || rule.limit !== null) continue;
    const origin = reading.origins.get(rule.route);
    const label = origin ? formatPath(origin.slice(path.length)) : `on.${key.replace(/^=/, "")}`;
    refuse(reading, origin ?? at, {
      message: `Step '${written.id}' ${label}: a cycle without a limit; money, tokens and time alone end none`,
      expected: "`at_most: N` in the budget or on the route",
      hint: "for example `budget: { at_most: 3, usd: 5 }`",
    });
  }
  const of = errors
    ? "passed"
    : written.decide === undefined && written.decision === undefined
      ? "rejected"
      : "decided";
  const integrates = written.integrate !== undefined;
  const limit = readLimit(reading, budget, at, { of, step: written.id, integrates } as const, {
    limited: spending || errors ? withAgain(limitedRoutes(on)) : limitedRoutes(on),
    // As often as the routes together: never reached before they are.
    atMost: Math.max(
      1,
      repeating.reduce((sum, { rule }) => sum + (rule.limit?.atMost ?? 0), 0),
    ),
  });
  return errors ? { ...limit, errors } : limit;
}

/**
 * The held step is whichever step of the body failed last, so "once more" can only mean that step. Where stories are
 * integrated it may be the integration, and continuing without it is not offered.
 */
export function readStoryBudget(
  reading: Reading,
  written: StepInput,
  path: Path,
  { name, integrates }: { readonly name: StepName; readonly integrates: boolean },
): Limit {
  const input = written.story_budget ?? { at_most: 1 };
  const usual = { limited: { continue: { to: "again" } }, atMost: 1 } as const;
  const limit = readLimit(reading, input, [...path, "story_budget"], { of: "asked", step: name, integrates }, usual);
  if (limit.then.to !== "fail" && limit.then.to !== "gate") {
    refuse(reading, [...path, "story_budget", "then"], {
      message: `Step '${name}': a story whose budget is used up cannot lead to \`${limit.then.to}\``,
      expected: "fail or gate",
      hint: "`on_story_failed: continue` lets the other stories continue",
    });
  }
  return limit;
}

/** A spent budget stops a step before it runs: "once more" then means this step. */
function withAgain(limited: GateOptions): GateOptions {
  if (Object.keys(limited).length === 0) return { continue: { to: "again" } };
  const has = Object.values(limited).some((route) => route.to === "again") || Object.hasOwn(limited, "again");
  return has ? limited : { ...limited, again: { to: "again" } };
}
