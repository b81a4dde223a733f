// Builds definitions for tests in a few lines, with the defaults that most tests need.

import {
  type AgentStep,
  type Caps,
  type DecisionStep,
  type Definition,
  defaultCaps,
  type GateStep,
  type IntegrateStep,
  type StepDefinition,
  type StoriesStep,
} from "../../../src/domain/definition.ts";
import { agentName, partName, stepName, storyId } from "../../../src/domain/ids.ts";
import type { PartsDefinition } from "../../../src/domain/part.ts";
import type { GateDeadline, GateOptions, Limit, Route, RouteRule, Spend } from "../../../src/domain/route.ts";
import type { StorySpec } from "../../../src/domain/story.ts";

export const next: Route = { to: "next" };
export const again: Route = { to: "again" };
export const fail = (reason = "it failed"): Route => ({ to: "fail", reason });
export const backTo = (step: string): Route => ({ to: "back_to", step: stepName(step) });
export const end: Route = { to: "end" };
export const goTo = (step: string): Route => ({ to: "go_to", step: stepName(step) });
export const insert = (...steps: string[]): Route => ({ to: "insert", steps: steps.map(stepName) });
export const ask = (options: GateOptions, question = "What now?", deadline?: GateDeadline): Route => ({
  to: "gate",
  question,
  options,
  ...(deadline && { deadline }),
});

export const limit = (atMost: number, then: Route = fail("limit reached")): Limit => ({ atMost, then });
/** A budget that counts only spending, never repetitions. */
export const spending = (spend: Partial<Spend>, then: Route = fail("")): Limit => ({
  atMost: 1_000,
  then,
  spend: { costUsd: null, tokens: null, wallMs: null, hard: false, ...spend },
});
export const atMost = (times: number, route: Route, then?: Route): RouteRule => ({ route, limit: limit(times, then) });

type Rules = Readonly<Record<string, Route | RouteRule>>;

interface AgentOptions extends Partial<Omit<AgentStep, "kind" | "name" | "on" | "onError">> {
  readonly on?: Rules;
  readonly onError?: Route | RouteRule;
}

/** Passes to the next step, fails if it rejects, and repeats twice if an attempt does not complete. */
export function agent(name: string, options: AgentOptions = {}): AgentStep {
  const { on = {}, onError = atMost(2, again), ...more } = options;
  return {
    kind: "agent",
    name: stepName(name),
    title: name,
    agent: agentName("worker"),
    input: "",
    produces: null,
    decide: null,
    expects: null,
    on: rules({ passed: next, rejected: fail(`${name} was rejected`), ...on }),
    onError: rule(onError),
    budget: null,
    checks: [],
    wallMs: null,
    quietMs: null,
    ...more,
  };
}

/** A step with parts of these names, which are all needed and only read. */
export function withParts(
  step: AgentStep,
  names: readonly string[],
  how: Partial<Omit<PartsDefinition, "of">> = {},
): AgentStep {
  const list = names.map((name) => ({ name: partName(name) }));
  return { ...step, access: "read", parts: { of: { list }, need: "all", others: "finish", ...how } };
}

/** The same with parts that change files, each in a tree of its own. */
export function withWriters(...given: Parameters<typeof withParts>): AgentStep {
  const { access: _access, ...step } = withParts(...given);
  return step;
}

/** A step whose deciding key is `decision`; only these values have a route. */
export function decider(name: string, values: Rules, options: Omit<AgentOptions, "on"> = {}): AgentStep {
  const on = Object.entries(values).map(([value, route]) => [`=${value}`, route]);
  return { ...agent(name, { decide: "decision", ...options }), on: rules(Object.fromEntries(on)) };
}

/** A step that reads a value from files. Without a rule for `unknown` a person is asked. */
export function decision(
  name: string,
  values: Rules,
  options: Omit<AgentOptions, "on" | "agent"> = {},
  source?: DecisionStep["source"],
): DecisionStep {
  const unknown = ask({ proceed: next, again, stop: fail("stopped") }, "{{evidence}}: what does it say?");
  const on = Object.entries({ unknown, ...values }).map(([value, route]) => [`=${value}`, route]);
  const { agent: _agent, ...performed } = agent(name, { decide: name.replaceAll("-", "_"), ...options });
  const reads = source === undefined ? { reader: "test" } : { reader: "vote", source };
  return { ...performed, kind: "decision", ...reads, on: rules(Object.fromEntries(on)) };
}

export function gate(
  name: string,
  options: GateOptions = { approve: next, reject: fail("not approved") },
  deadline?: GateDeadline,
): GateStep {
  const question = `${name}?`;
  return { kind: "gate", name: stepName(name), title: name, question, options, ...(deadline && { deadline }) };
}

/** A step that waits for a signal with these keys. */
export function signal(name: string, sent: string, keys: readonly string[] = [], late?: Route): GateStep {
  const options = { received: next, ...(late && { late }) };
  const step = gate(name, options, late && { afterMs: 1_000, option: "late" });
  return { ...step, question: `waits for the signal ${sent}`, signal: { name: sent, produces: keys } };
}

/** Passes to the next step. A conflict inserts the spare step `resolve` and repeats everything from `review` on. */
export function integrate(
  name = "integrate",
  options: Partial<Omit<IntegrateStep, "kind" | "name">> = {},
): IntegrateStep {
  const { agent: _agent, ...performed } = agent(name);
  const conflict: Route = { to: "insert", steps: [stepName("resolve")], before: stepName("review") };
  const on = rules({
    passed: next,
    rejected: fail("it cannot be integrated"),
    "rejected:conflict": atMost(2, conflict),
  });
  return { ...performed, kind: "integrate", message: "feat: {{story}}", on, ...options };
}

/** One story at a time and two tries for each, as antfarm does. */
export function stories(
  name: string,
  body: readonly StepDefinition[],
  options: Partial<Omit<StoriesStep, "kind" | "name" | "title" | "body">> = {},
): StoriesStep {
  return {
    kind: "stories",
    name: stepName(name),
    title: name,
    body,
    concurrency: 1,
    storyBudget: limit(1, fail("story failed")),
    onStoryFailed: "stop",
    ...options,
  };
}

export function workflow(
  steps: readonly StepDefinition[],
  options: {
    readonly caps?: Partial<Caps>;
    readonly context?: Readonly<Record<string, string>>;
    readonly onFailure?: "keep" | "reset";
  } = {},
): Definition {
  return {
    id: "test",
    title: "test",
    description: "",
    dialect: "pawl",
    protocol: null,
    agents: {},
    steps,
    context: options.context ?? {},
    knownKeys: [],
    caps: { ...defaultCaps, ...options.caps },
    workspace: { branch: "own", onFailure: options.onFailure ?? "keep" },
    pollEveryMs: 1_000,
  };
}

export function storySpec(id: string, ...dependsOn: string[]): StorySpec {
  return {
    id: storyId(id),
    title: `Title of ${id}`,
    description: `What ${id} is about`,
    acceptanceCriteria: ["Typecheck passes"],
    dependsOn: dependsOn.map(storyId),
  };
}

/** plan, then `code` and `verify` for each story, then test, pr and review: the shape of antfarm's feature-dev. */
export function featureDev(options: { readonly maxRetries?: number } = {}): Definition {
  const { maxRetries = 2 } = options;
  const viaStory = { route: again, limit: null };
  return workflow([
    agent("plan"),
    stories(
      "implement",
      [
        agent("implement", { onError: viaStory }),
        agent("verify", { on: { rejected: backTo("implement") }, onError: atMost(maxRetries, again) }),
      ],
      { storyBudget: limit(maxRetries - 1, fail("story failed")) },
    ),
    agent("test"),
    agent("pr"),
    decider("review", { approved: next, needs_fixes: backTo("implement") }, { budget: limit(3, fail("exhausted")) }),
  ]);
}

/**
 * Ten numbered steps for each story and its integration, four stories at once: the shape of Dynamic Ralph. `context`, `linting` and
 * `prune` may not edit.
 */
export function ralph(options: Parameters<typeof stories>[2] = {}): Definition {
  const editable = { editable: true, onError: fail("broken") };
  const body = [
    agent("context", { onError: fail("broken") }),
    agent("planning", editable),
    agent("architecture", editable),
    agent("tests", editable),
    agent("coding", { ...editable, on: { "rejected:checks": atMost(1, again) } }),
    agent("linting", { mandatory: true, follows: [stepName("coding")], onError: fail("broken") }),
    agent("testing", editable),
    agent("self_review", editable),
    agent("prune", { onError: fail("broken") }),
    agent("review", { ...editable, mandatory: true, last: true, follows: [stepName("coding")] }),
    agent("resolve", { spare: true, onError: fail("broken") }),
    integrate(),
  ];
  return workflow([
    stories("each", body, {
      concurrency: 4,
      onStoryFailed: "continue",
      workspace: "worktree",
      ids: "numbers",
      maxSteps: 30,
      ...options,
    }),
  ]);
}

function rules(from: Rules): Readonly<Record<string, RouteRule>> {
  return Object.fromEntries(Object.entries(from).map(([key, route]) => [key, rule(route)]));
}

function rule(from: Route | RouteRule): RouteRule {
  return "route" in from ? from : { route: from, limit: null };
}
