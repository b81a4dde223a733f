// Checks. Owns: what a workflow must promise before anything runs: every verdict has a route, every cycle a limit, every
// target exists in the right direction, every step is reached, every name can be used in a path.

import type { Definition, PerformedDefinition, StepDefinition, StoriesStep } from "../domain/definition.ts";
import { isSafeId } from "../domain/ids.ts";
import { type Limit, type Route, repeats } from "../domain/route.ts";
import { formatDuration } from "./duration.ts";
import { answers, type Exit, exitsOf, unreached } from "./exits.ts";
import { formatPath, nearest, type Path } from "./problem.ts";
import { type Finding, type Reading, refuse, warn } from "./reading.ts";
import { performedSteps, placeholdersIn } from "./templates.ts";

/** Adds what is wrong to the reading; the reading also knows where everything was written. */
export function checkDefinition(definition: Definition, reading: Reading): void {
  checkId(reading, ["id"], "workflow", definition.id);
  Object.keys(definition.agents).forEach((name, index) => {
    checkId(reading, ["agents", Array.isArray(reading.document.value.agents) ? index : name], "agent", name);
  });
  checkChain({ definition, reading, chain: definition.steps, inBody: false });
  for (const step of definition.steps) {
    if (step.kind === "stories") checkStories({ definition, reading, chain: step.body, inBody: true }, step);
  }
  checkTemplates(definition, reading);
}

interface Checked {
  readonly definition: Definition;
  readonly reading: Reading;
  readonly chain: readonly StepDefinition[];
  readonly inBody: boolean;
}

function checkChain(checked: Checked): void {
  const { reading, chain, definition } = checked;
  chain.forEach((step, index) => {
    checkId(reading, [...originOf(reading, step), "id"], "step", step.name);
    if (chain.findIndex((other) => other.name === step.name) < index) {
      refuse(reading, [...originOf(reading, step), "id"], {
        message: `Step '${step.name}' exists twice`,
        expected: "each id once in its chain",
        hint: "rename one of the two",
      });
      return;
    }
    checkExits(checked, step, index);
    if (step.kind === "agent" || step.kind === "command") checkPerformed(checked, step);
  });
  for (const step of unreached(chain)) {
    // antfarm's loader allows it, and such a step does run when a later route goes back before it.
    (definition.dialect === "pawl" ? refuse : warn)(reading, originOf(reading, step), {
      message: `Step '${step.name}' is reached by no route`,
      expected: "a step before it that goes on to it",
      hint: "add a route `next` or `go_to` that leads there, or remove the step",
    });
  }
}

function checkStories(checked: Checked, step: StoriesStep): void {
  const { reading } = checked;
  const path = originOf(reading, step);
  if (step.concurrency > 1) {
    refuse(reading, [...path, "stories", "concurrency"], {
      message: `Step '${step.name}': concurrency above 1 needs a worktree per story`,
      expected: "1: this version works on one story at a time",
      hint: "remove `concurrency`",
    });
  }
  for (const inner of step.body) {
    if (inner.kind !== "stories") continue;
    refuse(reading, originOf(reading, inner), {
      message: `Step '${inner.name}': stories inside the body of stories`,
      expected: "agent, command or gate steps in a body",
      hint: "put both stories steps into the run's own chain, one after the other",
    });
  }
  checkLimit(checked, step, step.storyBudget, [...path, "story_budget"]);
  const asked = step.storyBudget.then.to === "gate" ? answers(step.storyBudget.then.options) : [];
  for (const { route } of asked) {
    if (route.to !== "back_to" && route.to !== "go_to") continue;
    if (!step.body.some((inner) => inner.name === route.step)) refuseTarget(checked, step, route, route.step);
  }
  checkChain(checked);
}

function checkPerformed(checked: Checked, step: PerformedDefinition): void {
  const { reading, definition } = checked;
  const path = originOf(reading, step);
  if (step.kind === "agent" && !Object.hasOwn(definition.agents, step.agent)) {
    const names = Object.keys(definition.agents);
    const meant = nearest(step.agent, names);
    refuse(reading, [...path, "agent"], {
      message: `Step '${step.name}': there is no agent '${step.agent}'`,
      expected: names.length > 0 ? `one of: ${names.join(", ")}` : "an agent in `agents`",
      hint: meant ? `did you mean \`${meant}\`?` : "add it to `agents`",
    });
  }
  const own = definition.dialect === "pawl";
  if (
    step.decide !== null &&
    !Object.keys(step.on).some((key) => key.startsWith("=")) &&
    (own || hasField(reading, [...path, "on_decision"]))
  ) {
    refuse(reading, [...path, own ? "decide" : "on_decision"], {
      message: `Step '${step.name}' has ${own ? "decide but no on" : "an on_decision without values"}`,
      expected: "each value that the key may have, with its route",
      hint: own ? "for example `on: { approved: next, needs_fixes: { back_to: …, at_most: 3 } }`" : "list the values",
    });
  }
  if (step.budget) checkLimit(checked, step, step.budget, [...path, own ? "budget" : "max_retries"]);
}

function checkExits(checked: Checked, step: StepDefinition, index: number): void {
  const seen = new Set<Route>();
  for (const exit of exitsOf(step)) {
    if (seen.has(exit.route)) continue;
    seen.add(exit.route);
    checkTargets(checked, step, index, exit.route);
    checkCycle(checked, step, exit);
    if (exit.limit) checkLimit(checked, step, exit.limit, originOf(checked.reading, exit.route, step));
  }
}

function checkTargets(checked: Checked, step: StepDefinition, index: number, route: Route): void {
  const targets =
    route.to === "back_to" || route.to === "go_to" ? [route.step] : route.to === "insert" ? route.steps : [];
  const { reading, chain } = checked;
  const path = originOf(reading, route, step);
  const label = `Step '${step.name}' ${labelOf(reading, route, step)}`;
  for (const target of targets) {
    const at = chain.findIndex((other) => other.name === target);
    if (at < 0) {
      refuseTarget(checked, step, route, target);
    } else if (at === index && route.to !== "go_to") {
      const word = checked.definition.dialect === "antfarm" ? "on_fail" : "again";
      refuse(reading, path, {
        message: `${label} cannot target itself (use ${word} for same-step retry)`,
        expected: "another step",
        hint: "`again` runs the same step once more",
      });
    } else if (route.to === "back_to" && at > index) {
      refuse(reading, path, {
        message: `${label} '${target}' must be before current step`,
        expected: names(chain.slice(0, index)),
        hint: "to go forward, use go_to (next_step in on_decision)",
      });
    } else if (route.to === "go_to" && at <= index) {
      refuse(reading, path, {
        message: `${label} '${target}' must be after current step`,
        expected: names(chain.slice(index + 1)),
        hint: "to go back, use back_to with at_most (retry_step in on_decision)",
      });
    } else if (route.to === "insert" && chain[at]?.kind === "stories") {
      refuse(reading, path, {
        message: `${label} '${target}' is a stories step`,
        expected: "agent, command or gate steps",
        hint: "go back to it instead: back_to",
      });
    }
  }
}

function refuseTarget(checked: Checked, step: StepDefinition, route: Route, target: string): void {
  const { reading, chain, definition, inBody } = checked;
  const meant = nearest(
    target,
    chain.map((other) => other.name),
  );
  const home = definition.steps.find(
    (other) => other.kind === "stories" && other.body.some((inner) => inner.name === target),
  );
  const outside = inBody ? "a step of a body can only lead to steps of the same body" : "see the ids of the steps";
  refuse(reading, originOf(reading, route, step), {
    message: `Step '${step.name}' ${labelOf(reading, route, step)} '${target}' not found`,
    expected: names(chain),
    hint: meant
      ? `did you mean \`${meant}\`?`
      : home && !inBody
        ? `it is part of the stories step: go to '${home.name}'`
        : outside,
  });
}

/** A person who answers is a limit; everything else that repeats needs one. */
function checkCycle(checked: Checked, step: StepDefinition, { route, key, as, limit }: Exit): void {
  const { reading, inBody } = checked;
  const budget = step.kind === "agent" || step.kind === "command" ? step.budget : null;
  const path = originOf(reading, route, step);
  const label = `Step '${step.name}' ${labelOf(reading, route, step)}`;
  if (as === "then" && route.to === "next") {
    warn(reading, path, {
      message: `${label}: a used-up limit goes on as if the step had passed`,
      expected: "fail or a gate",
      hint: "ask a person: `then: gate`",
    });
  }
  if (!repeats(route) || as === "answer") return;
  if (as === "then") {
    refuse(reading, path, {
      message: `${label}: what follows a limit repeats without a limit`,
      expected: "fail, gate, next or go_to after `then`",
      hint: "end with `then: fail` or `then: gate`",
    });
  } else if (limit === null && !inBody && (budget === null || key === "error")) {
    refuse(reading, path, {
      message: `${label}: a cycle without a limit`,
      expected: key === "error" ? "`at_most: N`" : "`at_most: N` on the route, or a `budget` on the step",
      hint: "for example `at_most: 3, then: gate`",
    });
  }
}

const usualAttemptMs = 30 * 60_000;

function checkLimit({ reading }: Checked, step: StepDefinition, { atMost }: Limit, path: Path): void {
  const finding = (message: string, hint: string): Finding => ({
    message: `Step '${step.name}': ${message}`,
    expected: "a limit from 1 to 50",
    hint,
  });
  if (atMost === 0 && step.kind !== "stories")
    warn(reading, path, finding("a limit of 0: the route is never taken", "name the route after `then` directly"));
  if (atMost <= 50) return;
  const own = step.kind === "agent" || step.kind === "command" ? step.wallMs : null;
  const each = own ?? usualAttemptMs;
  const long = formatDuration(each * atMost);
  warn(
    reading,
    path,
    finding(
      `a limit of ${atMost} may take ${long}, at ${formatDuration(each)} for each attempt`,
      "lower it, and let a person decide: `then: gate`",
    ),
  );
}

function checkTemplates(definition: Definition, reading: Reading): void {
  const known = new Set(definition.knownKeys);
  for (const step of performedSteps(definition.steps)) {
    for (const { text, key } of placeholdersIn(step.input)) {
      if (known.has(key)) continue;
      known.add(key);
      const meant = nearest(key, definition.knownKeys);
      warn(reading, [...originOf(reading, step), "input"], {
        message: `Step '${step.name}': \`{{${key}}}\` is set by nobody`,
        expected: "a key that a step produces, that `context` has, or that every run has",
        hint: meant ? `did you mean \`{{${meant}}}\`?` : `it will read "[missing: ${key}]"`,
        text,
      });
    }
  }
}

function checkId(reading: Reading, path: Path, what: string, id: string): void {
  if (isSafeId(id)) return;
  refuse(reading, path, {
    message: `the ${what} id "${id}" cannot be used in paths and branch names`,
    expected: "letters, digits, dots, dashes and underscores, at most 64, starting with a letter or digit",
    hint: "put the text for people into `name` or `title`",
  });
}

/** Where a thing was written; a default that nobody wrote stands at its step. */
function originOf(reading: Reading, thing: object, step: object = thing): Path {
  return reading.origins.get(thing) ?? reading.origins.get(step) ?? [];
}

/** The route as the file spells it: `on_decision.approved.next_step`, `on.rejected.back_to`. */
function labelOf(reading: Reading, route: Route, step: object): string {
  const above = reading.origins.get(step)?.length ?? 0;
  const path = reading.origins.get(route);
  return path ? formatPath(path.slice(above)) : route.to;
}

function names(chain: readonly StepDefinition[]): string {
  if (chain.length === 0) return "nothing: there is no such step";
  const shown = chain.slice(0, 20).map((step) => step.name);
  return `one of: ${shown.join(", ")}${chain.length > shown.length ? ", …" : ""}`;
}

function hasField(reading: Reading, path: Path): boolean {
  return reading.document.spelled(path) === "on_decision" || reading.document.spelled(path) === "onDecision";
}
