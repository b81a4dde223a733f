// Lowers a table of step rules to a definition: one `stories` step whose body is the table in order, then the integration.

import {
  type AgentDefinition,
  type AgentStep,
  type Definition,
  defaultCaps,
  type GateStep,
  type IntegrateStep,
  type StepDefinition,
  type StoriesStep,
} from "../../domain/definition.ts";
import { agentName, stepName } from "../../domain/ids.ts";
import type { GateOptions, Limit, Route, RouteRule, VerdictKey } from "../../domain/route.ts";
import { knownKeysOf } from "../check/templates.ts";
import { nearest } from "../document/problem.ts";
import { from, note, type Reading, refuse, warn } from "../document/reading.ts";
import { plain, type Rules } from "../format/default-rules.ts";
import { type CheckCommands, checksOf, namesStory, storyVariable, testsOf } from "./checks.ts";
import { orderOf } from "./order.ts";
import { inputOf, instructionOf, titleOf } from "./prompt-text.ts";
import type { RulesTable, StepRules } from "./rules-schema.ts";
import { sessionReasons } from "./session-reasons.ts";
import { teamSizes } from "./story-size.ts";
import { teamOf } from "./team.ts";

/** `checks` is what Pawl says when a check is red. */
const reasons: readonly string[] = [...sessionReasons, "checks"];
const usual = { attempts: 3, minutes: 5, message: "feat: {{story}} - {{title}}" };
const handoff = ".ai/HANDOFF.md";
const executor = agentName("executor");
/** How often a story that does not fit on its base is worked over before a person is asked. */
const integrationsAtMost = 2;

/** `teams`: whether steps may be performed by several executors at once, which needs a tree for each. */
export function lowerRules(
  reading: Reading,
  table: RulesTable,
  commands: CheckCommands,
  teams: boolean,
): Definition | null {
  const order = orderOf(reading, table.steps);
  if (order.length === 0) return null;
  noteRed(reading, table);
  const steps = order.flatMap((name): StepDefinition[] => {
    const rules = table.steps[name];
    return rules ? [lowerStep(reading, name, rules, { order, commands, table, teams })] : [];
  });
  const stories = storiesOf(reading, table, steps, commands);
  const protocol = table.protocol ?? "agentic";
  const keys = reading.protocols.find(({ name }) => name === protocol)?.templateKeys ?? [];
  return {
    id: table.id ?? "agentic-coding",
    title: table.name ?? table.id ?? "Agentic coding",
    description: table.description?.trim() ?? "",
    dialect: "rules",
    agents: { [executor]: agentOf(table) },
    steps: [stories],
    context: {},
    knownKeys: knownKeysOf([stories], {}, keys),
    caps: { ...defaultCaps, then: "gate" },
    workspace: { branch: "own", onFailure: "keep" },
    protocol,
    pollEveryMs: 300_000,
  };
}

function agentOf({ agents }: RulesTable): AgentDefinition {
  return {
    name: executor,
    title: "Executor",
    description: "Performs one step in one session and reports in .ai/HANDOFF.md.",
    executor: null,
    model: null,
    timeoutMs: null,
    files: agents?.[executor] ?? {},
  };
}

function storiesOf(
  reading: Reading,
  { stories = {} }: RulesTable,
  body: readonly StepDefinition[],
  commands: CheckCommands,
): StoriesStep {
  const { concurrency = 1, workspace, integrate } = stories;
  const last = integrate === undefined && workspace === undefined ? [] : [integrateStep(body, integrate, commands)];
  // Every step has a limit of its own; what has none asks at once.
  const then: Route = {
    to: "gate",
    question: "{{current_story_id}} is stuck. What now?",
    options: { continue: { to: "again" }, ...abort("stories") },
  };
  return from(reading, ["stories"], {
    kind: "stories",
    name: stepName("stories"),
    title: "Stories",
    body: [...body, ...last],
    concurrency,
    storyBudget: { atMost: 1, then },
    onStoryFailed: "stop",
    ...(workspace === undefined ? {} : { workspace }),
  });
}

interface Lowering {
  readonly order: readonly string[];
  readonly commands: CheckCommands;
  readonly table: RulesTable;
  readonly teams: boolean;
}

function lowerStep(reading: Reading, name: string, rules: StepRules, lowering: Lowering): StepDefinition {
  const failures = failuresOf(reading, name, rules, lowering.order);
  const step = rules.requires_human
    ? reviewStep(reading, name, rules, failures)
    : agentStep(reading, name, rules, failures, lowering);
  return from(reading, ["steps", name], step);
}

type Failures = ReadonlyMap<string | null, Route>;

/** Where a failure leads, by reason; null is every other reason: `on_fail.default`, else `next_on_fail`, else the step itself. */
function failuresOf(reading: Reading, name: string, rules: StepRules, order: readonly string[]): Failures {
  const { next_on_fail, on_fail = {} } = rules;
  if (next_on_fail !== undefined && on_fail["default"] !== undefined && next_on_fail !== on_fail["default"]) {
    refuse(reading, ["steps", name, "next_on_fail"], {
      message: `Step '${name}': \`next_on_fail: ${next_on_fail}\` has no effect, since \`on_fail.default\` says ${on_fail["default"]}`,
      expected: "one of the two",
      hint: `write \`on_fail: { default: ${next_on_fail} }\``,
    });
  }
  const routes = new Map<string | null, Route>();
  const add = (reason: string | null, target: string, key: readonly string[]) =>
    routes.set(reason, from(reading, ["steps", name, ...key], routeTo(target, name, order)));
  if (on_fail["default"] !== undefined) add(null, on_fail["default"], ["on_fail", "default"]);
  else if (next_on_fail !== undefined) add(null, next_on_fail, ["next_on_fail"]);
  else routes.set(null, { to: rules.requires_human ? "fail" : "again", reason: `${name}: rejected by a person` });
  for (const [written, target] of Object.entries(on_fail)) {
    const reason = written.trim().toLowerCase();
    if (reason === "default") continue;
    if (!reasons.includes(reason)) warnReason(reading, name, written);
    add(reason, target, ["on_fail", written]);
  }
  return routes;
}

function routeTo(target: string, name: string, order: readonly string[]): Route {
  if (target === name) return { to: "again" };
  const to = order.indexOf(target) < order.indexOf(name) ? "back_to" : "go_to";
  return { to, step: stepName(target) };
}

function warnReason(reading: Reading, name: string, reason: string): void {
  const near = nearest(reason, reasons);
  warn(reading, ["steps", name, "on_fail", reason], {
    message: `Step '${name}': no session reports the reason \`${reason}\``,
    expected: `default or one of: ${reasons.join(", ")}`,
    hint: near ? `did you mean \`${near}\`?` : "a reason that is not known counts as none",
  });
}

function reviewStep(reading: Reading, name: string, rules: StepRules, failures: Failures): GateStep {
  const unused = (["max_attempts", "timeout_min", "post_check", "instruction", "waits", "team_roles"] as const).filter(
    (key) => rules[key] !== undefined,
  );
  if (unused.length > 0) note(reading, `Step '${name}' waits for a person: ${unused.join(", ")} have no effect`);
  const title = titleOf(name, rules);
  const byReason = [...failures].flatMap(([reason, route]): [string, Route][] =>
    reason === null ? [] : [[`reject:${reason}`, person(name, route)]],
  );
  const otherwise = person(name, failures.get(null) ?? { to: "again" });
  return {
    kind: "gate",
    name: stepName(name),
    title,
    question: rules.question ?? `${title} of {{current_story_id}}: approve it, or reject it with a reason.`,
    options: { approve: { to: "next" }, reject: otherwise, ...Object.fromEntries(byReason) },
  };
}

/** A person who rejects a step that only waits for a person would be asked the same again. */
function person(name: string, route: Route): Route {
  return route.to === "again" ? { to: "fail", reason: `${name}: rejected by a person` } : route;
}

function agentStep(
  reading: Reading,
  name: string,
  rules: StepRules,
  failures: Failures,
  { order, commands, table, teams }: Lowering,
): AgentStep {
  const title = titleOf(name, rules);
  if (instructionOf(name, rules) === null) {
    warn(reading, ["steps", name], {
      message: `Step '${name}' has no \`instruction\`, so its session is only told its name`,
      expected: "`instruction: TEXT`",
      hint: "say in a sentence what the session has to do",
    });
  }
  const entries = [...failures].map(([reason, route]): [VerdictKey, RouteRule] => [
    reason === null ? "rejected" : `rejected:${reason}`,
    plain(route),
  ]);
  const on: Rules = { passed: plain({ to: "next" }), ...Object.fromEntries(entries) };
  const attempts = rules.max_attempts ?? usual.attempts;
  const minutes = rules.timeout_min ?? usual.minutes;
  const reads = rules.claude_reads ?? [];
  const team = teamOf(reading, name, rules, table);
  return {
    kind: "agent",
    agent: executor,
    name: stepName(name),
    title,
    input: inputOf(name, rules, { namesSize: namesSize(name, order, table) }),
    produces: null,
    decide: null,
    expects: null,
    on,
    onError: plain({ to: "again" }),
    onErrorBy: { timed_out: plain(timedOut(name, minutes)) },
    budget: stuck(name, attempts, on),
    checks: checksOf(rules, commands),
    ...(namesStory(rules.post_check) ? { env: { [storyVariable]: "{{current_story_id}}" } } : {}),
    wallMs: Math.round(minutes * 60_000),
    quietMs: null,
    reads: reads.includes(handoff) ? reads : [...reads, handoff],
    ...(rules.claude_writes === undefined ? {} : { writes: rules.claude_writes }),
    ...(rules.waits ? { waits: true } : {}),
    ...(team === null || !teams ? {} : { parts: team }),
  };
}

/** The session of the first step writes the scenarios, and so finds out how large the story is. */
function namesSize(name: string, order: readonly string[], { steps, dispatch_mode }: RulesTable): boolean {
  const mayHaveTeam =
    teamSizes(dispatch_mode).length > 0 && order.some((each) => steps[each]?.team_roles !== undefined);
  return order[0] === name && mayHaveTeam;
}

// Options have the names of the commands of a project: `retry`, `skip`, `abort`.
const skip: GateOptions = { skip: { to: "next" } };

function abort(name: string): GateOptions {
  return { abort: { to: "fail", reason: `${name}: stopped by a person` } };
}

function stuck(name: string, attempts: number, on: Rules): Limit {
  // A person may also send the story where a reason would: the option has the name of that step.
  const others = Object.values(on).flatMap((rule) =>
    rule !== undefined && "step" in rule.route ? [[rule.route.step as string, rule.route] as const] : [],
  );
  const question = `{{current_story_id}} stuck at ${name} (${attempts === 1 ? "1 attempt" : `${attempts} attempts`}). What now?`;
  const options = { retry: { to: "again" }, ...Object.fromEntries(others), ...skip, ...abort(name) } as const;
  return { atMost: attempts - 1, errors: true, then: { to: "gate", question, options } };
}

function timedOut(name: string, minutes: number): Route {
  const time = minutes === 1 ? "1 minute" : `${minutes} minutes`;
  return {
    to: "gate",
    question: `{{current_story_id}}'s ${name} timed out (${time}). What now?`,
    options: { retry: { to: "again" }, ...skip, ...abort(name) },
  };
}

/** A story that does not fit on its base goes back to the step that makes its tests pass. */
function integrateStep(
  body: readonly StepDefinition[],
  message = usual.message,
  commands: CheckCommands,
): IntegrateStep {
  const name = stepName("integrate");
  const worker = body.find((step) => step.kind === "agent" && step.checks.some(isGreenTest));
  const again: Route = worker ? { to: "back_to", step: worker.name } : { to: "again" };
  const gate = (question: string): Route => ({
    to: "gate",
    question,
    // Work that is not integrated is nowhere, so this is never skipped.
    options: { retry: again, ...abort(name) },
  });
  return {
    kind: "integrate",
    name,
    title: "Integrate",
    message,
    input: "",
    produces: [],
    decide: null,
    expects: null,
    on: {
      passed: plain({ to: "next" }),
      rejected: {
        route: again,
        limit: { atMost: integrationsAtMost, then: gate("{{current_story_id}} does not fit on its base. What now?") },
      },
    },
    onError: {
      route: { to: "again" },
      limit: { atMost: 5, then: gate("{{current_story_id}} cannot be integrated. What now?") },
    },
    budget: null,
    checks: worker ? [{ ...commands.test, as: "tests" }] : [],
    wallMs: null,
    quietMs: null,
  };
}

function isGreenTest({ as, must }: AgentStep["checks"][number]): boolean {
  return as === "tests" && must !== "fail";
}

/** What is not taken as the table has it. */
function noteRed(reading: Reading, { steps }: RulesTable): void {
  for (const [name, rules] of Object.entries(steps)) {
    if (!rules.treat_failing_as_pass) continue;
    const isRed = testsOf(rules) === "fail";
    note(
      reading,
      isRed
        ? `Step '${name}', \`treat_failing_as_pass\`: its tests must fail (red); a session that reports a failure of its own is repeated`
        : `Step '${name}', \`treat_failing_as_pass\` has no effect, since \`tests\` says otherwise`,
    );
  }
}
