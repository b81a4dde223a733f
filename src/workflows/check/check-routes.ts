// Checks that every target exists in the same chain and on the right side, that every cycle has a limit,
// and that a limit is small enough to reach.

import { isPerformed, type StepDefinition } from "../../domain/definition.ts";
import { type Limit, type Route, repeats } from "../../domain/route.ts";
import { formatDuration } from "../document/duration.ts";
import { nearest, type Path } from "../document/problem.ts";
import { type Finding, refuse, warn } from "../document/reading.ts";
import { type Checked, labelOf, originOf } from "./checked.ts";
import { type Exit, exitsOf } from "./exits.ts";

export function checkRoutes(checked: Checked, step: StepDefinition, index: number): void {
  const seen = new Set<Route>();
  for (const exit of exitsOf(step)) {
    if (seen.has(exit.route)) continue;
    seen.add(exit.route);
    checkTargets(checked, step, index, exit.route);
    checkCycle(checked, step, exit);
    if (!exit.limit) continue;
    const round = longestRound(checked.chain, index, [exit.route]);
    checkLimit(checked, step, exit.limit, originOf(checked.reading, exit.route, step), round);
  }
}

function checkTargets(checked: Checked, step: StepDefinition, index: number, route: Route): void {
  if (route.to === "insert") {
    for (const name of route.steps) checkTarget(checked, step, index, route, name);
    if (route.before !== undefined) checkBefore(checked, step, index, route, route.before);
  }
  if (route.to !== "back_to" && route.to !== "go_to") return;
  checkTarget(checked, step, index, route, route.step);
  if (step.spare && !isBehindInserters(checked, step, route)) refuseFromSpare(checked, step, route);
}

/**
 * A person who is asked by an inserted gate may go on past what inserted it. The gate stands before each step that inserts it, so a
 * step behind all of those is ahead of it, wherever it was put.
 */
function isBehindInserters({ chain }: Checked, { kind, name }: StepDefinition, route: Route): boolean {
  if (kind !== "gate" || route.to !== "go_to") return false;
  const target = chain.findIndex((other) => other.name === route.step);
  return chain.every((other, index) => {
    const inserts = exitsOf(other).some((exit) => exit.route.to === "insert" && exit.route.steps.includes(name));
    return !inserts || (!other.spare && index < target);
  });
}

function checkTarget(checked: Checked, step: StepDefinition, index: number, route: Route, target: string): void {
  const { reading, chain } = checked;
  const path = originOf(reading, route, step);
  const label = labelOf(reading, route, step);
  const at = chain.findIndex((other) => other.name === target);
  const kind = chain[at]?.kind;
  if (at < 0) {
    refuseTarget(checked, step, route, target);
  } else if (at === index) {
    const word = checked.definition.dialect === "antfarm" ? "on_fail" : "again";
    refuse(reading, path, {
      message: `${label} cannot target itself (use ${word} for same-step retry)`,
      expected: "another step",
      hint: "`again` runs the same step once more",
    });
  } else if (route.to !== "insert" && chain[at]?.spare) {
    refuse(reading, path, {
      message: `${label} '${target}' is a spare step`,
      expected: names(chain.filter((other) => !other.spare && other !== step)),
      hint: `it is not in the chain until a route puts it there: \`insert: [${target}]\``,
    });
  } else if (route.to === "back_to" && at > index) {
    refuse(reading, path, {
      message: `${label} '${target}' must be before current step`,
      expected: names(chain.slice(0, index)),
      hint: "to go forward, use go_to (next_step in on_decision)",
    });
  } else if (route.to === "go_to" && at < index) {
    refuse(reading, path, {
      message: `${label} '${target}' must be after current step`,
      expected: names(chain.slice(index + 1)),
      hint: "to go back, use back_to with at_most (retry_step in on_decision)",
    });
  } else if (route.to === "insert" && (kind === "stories" || kind === "integrate")) {
    refuse(reading, path, {
      message: `${label} '${target}' is ${kind === "stories" ? "a stories" : "an integrate"} step`,
      expected: "agent, command or gate steps",
      hint: "go back to it instead: back_to",
    });
  }
}

/** The inserted steps stand before `target`, and all from there on runs again: it is a way back. */
function checkBefore(checked: Checked, step: StepDefinition, index: number, route: Route, target: string): void {
  const { reading, chain } = checked;
  const path = [...originOf(reading, route, step).slice(0, -1), "before"];
  const label = `${labelOf(reading, route, step)} before '${target}'`;
  const at = chain.findIndex((other) => other.name === target);
  if (at < 0) return refuseTarget(checked, step, route, target);
  if (step.spare) return refuseFromSpare(checked, step, route);
  if (at < index && !chain[at]?.spare) return;
  const why = at === index ? "is the step itself" : chain[at]?.spare ? "is a spare step" : "comes later";
  refuse(reading, path, {
    message: `${label}: ${why}`,
    expected: names(chain.slice(0, index).filter((other) => !other.spare)),
    hint: "without `before` the steps are put before the one that inserts them",
  });
}

function refuseFromSpare({ reading }: Checked, step: StepDefinition, route: Route): void {
  refuse(reading, originOf(reading, route, step), {
    message: `${labelOf(reading, route, step)}: a spare step stands wherever a route puts it, so no place before or after it is certain`,
    expected: "next, again, insert, end, gate or fail",
    hint: "let the step that inserts it lead there",
  });
}

/** The target is not in the chain of its step: nowhere, or on the other side of a body. */
export function refuseTarget(checked: Checked, step: StepDefinition, route: Route, target: string): void {
  const { reading, chain, definition, bodyOf } = checked;
  const message = `${labelOf(reading, route, step)} '${target}' not found`;
  const path = originOf(reading, route, step);
  const expected = names(chain);
  const home = definition.steps.find(
    (other) => other.kind === "stories" && other !== bodyOf && other.body.some((inner) => inner.name === target),
  );
  if (bodyOf && (home || definition.steps.some((other) => other.name === target))) {
    const where = home ? `the body of '${home.name}'` : "the run's own chain";
    refuse(reading, path, {
      message: `${message} in the body of '${bodyOf.name}': it is a step of ${where}`,
      expected,
      hint: "a step of a body can only lead to steps of the same body",
    });
  } else if (home) {
    refuse(reading, path, {
      message: `${message} in the run's own chain: it is a step of the body of '${home.name}'`,
      expected,
      hint: `it is part of the stories step: go to '${home.name}'`,
    });
  } else {
    const known = chain.map((other) => other.name);
    const meant = nearest(target, known);
    refuse(reading, path, {
      message,
      expected,
      hint: meant ? `did you mean \`${meant}\`?` : "see the ids of the steps",
    });
  }
}

/** A person who answers is a limit; everything else that repeats needs one. */
function checkCycle(checked: Checked, step: StepDefinition, { route, key, as, limit }: Exit): void {
  const { reading, bodyOf } = checked;
  const budget = isPerformed(step) ? step.budget : null;
  const path = originOf(reading, route, step);
  const label = labelOf(reading, route, step);
  if (as === "then" && (route.to === "next" || route.to === "end")) {
    const what = route.to === "next" ? "continues as if the step had passed" : "ends as if the work were done";
    warn(reading, path, {
      message: `${label}: a used-up limit ${what}`,
      expected: "fail or a gate",
      hint: "ask a person: `then: gate`",
    });
  }
  if (!repeats(route) || as === "answer") return;
  const isUnfinished = key === "error" || key === "unreadable";
  if (as === "then") {
    if (asksPerson(checked, route)) return;
    refuse(reading, path, {
      message: `${label}: what follows a limit repeats without a limit`,
      expected:
        "fail, gate, next, go_to or end after `then`, or an insert with a gate without a deadline and without `if`",
      hint: "let a person send it back: `then: { gate: …, options: { once_more: { back_to: … }, stop: fail } }`",
    });
  } else if (limit === null && bodyOf === null && !(budget !== null && (!isUnfinished || budget.errors))) {
    refuse(reading, path, {
      message: `${label}: a cycle without a limit`,
      expected: isUnfinished
        ? "`at_most: N`, or a `budget` with `errors: true` on the step"
        : "`at_most: N` on the route, or a `budget` on the step",
      hint: "for example `at_most: 3, then: gate`",
    });
  }
}

/** Inserted steps with a question among them that only a person answers: no round is without that person. */
function asksPerson({ chain }: Checked, route: Route): boolean {
  if (route.to !== "insert") return false;
  const inserted = chain.filter((step) => route.steps.includes(step.name));
  return inserted.some(
    (step) => step.kind === "gate" && !step.signal && step.deadline === undefined && step.if === undefined,
  );
}

/** What runs once more each time: from where to where, and for how long by its time limits. */
export interface Round {
  readonly ms: number;
  readonly from: string;
  readonly to: string;
}

const usualAttemptMs = 30 * 60_000;

export function roundOf(chain: readonly StepDefinition[], from: number, to: number): Round {
  const span = chain.slice(from, to + 1).filter((step, index) => !step.spare || from + index === to);
  return { ms: timeOf(span), from: span[0]?.name ?? "", to: span.at(-1)?.name ?? "" };
}

export function longestRound(chain: readonly StepDefinition[], index: number, routes: readonly Route[]): Round {
  const rounds = routes.filter(repeats).map((route): Round => {
    const own = roundOf(chain, index, index);
    if (route.to === "back_to") {
      const target = chain.findIndex((step) => step.name === route.step);
      return target < 0 ? own : roundOf(chain, target, index);
    }
    if (route.to !== "insert") return own;
    const before = chain.findIndex((step) => step.name === route.before);
    const rest = before < 0 ? own : roundOf(chain, before, index);
    const inserted = chain.filter((step) => route.steps.includes(step.name));
    return { ...rest, ms: rest.ms + timeOf(inserted), from: inserted[0]?.name ?? rest.from };
  });
  return rounds.toSorted((left, right) => right.ms - left.ms)[0] ?? roundOf(chain, index, index);
}

/** A person's time is not counted, reading files takes none, and a stories step is one story, which is what going back to it adds. */
function timeOf(steps: readonly StepDefinition[]): number {
  return steps.reduce((sum, step) => {
    if (step.kind === "gate" || step.kind === "decision") return sum;
    return sum + (step.kind === "stories" ? timeOf(step.body) : (step.wallMs ?? usualAttemptMs));
  }, 0);
}

/** No person watches what repeats fifty times, or over a weekend. */
const patience = { times: 50, ms: 48 * 3_600_000 };

export function checkLimit(
  { reading }: Checked,
  step: StepDefinition,
  { atMost }: Limit,
  path: Path,
  { ms, from, to }: Round,
): void {
  const finding = (message: string, hint: string): Finding => ({
    message: `Step '${step.name}': ${message}`,
    expected: `a limit from 1 to ${patience.times} that is reached within ${formatDuration(patience.ms)}`,
    hint,
  });
  if (atMost === 0 && step.kind !== "stories")
    warn(reading, path, finding("a limit of 0: the route is never taken", "name the route after `then` directly"));
  if (atMost <= patience.times && atMost * ms <= patience.ms) return;
  const each = from === to ? "attempt" : `round from ${from} to ${to}`;
  warn(
    reading,
    path,
    finding(
      `a limit of ${atMost} may take ${formatDuration(ms * atMost)}, at ${formatDuration(ms)} for each ${each}`,
      "lower it, and let a person decide: `then: gate`",
    ),
  );
}

function names(chain: readonly StepDefinition[]): string {
  if (chain.length === 0) return "another route: no step is there";
  const shown = chain.slice(0, 20).map((step) => step.name);
  return `one of: ${shown.join(", ")}${chain.length > shown.length ? ", …" : ""}`;
}
