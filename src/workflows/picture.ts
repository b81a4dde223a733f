// Draws a workflow as text: its chain, routes back, limits, questions and the body of its stories. At most 100 columns wide.

import type { Check } from "../domain/check.ts";
import { counted } from "../domain/counted.ts";
import {
  type Caps,
  type Definition,
  isGiven,
  isPerformed,
  type PerformedDefinition,
  type StepDefinition,
  type StoriesStep,
} from "../domain/definition.ts";
import { namesOf, reasonsOf } from "../domain/gate.ts";
import {
  anyOtherValue,
  type GateDeadline,
  type GateOptions,
  type Limit,
  type Route,
  type RouteRule,
} from "../domain/route.ts";
import { limitsRoutes } from "./check/exits.ts";
import { formatDuration } from "./document/duration.ts";
import { spendText } from "./format/spend.ts";

const width = 100;

export function drawWorkflow(definition: Definition): string {
  const lines = wrap(`${definition.id}  ${definition.title === definition.id ? "" : definition.title}`.trimEnd(), "");
  if (definition.description !== "") lines.push(...wrap(definition.description.replace(/\s+/g, " "), "  "));
  const caps = capsText(definition.caps);
  lines.push("", ...drawChain(definition, definition.steps, ""), ...(caps === "" ? [] : ["", ...wrap(caps, "")]), "");
  return lines.join("\n");
}

function drawChain(of: Definition, chain: readonly StepDefinition[], indent: string): string[] {
  const nameWidth = Math.min(24, Math.max(...chain.map((step) => step.name.length)));
  return chain.flatMap((step, index) => {
    const last = index === chain.length - 1;
    const rail = `${indent}${last ? " " : "│"}`;
    const mark = step.spare ? "○" : "●";
    const head = wrap(`${step.name.padEnd(nameWidth)}  ${headOf(of, step)}`, `${indent}${mark} `, `${rail}   `);
    const details = detailsOf(step).flatMap((detail) => wrap(detail, `${rail}     `, `${rail}         `));
    const body = step.kind === "stories" ? drawBody(of, step, `${rail}   `) : [];
    return [...head, ...body, ...details, ...(last ? [] : [rail])];
  });
}

function drawBody(of: Definition, step: StoriesStep, indent: string): string[] {
  const inner = drawChain(of, step.body, `${indent}│ `);
  return [`${indent}┌─ each story`, ...inner, `${indent}└─`];
}

function headOf({ agents }: Definition, step: StepDefinition): string {
  switch (step.kind) {
    case "agent": {
      const reads = agents[step.agent]?.access === "read" ? ", only reads" : "";
      return `agent ${step.agent}${reads}${timeOf(step.wallMs)}`;
    }
    case "command":
      return `command: ${oneLine(step.command)}${timeOf(step.wallMs)}`;
    case "gate":
      return `asks: ${oneLine(step.question)}`;
    case "stories":
      return `stories, ${step.concurrency === 1 ? "one at a time" : `${step.concurrency} at a time`}${treesOf(step)}`;
    case "integrate":
      return `one commit on the base: ${oneLine(step.message)}${timeOf(step.wallMs)}`;
    case "decision":
      return `reads ${step.reader}${step.source === undefined ? "" : `: ${oneLine(step.source.file)}`}`;
  }
}

function treesOf({ workspace, branchPrefix }: StoriesStep): string {
  if (workspace === undefined) return "";
  return `, each in a tree of its own${branchPrefix === undefined ? "" : `, on ${branchPrefix}STORY`}`;
}

/** What is special about a step's part in its chain, in one line. */
function flagLines(step: StepDefinition): string[] {
  const { session, summary, waits, editable, mandatory, last, follows } = isPerformed(step) ? step : {};
  const parts = [
    ...(step.spare ? ["only when a route inserts it"] : []),
    ...(waits ? ["asks before it starts"] : []),
    ...(session ? [`continues the session of ${session}`] : []),
    ...(summary ? ["ends with a summary"] : []),
    ...(editable ? ["may change what comes after it"] : []),
    ...(mandatory ? ["no edit skips it"] : []),
    ...(last ? ["stays last"] : []),
    ...(follows ? [`stays behind ${follows.join(", ")}`] : []),
  ];
  return parts.length === 0 ? [] : [parts.join("; ")];
}

/** How far a story's chain may grow. */
function growthLines({ sentBack, maxSteps, restarts }: StoriesStep): string[] {
  const back = sentBack === undefined ? [] : ["going back to it adds no story"];
  const parts = [
    ...(maxSteps === undefined ? [] : [`has at most ${counted(maxSteps, "step")}`]),
    ...(restarts === undefined
      ? []
      : [restarts === 0 ? "restarts none of them" : `may restart each of them ${timesText(restarts)}`]),
  ];
  return [...back, ...(parts.length === 0 ? [] : [`a story ${parts.join(" and ")}`])];
}

function detailsOf(step: StepDefinition): string[] {
  if (step.kind === "gate") {
    const options = Object.entries(step.options).map(
      ([name, route]) => `${name.replace(":", " ")} → ${routeText(route)}`,
    );
    const unanswered = step.deadline ? [`no answer ${deadlineText(step.deadline)}`] : [];
    return [...flagLines(step), ...options, ...unanswered];
  }
  if (step.kind === "stories") {
    const failed = step.onStoryFailed === "stop" ? "starts no other" : "lets the others continue";
    return [
      step.storyBudget.atMost === 0
        ? `a story is not tried again: ${routeText(step.storyBudget.then)}`
        : `a story is tried again ${limitText(step.storyBudget)}`,
      ...spendLines("all attempts of a story", step.storyBudget),
      `a failed story ${failed}`,
      ...growthLines(step),
    ];
  }
  const rules = Object.entries(step.on).filter(([key, rule]) => key !== "passed" || rule?.route.to !== "next");
  const named = rules.map(([key, rule]) => [verdictText(key, step.decide), rule] as const);
  const unreadable = step.onUnreadable ? [["unreadable answer", step.onUnreadable] as const] : [];
  const all = [...named, ...failureRules(step), ...unreadable];
  const keyWidth = Math.min(40, Math.max(...all.map(([key]) => key.length)));
  return [
    ...flagLines(step),
    ...all.map(([key, rule]) => `${key.padEnd(keyWidth)} → ${rule ? ruleText(rule) : ""}`),
    ...(step.budget && limitsRoutes(step)
      ? [`all ${step.budget.errors ? "repetitions" : "routes back"} together ${limitText(step.budget)}`]
      : []),
    ...(step.budget ? spendLines("all attempts", step.budget) : []),
    ...step.checks.map(checkText),
  ];
}

function checkText({ run, must, reads, file }: Check): string {
  const results = reads === undefined ? "" : ` (${reads}${file === undefined ? "" : ` in ${file}`})`;
  return `${must === "fail" ? "check, must fail" : "check"}: ${oneLine(run)}${results}`;
}

const outcomeWords: Readonly<Record<string, string>> = { failed: "crash", timed_out: "time-out" };

function failureRules({ onError, onErrorBy }: PerformedDefinition): (readonly [string, RouteRule])[] {
  const own = Object.entries(onErrorBy ?? {}).map(
    ([outcome, rule]) => [outcomeWords[outcome] ?? outcome, rule] as const,
  );
  return [...own, [own.length === 0 ? "failure" : "other failure", onError]];
}

function verdictText(key: string, decide: string | null): string {
  if (key === anyOtherValue) return `any other ${decide ?? ""}`;
  return key.startsWith("=") ? `${decide ?? ""} ${key.slice(1)}` : key.replace(":", " ");
}

function ruleText({ route, limit }: RouteRule): string {
  return limit ? `${routeText(route)}, ${limitText(limit)}` : routeText(route);
}

function limitText({ atMost, then }: Limit): string {
  return `${timesText(atMost)}, then ${routeText(then)}`;
}

function timesText(atMost: number): string {
  return `at most ${atMost === 1 ? "once" : `${atMost} times`}`;
}

function spendLines(what: string, { spend, then }: Limit): string[] {
  if (!spend) return [];
  const stops = spend.hard ? ", which stops the one that runs" : "";
  return [`${what} together at most ${spendText(spend)}${stops}, then ${routeText(then)}`];
}

/** Only what the file says: the usual caps are far away. */
function capsText(caps: Caps): string {
  const parts = [
    ...(isGiven(caps, "attempts") ? [counted(caps.attempts, "attempt")] : []),
    ...(isGiven(caps, "steps") ? [counted(caps.steps, "step")] : []),
    ...(isGiven(caps, "wallMs") ? [`${formatDuration(caps.wallMs)}${caps.hard ? " (hard)" : ""}`] : []),
    ...(isGiven(caps, "costUsd") ? [`${caps.costUsd} USD`] : []),
    ...(isGiven(caps, "tokens") ? [counted(caps.tokens, "token")] : []),
  ];
  if (parts.length === 0) return "";
  return `the whole run at most ${parts.join(", ")}, then ${caps.then === "gate" ? "ask" : "fail"}`;
}

function routeText(route: Route): string {
  switch (route.to) {
    case "next":
    case "again":
    case "fail":
      return route.to;
    case "back_to":
      return `back to ${route.step}`;
    case "go_to":
      return `on to ${route.step}`;
    case "insert":
      return `first ${route.steps.join(", ")}, then ${route.before === undefined ? "again" : `all from ${route.before} on`}`;
    case "gate":
      return `ask (${optionsText(route.options)}${route.deadline ? `; ${deadlineText(route.deadline)}` : ""})`;
  }
}

/** `approve, reject [unclear, too_large]` */
function optionsText(options: GateOptions): string {
  const texts = namesOf(options).map((name) => {
    const reasons = reasonsOf(options, name);
    return reasons.length === 0 ? name : `${name} [${reasons.join(", ")}]`;
  });
  return texts.join(", ");
}

function deadlineText({ afterMs, option }: GateDeadline): string {
  return `after ${formatDuration(afterMs)} → ${option}`;
}

function timeOf(wallMs: number | null): string {
  return wallMs === null ? "" : `, ${formatDuration(wallMs)} at most`;
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}

/** Breaks between words; a word longer than the line is cut. */
function wrap(text: string, first: string, rest: string = first): string[] {
  const lines: string[] = [];
  let left = text;
  let prefix = first;
  while (prefix.length + left.length > width) {
    const room = Math.max(10, width - prefix.length);
    const space = left.lastIndexOf(" ", room);
    const cut = space > 0 && left.slice(0, space).trim() !== "" ? space : room;
    lines.push(prefix + left.slice(0, cut).trimEnd());
    left = left.slice(cut).trimStart();
    prefix = rest;
  }
  return [...lines, (prefix + left).trimEnd()];
}
