// Lowers antfarm's spelling (`type: loop`, `verify_each`, `on_fail`, `decision_key`, …) to the same definitions as our own
// format. No code behind this file knows which spelling a file used.

import { counted } from "../../domain/counted.ts";
import type { AgentStep, StepDefinition, StoriesStep } from "../../domain/definition.ts";
import { agentName, stepName } from "../../domain/ids.ts";
import { foldValue, type Limit, type Route, type RouteRule, type VerdictKey } from "../../domain/route.ts";
import { refusePatterns } from "../document/patterns.ts";
import type { Path } from "../document/problem.ts";
import { from, note, type Reading, refuse, warn } from "../document/reading.ts";
import { limitedRoutes, unreadableRule } from "../format/default-rules.ts";
import { optionsFor } from "../format/occasion.ts";
import { valueKey } from "../format/routes.ts";
import { checkLoop, loopOf } from "./antfarm-loop.ts";
import type { AntfarmInput, AntfarmStep } from "./antfarm-schema.ts";

type Rules = Partial<Record<VerdictKey, RouteRule>>;

/** The chain of a file; a verify step stands in the body of its loop and nowhere else. */
export function readAntfarmSteps(reading: Reading, file: AntfarmInput): StepDefinition[] {
  const moved = new Set(file.steps.map((step) => loopOf(step).verifyStep).filter((id) => id !== null));
  return file.steps.flatMap((step, index): StepDefinition[] => {
    checkLoop(reading, file.steps, index);
    if (step.type === "loop") return [readLoop(reading, file, step, ["steps", index])];
    return moved.has(step.id) ? [] : [readSingle(reading, file, step, ["steps", index])];
  });
}

function readSingle(reading: Reading, file: AntfarmInput, step: AntfarmStep, path: Path): AgentStep {
  checkDecision(reading, step, path);
  const decides = step.decision_key !== undefined && step.on_decision !== undefined;
  const on = decides ? decisionRules(reading, step, path) : failureRules(reading, step, path);
  warnAboutEscalation(reading, step, path);
  const onError: RouteRule = decides
    ? unreadableRule(step.id, step.decision_key ?? "", on, retriesOf(step))
    : { route: { to: "again" }, limit: errorLimit(step) };
  return performed(reading, file, step, path, { on, onError, budget: decides ? decisionBudget(step, on) : null });
}

/** The loop and the first step of its body have the same name; the story's budget covers both. */
function readLoop(reading: Reading, file: AntfarmInput, step: AntfarmStep, path: Path): StoriesStep {
  const { verifyStep, storyTries } = loopOf(step);
  const onFail = typeof step.on_fail === "object" ? step.on_fail : {};
  if ((step.max_retries ?? onFail.max_retries ?? onFail.retry_step) !== undefined) {
    note(
      reading,
      `\`max_retries\` and \`retry_step\` of a loop step: each story has ${counted(storyTries, "try", "tries")}; write loop.max_retries for another number`,
    );
  }
  warnAboutEscalation(reading, step, path);
  const again: RouteRule = { route: { to: "again" }, limit: null };
  const next: RouteRule = { route: { to: "next" }, limit: null };
  const body = [
    performed(reading, file, step, path, { on: { passed: next, rejected: again }, onError: again, budget: null }),
  ];
  const verifyIndex = file.steps.findIndex((each) => each.id === verifyStep && each !== step);
  const verify = file.steps[verifyIndex];
  if (verify) {
    const back: RouteRule = { route: { to: "back_to", step: stepName(step.id) }, limit: null };
    warnAboutEscalation(reading, verify, ["steps", verifyIndex]);
    const rules = {
      on: { passed: next, rejected: back },
      onError: { route: { to: "again" }, limit: errorLimit(verify) } as const,
      budget: null,
    };
    body.push(performed(reading, file, verify, ["steps", verifyIndex], rules));
  }
  return from(reading, path, {
    kind: "stories",
    name: stepName(step.id),
    title: titleOf(step),
    body,
    concurrency: 1,
    storyBudget: {
      atMost: storyTries - 1,
      // Each story's tries are counted together, so whichever of the two escalates speaks for both.
      then: exhausted(step.id, asksPerson(step) || (verify !== undefined && asksPerson(verify)), storyTries - 1),
    },
    onStoryFailed: "stop",
  });
}

function performed(
  reading: Reading,
  file: AntfarmInput,
  step: AntfarmStep,
  path: Path,
  rules: Pick<AgentStep, "on" | "onError" | "budget">,
): AgentStep {
  const agentSeconds = file.agents.find((agent) => agent.id === step.agent)?.timeout_seconds;
  const seconds =
    step.timeout_seconds ?? (step.timeout_minutes === undefined ? agentSeconds : step.timeout_minutes * 60);
  return from(reading, path, {
    kind: "agent",
    name: stepName(step.id),
    title: titleOf(step),
    agent: agentName(step.agent),
    input: step.input,
    produces: step.output_keys?.map(foldValue) ?? null,
    decide: step.decision_key === undefined ? null : foldValue(step.decision_key),
    expects: readExpects(reading, step, path),
    ...rules,
    checks: [],
    wallMs: seconds === undefined ? null : Math.round(seconds * 1_000),
    quietMs: null,
  });
}

/** `STATUS: done, REPO, BRANCH` is meant as a list, and no reply contains it as one text. */
function readExpects(reading: Reading, step: AntfarmStep, path: Path): string | null {
  const expects = step.expects?.trim() ?? "";
  if (expects === "") return null;
  refusePatterns(reading, step.id, expects, [...path, "expects"]);
  if (/^regex:|\n/i.test(expects)) return expects;
  const [first = "", ...others] = expects.split(/\s*,\s*/);
  if (others.length === 0 || !others.every((other) => /^[A-Z][A-Z0-9_]*:?$/.test(other))) return expects;
  warn(reading, [...path, "expects"], {
    message: `Step '${step.id}': \`expects\` lists several things; only "${first}" is looked for`,
    expected: "one text that a passing output contains",
    hint: `write \`expects: "${first}"\``,
  });
  return first;
}

function failureRules(reading: Reading, step: AntfarmStep, path: Path): Rules {
  const onFail = typeof step.on_fail === "object" ? step.on_fail : {};
  const target = onFail.retry_step;
  const at = [...path, "on_fail", "retry_step"];
  const back = target !== undefined && target !== step.id;
  const route: Route = back ? from(reading, at, { to: "back_to", step: stepName(target) }) : { to: "again" };
  const atMost = target === undefined ? retriesOf(step) : (onFail.max_retries ?? step.max_retries ?? 2);
  return {
    passed: { route: { to: "next" }, limit: null },
    rejected: { route, limit: { atMost, then: exhausted(step.id, asksPerson(step), atMost, route) } },
  };
}

function decisionRules(reading: Reading, step: AntfarmStep, path: Path): Rules {
  const rules: Rules = {};
  for (const [value, written] of Object.entries(step.on_decision ?? {})) {
    const at = [...path, "on_decision", value];
    if ((written.next_step === undefined) === (written.retry_step === undefined)) {
      refuse(reading, at, {
        message: `Step '${step.id}': Route for decision '${value}' has ${written.next_step === undefined ? "no next_step or retry_step" : "both next_step and retry_step"}`,
        expected: "either next_step or retry_step",
        hint: "next_step goes forward, retry_step goes back",
      });
      continue;
    }
    const route: Route =
      written.next_step === undefined
        ? from(reading, [...at, "retry_step"], { to: "back_to", step: stepName(written.retry_step ?? "") })
        : from(reading, [...at, "next_step"], { to: "go_to", step: stepName(written.next_step) });
    const key = valueKey(value);
    if (rules[key]) {
      refuse(reading, at, {
        message: `Step '${step.id}': decision '${value}' has two routes`,
        expected: "each value once, whatever its case",
        hint: "remove one of the two",
      });
    }
    rules[key] = { route, limit: null };
  }
  return rules;
}

/** One limit for all routes back of a decision together. */
function decisionBudget(step: AntfarmStep, on: Rules): Limit {
  const onFail = typeof step.on_fail === "object" ? step.on_fail : {};
  const atMost = step.max_retries ?? onFail.max_retries ?? 3;
  const why = `Decision retries exhausted after ${counted(atMost, "attempt")}`;
  if (!asksPerson(step)) return { atMost, then: { to: "fail", reason: why } };
  const options = optionsFor({ of: "exhausted", step: step.id, limited: limitedRoutes(on) });
  return { atMost, then: { to: "gate", question: `${step.id}: ${why}. What now?`, options } };
}

function errorLimit(step: AntfarmStep): Limit {
  const atMost = retriesOf(step);
  if (!asksPerson(step)) return { atMost, then: failed(step.id, "still failing", atMost) };
  const question = `${step.id}: still failing after ${counted(atMost, "retry", "retries")}. What now?`;
  return { atMost, then: { to: "gate", question, options: optionsFor({ of: "error", step: step.id }) } };
}

function exhausted(step: string, asks: boolean, atMost: number, limited: Route = { to: "again" }): Route {
  if (!asks) return failed(step, "still rejected", atMost);
  const why = `still rejected after ${counted(atMost, "retry", "retries")}`;
  const options = optionsFor({ of: "exhausted", step, limited: { continue: limited } });
  return { to: "gate", question: `${step}: ${why}. What now?`, options };
}

/** `max_retries` where antfarm reads it from. */
function retriesOf(step: AntfarmStep): number {
  return step.max_retries ?? (typeof step.on_fail === "object" ? step.on_fail.max_retries : undefined) ?? 2;
}

function escalationOf(step: AntfarmStep): string | undefined {
  if (typeof step.on_fail === "string") return step.on_fail.replace(/^escalate(_to)?_/, "");
  return (
    step.on_fail?.on_exhausted?.escalate_to ??
    step.on_fail?.escalate_to ??
    step.on_exhausted?.escalate_to ??
    step.escalate_to
  );
}

function asksPerson(step: AntfarmStep): boolean {
  return /^(human|main|agent:.*)$/.test(escalationOf(step) ?? "");
}

function warnAboutEscalation(reading: Reading, step: AntfarmStep, path: Path): void {
  if (escalationOf(step) === undefined || asksPerson(step)) return;
  const field = (["on_fail", "on_exhausted", "escalate_to"] as const).find((name) => step[name] !== undefined);
  warn(reading, [...path, field ?? "escalate_to"], {
    message: `Step '${step.id}': "${escalationOf(step)}" is not a person to escalate to; the step fails instead`,
    expected: "human, main, or agent:NAME",
    hint: "write `escalate_to: human` to be asked",
  });
}

function checkDecision(reading: Reading, step: AntfarmStep, path: Path): void {
  const [key, map] = [step.decision_key !== undefined, step.on_decision !== undefined];
  if (key !== map) {
    refuse(reading, [...path, key ? "decision_key" : "on_decision"], {
      message: `Step '${step.id}' has ${key ? "decision_key but no on_decision" : "on_decision but no decision_key"}`,
      expected: "both or none",
      hint: key
        ? "list the values: `on_decision: { approved: { next_step: … } }`"
        : "name the output key: `decision_key: DECISION`",
    });
  }
  if (key && typeof step.on_fail === "object" && step.on_fail.retry_step !== undefined) {
    warn(reading, [...path, "on_fail", "retry_step"], {
      message: `Step '${step.id}': retry_step has no effect beside decision_key`,
      expected: "routes in on_decision only",
      hint: "remove on_fail.retry_step",
    });
  }
}

function failed(step: string, still: string, atMost: number): Route {
  return { to: "fail", reason: `${step}: ${still} after ${counted(atMost, "retry", "retries")}` };
}

function titleOf(step: AntfarmStep): string {
  return step.title ?? step.name ?? step.id;
}
