// Draws a workflow as text: its chain, routes back, limits, questions and the body of its stories. At most 100 columns wide.

import type { Check } from "../domain/check.ts";
import type { Condition } from "../domain/condition.ts";
import { counted } from "../domain/counted.ts";
import {
  type Caps,
  type Definition,
  type GateStep,
  isGiven,
  isPerformed,
  type PerformedDefinition,
  type StepDefinition,
  type StoriesStep,
} from "../domain/definition.ts";
import { namesOf, reasonsOf } from "../domain/gate.ts";
import { isWithin, outermostInclude } from "../domain/include.ts";
import type { PartDefinition } from "../domain/part.ts";
import {
  anyOtherValue,
  type GateDeadline,
  type GateOptions,
  type Limit,
  type Route,
  type RouteRule,
} from "../domain/route.ts";
import { lateOption, type SignalWait } from "../domain/signal.ts";
import { voteText } from "../domain/vote.ts";
import { limitsRoutes } from "./check/exits.ts";
import { formatDuration } from "./document/duration.ts";
import { spendText } from "./format/spend.ts";

const width = 100;

export function drawWorkflow(definition: Definition): string {
  const lines = wrap(`${definition.id}  ${definition.title === definition.id ? "" : definition.title}`.trimEnd(), "");
  if (definition.description !== "") lines.push(...wrap(definition.description.replace(/\s+/g, " "), "  "));
  if (definition.templates === "strict") lines.push("  asks a person where a key of an input has no value");
  const caps = capsText(definition.caps);
  lines.push("", ...drawChain(definition, definition.steps, ""), ...(caps === "" ? [] : ["", ...wrap(caps, "")]), "");
  return lines.join("\n");
}

function drawChain(of: Definition, chain: readonly StepDefinition[], indent: string): string[] {
  const nodes = nodesOf(of, chain);
  const nameWidth = Math.min(24, Math.max(...nodes.map(({ name }) => name.length)));
  return nodes.flatMap(({ name, first, steps }, index) => {
    const last = index === nodes.length - 1;
    const rail = `${indent}${last ? " " : "│"}`;
    const mark = steps.length === 0 && first.spare ? "○" : "●";
    const about = steps.length === 0 ? headOf(of, first) : includeText(of, name, steps);
    const head = wrap(`${name.padEnd(nameWidth)}  ${about}`, `${indent}${mark} `, `${rail}   `);
    const lines = steps.length === 0 ? detailsOf(first) : includeDetails(of, name, first);
    const details = lines.flatMap((detail) => wrap(detail, `${rail}     `, `${rail}         `));
    const body = steps.length === 0 && first.kind === "stories" ? drawBody(of, first, `${rail}   `) : [];
    return [...head, ...body, ...details, ...(last ? [] : [rail])];
  });
}

/** A step, or an included workflow with its steps: it is drawn folded, and its own file shows what is in it. */
interface Node {
  readonly name: string;
  readonly first: StepDefinition;
  /** Empty: it is a single step. */
  readonly steps: readonly StepDefinition[];
}

function nodesOf(of: Definition, chain: readonly StepDefinition[]): readonly Node[] {
  const nodes: Node[] = [];
  for (const step of chain) {
    const include = outermostInclude(of, step);
    if (include === null) nodes.push({ name: step.name, first: step, steps: [] });
    else if (nodes.at(-1)?.name === include)
      nodes.push({ ...(nodes.pop() as Node), steps: chain.filter((other) => isWithin(other, include)) });
    else nodes.push({ name: include, first: step, steps: [step] });
  }
  return nodes;
}

function includeText({ includes = {} }: Definition, id: string, steps: readonly StepDefinition[]): string {
  const { workflow = "", title = "" } = includes[id] ?? {};
  const names = steps.filter(({ spare }) => !spare).map(({ name }) => name.slice(id.length + 1));
  return `workflow ${workflow}${title === workflow ? "" : ` (${title})`}: ${names.join(", ")}`;
}

function includeDetails(
  { includes = {} }: Definition,
  id: string,
  { include, entries = [] }: StepDefinition,
): string[] {
  const { if: condition, repeatFor } = entries.find((entry) => entry.include === id) ?? {};
  const { attempts = null, spend } = includes[id]?.budget ?? {};
  const used = [...(attempts === null ? [] : [counted(attempts, "attempt")]), ...(spend ? [spendText(spend)] : [])];
  const limits = used.filter((text) => text !== "");
  const back = Object.values(include?.outputs ?? {});
  return [
    ...(condition ? [conditionText(condition)] : []),
    ...(repeatFor === undefined ? [] : [repeatText(repeatFor)]),
    ...(limits.length === 0 ? [] : [`its attempts together at most ${limits.join(", ")}, then fail`]),
    ...(back.length === 0 ? [] : [`sets ${back.join(", ")}`]),
  ];
}

function drawBody(of: Definition, step: StoriesStep, indent: string): string[] {
  const inner = drawChain(of, step.body, `${indent}│ `);
  return [`${indent}┌─ each story`, ...inner, `${indent}└─`];
}

function headOf({ agents }: Definition, step: StepDefinition): string {
  switch (step.kind) {
    case "agent": {
      const reads = agents[step.agent]?.access === "read" ? ", only reads" : "";
      const most = agents[step.agent]?.concurrency;
      const atOnce = most === undefined ? "" : `, at most ${most} at once`;
      return `agent ${step.agent}${reads}${atOnce}${timeOf(step.wallMs)}`;
    }
    case "command":
      return `command: ${oneLine(step.command)}${timeOf(step.wallMs)}`;
    case "gate":
      return step.signal ? step.question : `asks: ${oneLine(step.question)}`;
    case "stories":
      return `stories, ${step.concurrency === 1 ? "one at a time" : `${step.concurrency} at a time`}${treesOf(step)}`;
    case "integrate":
      return `one commit on the base: ${oneLine(step.message)}${timeOf(step.wallMs)}`;
    case "decision":
      if (step.source && "vote" in step.source) return `decides by ${voteText(step.source)}`;
      return `reads ${step.reader}${step.source === undefined ? "" : `: ${oneLine(step.source.file)}`}`;
  }
}

function treesOf({ workspace, branchPrefix }: StoriesStep): string {
  if (workspace === undefined) return "";
  return `, each in a tree of its own${branchPrefix === undefined ? "" : `, on ${branchPrefix}STORY`}`;
}

/** What is special about a step's part in its chain, in one line. */
function flagLines(step: StepDefinition): string[] {
  const performed: Partial<PerformedDefinition> = isPerformed(step) ? step : {};
  const { session, summary, waits, barrier, dependent, lock, labels, concurrency, editable, mandatory, last, follows } =
    performed;
  const parts = [
    ...(step.if ? [conditionText(step.if)] : []),
    ...(step.repeatFor === undefined ? [] : [repeatText(step.repeatFor)]),
    ...(step.spare ? ["only when a route inserts it"] : []),
    ...(waits ? ["asks before it starts"] : []),
    ...(barrier ? ["runs alone"] : []),
    ...(dependent ? ["needs the step before it"] : []),
    ...(lock ? [`holds the lock ${lock}`] : []),
    ...(labels ? [`on a machine with ${labels.join(", ")}`] : []),
    ...(concurrency ? [`at most ${counted(concurrency, "story", "stories")} at once`] : []),
    ...(session ? [`continues the session of ${session}`] : []),
    ...(summary ? ["ends with a summary"] : []),
    ...(editable ? ["may change what comes after it"] : []),
    ...(mandatory ? ["no edit skips it"] : []),
    ...(last ? ["stays last"] : []),
    ...(follows ? [`stays behind ${follows.join(", ")}`] : []),
  ];
  return parts.length === 0 ? [] : [parts.join("; ")];
}

/** What runs at the same time, how many of it must pass, and what becomes of the rest. */
function partLines({ parts }: PerformedDefinition): string[] {
  if (parts === undefined) return [];
  const { of, need, others } = parts;
  const names = "each" in of ? `one for each name in ${of.each}` : of.list.map(partText).join(", ");
  const rest = others === "stop" ? "; then the others are stopped" : "";
  return [`parts at the same time: ${names}`, `${need === "all" ? "all" : need} must pass${rest}`];
}

function partText({ name, agent }: PartDefinition): string {
  const own: string | undefined = agent;
  return own === undefined || own === name ? name : `${name} (${own})`;
}

function repeatText(key: string): string {
  return `once for each entry of ${key}, in order`;
}

function conditionText(condition: Condition): string {
  const words = condition.values.join(" or ");
  return "vote" in condition ? `only if ${voteText(condition)} say ${words}` : `only if ${condition.key} is ${words}`;
}

function signalLines({ options, deadline }: GateStep, { produces }: SignalWait): string[] {
  const late = options[lateOption];
  return [
    ...(produces.length === 0 ? [] : [`sets ${produces.join(", ")}`]),
    ...(deadline && late ? [`after ${formatDuration(deadline.afterMs)} without it → ${routeText(late)}`] : []),
  ];
}

/** How many stories must be done, where that is not all, and what becomes of the rest. */
function needLines({ need, others }: StoriesStep): string[] {
  if (need === undefined) return [];
  const must = need === 1 ? "one story" : counted(need, "story", "stories");
  return [`${must} must be done; ${others === "stop" ? "then the others are stopped" : "the others run, too"}`];
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
    if (step.signal) return [...flagLines(step), ...signalLines(step, step.signal)];
    const unanswered = step.deadline ? [`no answer ${deadlineText(step.deadline)}`] : [];
    return [...flagLines(step), ...options, ...unanswered];
  }
  if (step.kind === "stories") {
    const isAll = step.need === undefined;
    const failed =
      isAll && step.others === "stop"
        ? "stops the others"
        : step.onStoryFailed === "stop"
          ? "starts no other"
          : "lets the others continue";
    return [
      ...flagLines(step),
      step.storyBudget.atMost === 0
        ? `a story is not tried again: ${routeText(step.storyBudget.then)}`
        : `a story is tried again ${limitText(step.storyBudget)}`,
      ...spendLines("all attempts of a story", step.storyBudget),
      ...needLines(step),
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
    ...(step.kind === "command" && step.produces ? [`sets ${step.produces.join(", ")}`] : []),
    ...all.map(([key, rule]) => `${key.padEnd(keyWidth)} → ${rule ? ruleText(rule) : ""}`),
    ...(step.budget && limitsRoutes(step)
      ? [`all ${step.budget.errors ? "repetitions" : "routes back"} together ${limitText(step.budget)}`]
      : []),
    ...(step.budget ? spendLines("all attempts", step.budget) : []),
    ...partLines(step),
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
    case "end":
      return route.of === undefined ? "end" : `end of ${route.of}`;
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
