// Steps of our own format. Owns: one written step to its definition, with every default filled in.

import type { PerformedDefinition, StepDefinition, StoriesStep } from "../domain/definition.ts";
import { agentName, type StepName, stepName } from "../domain/ids.ts";
import type { GateOptions, Limit, Route, RouteRule, VerdictKey } from "../domain/route.ts";
import { repeats } from "../domain/route.ts";
import { durationMs } from "./duration.ts";
import { formatPath, type Path } from "./problem.ts";
import { from, type Reading, refuse } from "./reading.ts";
import { foldWord, optionsFor, readDeadline, readLimit, readOn, readOptions, readRule } from "./routes.ts";
import type { LimitInput, StepInput } from "./schema.ts";

export interface StepContext {
  readonly inBody: boolean;
  /** Time limits of agents, by name: they hold where a step has none. */
  readonly agentTimeoutMs: ReadonlyMap<string, number>;
}

type Rules = Readonly<Partial<Record<VerdictKey, RouteRule>>>;

const performedFields = [
  "input",
  "produces",
  "decide",
  "expects",
  "on",
  "on_error",
  "budget",
  "checks",
  "timeout",
] as const;
/** Which fields each kind has, besides `id` and `title`. A field without effect is refused, not ignored. */
const fieldsOf = {
  agent: ["agent", ...performedFields],
  // A command says yes or no by its exit code; what it prints decides nothing.
  command: ["command", "input", "on", "on_error", "budget", "checks", "timeout"],
  gate: ["gate", "options", "deadline"],
  stories: ["stories", "body", "story_budget", "on_story_failed"],
} as const;
const kinds = ["agent", "command", "gate", "stories"] as const;

export function readStep(
  reading: Reading,
  written: StepInput,
  path: Path,
  context: StepContext,
): StepDefinition | null {
  const given = kinds.filter((kind) => written[kind] !== undefined);
  const kind = given[0];
  if (kind === undefined || given.length > 1) {
    refuse(reading, path, {
      message: `Step '${written.id}' has ${kind === undefined ? "nothing to do" : `${given.join(" and ")} at once`}`,
      expected: "exactly one of agent, command, gate, stories",
      hint: written.body ? "a step with a `body` needs `stories: {}`" : "`agent: NAME` for work by an agent",
    });
    return null;
  }
  refuseForeignFields(reading, written, path, kind);
  if (kind === "gate") return from(reading, path, readGate(reading, written, path));
  if (kind === "stories") return from(reading, path, readStories(reading, written, path, context));
  return from(reading, path, readPerformed(reading, written, path, context, kind));
}

function readPerformed(
  reading: Reading,
  written: StepInput,
  path: Path,
  { inBody, agentTimeoutMs }: StepContext,
  kind: "agent" | "command",
): PerformedDefinition {
  const base = nameAndTitle(written);
  const given = readOn(reading, written, path);
  const decides = written.decide !== undefined;
  const on: Rules = decides
    ? { ...given, ...checksRule(written, inBody) }
    : { passed: plain({ to: "next" }), rejected: repeatRule(base.name, "still rejected", inBody), ...given };
  const budget = written.budget ? readBudget(reading, written, written.budget, path, on) : null;
  const timeout = typeof written.timeout === "object" ? written.timeout : { wall: written.timeout };
  const agentMs = written.agent === undefined ? undefined : agentTimeoutMs.get(written.agent);
  const performed = {
    ...base,
    input: written.input ?? (kind === "command" ? "" : inBody ? "{{current_story}}" : "{{task}}"),
    produces: written.produces?.map(foldWord) ?? null,
    decide: written.decide === undefined ? null : foldWord(written.decide),
    expects: written.expects ?? null,
    on,
    onError: readOnError(reading, written, path, on, inBody),
    budget,
    checks: written.checks ?? [],
    wallMs: timeout.wall === undefined ? (agentMs ?? null) : durationMs(timeout.wall),
    quietMs: "quiet" in timeout && timeout.quiet !== undefined ? durationMs(timeout.quiet) : null,
  };
  return kind === "agent"
    ? { kind, agent: agentName(written.agent ?? ""), ...performed }
    : { kind, command: written.command ?? "", ...performed };
}

function readGate(reading: Reading, written: StepInput, path: Path): StepDefinition {
  const base = nameAndTitle(written);
  if (written.gate === null) {
    refuse(reading, [...path, "gate"], {
      message: `Step '${base.name}' asks nothing`,
      expected: "a question",
      hint: 'write `gate: "Ship it?"`',
    });
  }
  const options = written.options && readOptions(reading, written.options, [...path, "options"], base.name);
  const deadline = written.deadline && readDeadline(reading, written.deadline, [...path, "deadline"]);
  return {
    kind: "gate",
    ...base,
    question: written.gate ?? "",
    options: options ?? optionsFor({ of: "asked", step: base.name }),
    ...(deadline ? { deadline } : {}),
  };
}

/** Money alone ends no cycle, since an attempt may cost nothing: without `at_most` each route needs a limit of its own. */
function readBudget(reading: Reading, written: StepInput, budget: LimitInput, path: Path, on: Rules): Limit {
  const at = [...path, "budget"];
  const money = budget.usd !== undefined || budget.tokens !== undefined;
  const spending = money || budget.wall !== undefined;
  if (written.command !== undefined && money) {
    refuse(reading, at, {
      message: `Step '${written.id}': a command uses no money and no tokens`,
      expected: "at_most and wall",
      hint: "limit its time: `wall`",
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
  const occasion = { of: written.decide === undefined ? "rejected" : "decided", step: written.id } as const;
  return readLimit(reading, budget, at, occasion, {
    limited: spending ? withAgain(limitedRoutes(on)) : limitedRoutes(on),
    // As often as the routes together: never reached before they are.
    atMost: Math.max(
      1,
      repeating.reduce((sum, { rule }) => sum + (rule.limit?.atMost ?? 0), 0),
    ),
  });
}

function readStories(reading: Reading, written: StepInput, path: Path, context: StepContext): StoriesStep {
  const base = nameAndTitle(written);
  if (!written.body) {
    refuse(reading, path, {
      message: `Step '${base.name}' has stories but no body`,
      expected: "`body`: the steps that each story goes through",
      hint: "add `body:` with at least one step",
    });
  }
  const body = (written.body ?? []).map((step, index) =>
    readStep(reading, step, [...path, "body", index], { ...context, inBody: true }),
  );
  const settings = typeof written.stories === "object" ? written.stories : null;
  return {
    kind: "stories",
    ...base,
    body: body.filter((step) => step !== null),
    concurrency: settings?.concurrency ?? 1,
    storyBudget: readStoryBudget(reading, written, path, base.name),
    onStoryFailed: written.on_story_failed ?? "stop",
  };
}

/** The held step is whichever step of the body failed last, so "once more" can only mean that step. */
function readStoryBudget(reading: Reading, written: StepInput, path: Path, name: StepName): Limit {
  const input = written.story_budget ?? { at_most: 1 };
  const usual = { limited: { continue: { to: "again" } }, atMost: 1 } as const;
  const limit = readLimit(reading, input, [...path, "story_budget"], { of: "asked", step: name }, usual);
  if (limit.then.to !== "fail" && limit.then.to !== "gate") {
    refuse(reading, [...path, "story_budget", "then"], {
      message: `Step '${name}': a story whose budget is used up cannot lead to \`${limit.then.to}\``,
      expected: "fail or gate",
      hint: "`on_story_failed: continue` lets the other stories go on",
    });
  }
  return limit;
}

function readOnError(reading: Reading, written: StepInput, path: Path, on: Rules, inBody: boolean): RouteRule {
  if (written.on_error !== undefined) {
    return readRule(reading, written.on_error, [...path, "on_error"], { of: "error", step: written.id });
  }
  if (written.decide !== undefined) return unreadableRule(written.id, written.decide, on, 2);
  return repeatRule(written.id, "still failing", inBody);
}

/** A decision that cannot be read is never guessed: after some tries a person decides instead. */
export function unreadableRule(step: string, key: string, on: Rules, atMost: number): RouteRule {
  const values = Object.entries(on).filter(([verdict]) => verdict.startsWith("="));
  const options: GateOptions = {
    ...Object.fromEntries(values.map(([verdict, rule]) => [optionName(verdict), rule?.route ?? { to: "again" }])),
    again: { to: "again" },
    stop: { to: "fail", reason: `${step}: stopped by a person` },
  };
  const question = `${step}: the decision \`${key}\` cannot be read. Which one is it?`;
  return { route: { to: "again" }, limit: { atMost, then: { to: "gate", question, options } } };
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

/** A spent budget stops a step before it runs: "once more" then means this step. */
function withAgain(limited: GateOptions): GateOptions {
  if (Object.keys(limited).length === 0) return { continue: { to: "again" } };
  const has = Object.values(limited).some((route) => route.to === "again") || Object.hasOwn(limited, "again");
  return has ? limited : { ...limited, again: { to: "again" } };
}

/** In an option a colon would stand before a reason. */
function optionName(verdict: string): string {
  return verdict.replace(/^=/, "").replaceAll(":", "-");
}

/** Again, twice; inside a story as often as the story's budget allows. */
function repeatRule(step: string, still: string, inBody: boolean): RouteRule {
  const limit: Limit = { atMost: 2, then: { to: "fail", reason: `${step}: ${still} after 2 retries` } };
  return { route: { to: "again" }, limit: inBody ? null : limit };
}

/** A red check rejects a step that decides, too; its values say nothing about that. */
function checksRule(written: StepInput, inBody: boolean): Rules {
  const hasChecks = (written.checks ?? []).length > 0;
  return hasChecks ? { rejected: repeatRule(written.id, "checks still red", inBody) } : {};
}

function plain(route: Route): RouteRule {
  return { route, limit: null };
}

function nameAndTitle(written: StepInput): { name: StepName; title: string } {
  return { name: stepName(written.id), title: written.title ?? written.id };
}

function refuseForeignFields(reading: Reading, written: StepInput, path: Path, kind: (typeof kinds)[number]): void {
  const known: readonly string[] = ["id", "title", ...fieldsOf[kind]];
  for (const field of Object.keys(written)) {
    if (known.includes(field)) continue;
    refuse(reading, [...path, field], {
      message: `Step '${written.id}': \`${field}\` has no effect on ${kind === "agent" ? "an" : "a"} ${kind} step`,
      expected: `one of: ${known.join(", ")}`,
      hint: "remove it",
    });
  }
}
