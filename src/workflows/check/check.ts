// Checks what a workflow must guarantee before anything runs: every verdict has a route, every cycle a limit, every
// gate an end, every step is reached, every key has one author, every name can be used in a path. Routes and gates are
// checked in files of their own.

import { type Definition, isPerformed, type PerformedDefinition, type StoriesStep } from "../../domain/definition.ts";
import { isSafeId } from "../../domain/ids.ts";
import { contextKey } from "../../domain/include.ts";
import { nearest, type Path } from "../document/problem.ts";
import { type Reading, refuse, warn } from "../document/reading.ts";
import { checkProjectWords } from "../format/project.ts";
import { checkConditions } from "./check-condition.ts";
import { checkDecision } from "./check-decision.ts";
import { checkFlags } from "./check-flags.ts";
import { checkGates } from "./check-gates.ts";
import { checkIncludes } from "./check-includes.ts";
import { checkIntegrate, checkTrees } from "./check-integration.ts";
import { checkParts } from "./check-parts.ts";
import { checkLimit, checkRoutes, longestRound, refuseTarget, roundOf } from "./check-routes.ts";
import { checkSaid } from "./check-said.ts";
import { checkStrict } from "./check-strict.ts";
import { checkTemplates } from "./check-templates.ts";
import { type Checked, originOf } from "./checked.ts";
import { answers, exitsOf, limitsRoutes, unreached } from "./exits.ts";
import { type AuthorStep, authorsIn, declaredKeys } from "./templates.ts";

/** Adds what is wrong to the reading; the reading also knows where everything was written. */
export function checkDefinition(definition: Definition, reading: Reading): void {
  checkId(reading, ["id"], "workflow", definition.id);
  Object.keys(definition.agents).forEach((name, index) => {
    checkId(reading, ["agents", Array.isArray(reading.document.value.agents) ? index : name], "agent", name);
  });
  checkChain({ definition, reading, chain: definition.steps, bodyOf: null });
  for (const step of definition.steps) {
    if (step.kind === "stories") checkStories({ definition, reading, chain: step.body, bodyOf: step }, step);
  }
  checkSurroundings(definition, reading);
  checkAuthors(definition, reading);
  checkTemplates(definition, reading);
  if (definition.templates === "strict") checkStrict(definition, reading);
  checkSaid(definition, reading);
  checkIncludes(definition, reading);
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
    checkRoutes(checked, step, index);
    if (step.kind !== "stories") checkGates(checked, step, index);
    if (isPerformed(step)) {
      checkPerformed(checked, step, index);
      checkParts(checked, step);
    }
    if (step.kind === "integrate") checkIntegrate(checked, step, index);
    if (step.kind === "decision") checkDecision(checked, step);
    checkFlags(checked, step, index);
    checkConditions(checked, step, index);
  });
  for (const step of unreached(chain)) {
    // antfarm's loader allows it, and such a step does run when a later route goes back before it.
    (definition.dialect === "pawl" ? refuse : warn)(reading, originOf(reading, step), {
      message: `Step '${step.name}' is reached by no route`,
      expected: step.spare ? "a route that inserts it" : "a step before it that leads to it",
      hint: step.spare
        ? `add \`insert: [${step.name}]\` to a route, or remove \`spare\``
        : "add a route `next` or `go_to` that leads there, or remove the step",
    });
  }
}

function checkStories(checked: Checked, step: StoriesStep): void {
  const { reading } = checked;
  const path = originOf(reading, step);
  checkTrees(checked, step);
  for (const inner of step.body) {
    if (inner.kind !== "stories") continue;
    refuse(reading, originOf(reading, inner), {
      message: `Step '${inner.name}': stories inside the body of stories`,
      expected: "agent, command or gate steps in a body",
      hint: "put both stories steps into the run's own chain, one after the other",
    });
  }
  const round = roundOf(step.body, 0, step.body.length - 1);
  checkLimit(checked, step, step.storyBudget, [...path, "story_budget"], round);
  checkGates(checked, step, null);
  const asked = step.storyBudget.then.to === "gate" ? answers(step.storyBudget.then.options) : [];
  for (const { route } of asked) {
    if (route.to !== "back_to" && route.to !== "go_to") continue;
    if (!step.body.some((inner) => inner.name === route.step && !inner.spare))
      refuseTarget(checked, step, route, route.step);
  }
  checkChain(checked);
}

/** The executor that starts nothing: another program does the work. */
const awaiting = "await";

/** The key that limits a step, in each dialect. */
const budgetKeys: Readonly<Record<string, string>> = { antfarm: "max_retries", rules: "max_attempts" };

function checkPerformed(checked: Checked, step: PerformedDefinition, index: number): void {
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
  // A table says how often a step is tried: once is no limit of 0 that somebody wrote.
  const isOnce = definition.dialect === "rules" && step.budget?.atMost === 0;
  if (step.budget && limitsRoutes(step) && !isOnce) {
    const routes = Object.values(step.on).flatMap((rule) => (rule ? [rule.route] : []));
    const round = longestRound(checked.chain, index, routes);
    checkLimit(checked, step, step.budget, [...path, budgetKeys[definition.dialect] ?? "budget"], round);
  }
  checkProjectWords(reading, step, path);
}

/** What is said about the whole file and needs stories to have an effect. */
function checkSurroundings(definition: Definition, reading: Reading): void {
  const stories = definition.steps.filter((step) => step.kind === "stories");
  const protocol = reading.protocols.find(({ name }) => name === definition.protocol);
  if (protocol?.needsStories && stories.length === 0) {
    refuse(reading, ["protocol"], {
      message: `\`protocol: ${definition.protocol}\` has no effect: its files describe stories, and the workflow has no stories step`,
      expected: "a step with `stories` and a `body`",
      hint: "remove `protocol`",
    });
  }
  if (protocol?.canAwait !== true) {
    for (const [name, { executor, fallbacks = [] }] of Object.entries(definition.agents)) {
      if (![executor, ...fallbacks].includes(awaiting)) continue;
      const whose =
        definition.protocol === null ? "the file has no `protocol`" : `\`protocol: ${definition.protocol}\` has none`;
      refuse(reading, ["agents", name, executor === awaiting && fallbacks.length === 0 ? "executor" : "executors"], {
        message: `Agent '${name}': the executor \`${awaiting}\` waits for reports in files, and ${whose}`,
        expected: "a `protocol` whose programs report in files",
        hint: "name an executor that starts a program",
      });
    }
  }
  if (definition.workspace.env && !stories.some((step) => step.workspace)) {
    refuse(reading, ["workspace", "env"], {
      message: "`workspace.env` has no effect: it is for stories that have a tree of their own",
      expected: "a stories step with `workspace: worktree`",
      hint: "variables for every agent are named in the configuration: `executors.NAME.env`",
    });
  }
}

/** Two authors of one key overwrite each other, and what a later input shows depends on the way that was taken. */
function checkAuthors(definition: Definition, reading: Reading): void {
  const own = definition.dialect === "pawl";
  const authors = new Map<string, AuthorStep[]>();
  for (const step of authorsIn(definition.steps)) {
    for (const printed of new Set(declaredKeys(step))) {
      // What decides is the step's own word, whether it is listed or not.
      if (printed === "status" || (step.kind !== "gate" && printed === step.decide)) continue;
      const key = contextKey(step, printed);
      const others = authors.get(key) ?? [];
      const other = others.find((earlier) => !arePair(definition, earlier, step));
      if (other) {
        (own ? refuse : warn)(reading, [...originOf(reading, step), own ? "produces" : "output_keys"], {
          message: `Step '${step.name}': the key '${key}' is produced by '${other.name}' already`,
          expected: "each key in one step, or in a pair of a body of which one sends back to the other",
          hint: `name it after its step: \`${step.name.replace(/\W+/g, "_").toLowerCase()}_${key}\``,
        });
      }
      authors.set(key, [...others, step]);
    }
  }
}

/** A worker and its verifier: they speak of the same story, one after the other. */
function arePair(definition: Definition, one: AuthorStep, other: AuthorStep): boolean {
  const sendsTo = (from: AuthorStep, to: AuthorStep) =>
    exitsOf(from).some(({ route }) => route.to === "back_to" && route.step === to.name);
  const together = definition.steps.some(
    (step) => step.kind === "stories" && step.body.includes(one) && step.body.includes(other),
  );
  return together && (sendsTo(one, other) || sendsTo(other, one));
}

function checkId(reading: Reading, path: Path, what: string, id: string): void {
  if (isSafeId(id)) return;
  refuse(reading, path, {
    message: `the ${what} id "${id}" cannot be used in paths and branch names`,
    expected: "letters, digits, dots, dashes and underscores, at most 64, starting with a letter or digit",
    hint: "put the text for people into `name` or `title`",
  });
}

function hasField(reading: Reading, path: Path): boolean {
  return reading.document.spelled(path) === "on_decision" || reading.document.spelled(path) === "onDecision";
}
