// What a person can type now about a project, and what each command does. Reports, refusals and `--json` all have this one list, so that
// a question never has another vocabulary than the commands.

import type { Attempt } from "../../domain/attempt.ts";
import { isPerformed, type StepDefinition } from "../../domain/definition.ts";
import { type Gate, reasonsOf } from "../../domain/gate.ts";
import type { GateOptions, Route } from "../../domain/route.ts";
import type { Run } from "../../domain/run.ts";
import { isOver, type Step } from "../../domain/step.ts";
import type { StoryEntry } from "../../domain/story.ts";
import type { ProjectState } from "../../protocols/agentic/adapter.ts";
import type { ReportContext } from "../../protocols/agentic/report-text.ts";
import type { LocatedRun } from "../../store/store.ts";
import { shellWord } from "../../system/process/words.ts";
import type { ProjectPlace } from "./place.ts";
import type { QueuedStory } from "./queue.ts";

export interface NextCommand {
  readonly command: string;
  /** What it does, in words. */
  readonly effect: string;
}

/** Where a project stands, from the store. */
export interface ProjectStanding {
  readonly place: ProjectPlace;
  /** The run that works on the project, or the last one; null: there was none. */
  readonly run: LocatedRun | null;
  readonly whole: Run | null;
  readonly entry: StoryEntry | null;
  readonly state: ProjectState;
  /** The open question. */
  readonly gate: Gate | null;
  readonly queue: readonly QueuedStory[];
  readonly context: ReportContext;
  /** The attempt that runs; null: none does. */
  readonly running: Attempt | null;
  /** Whether a process drives the run. */
  readonly isDriven: boolean;
  /** Where it stands, in plain words. */
  readonly words: string;
}

export function commandsNow(view: ProjectStanding): readonly NextCommand[] {
  const typed = ([words, effect]: Choice) => ({ command: `pawl project ${words}${view.place.flag}`, effect });
  return choicesNow(view).map(typed);
}

/** Behind the words of a report. */
export function commandsText(commands: readonly NextCommand[]): string {
  const [only, ...others] = commands;
  if (only === undefined) return "";
  if (others.length === 0) return `Next: ${only.command}`;
  const width = Math.max(...commands.map(({ command }) => command.length));
  return ["Type one of:", ...commands.map((each) => `  ${each.command.padEnd(width)}  ${each.effect}`)].join("\n");
}

type Choice = readonly [words: string, effect: string];

function choicesNow(view: ProjectStanding): readonly Choice[] {
  const { place, whole, entry, state, gate, queue } = view;
  if (place.level === 0) {
    const story = state.story ?? queue[0]?.id ?? "US-001";
    return [[`prompt --step bdd --story ${story}`, "print a prompt to forward"]];
  }
  if (whole?.header.end?.status === "failed" || entry?.status === "failed")
    return [["retry", `try ${state.step} again; its attempts are counted anew`]];
  if (gate !== null) return choicesAt(gate, view);
  if (state.status === "running") return choicesWhileRunning(view);
  if (isNothingLeft(view)) return [[`add ${freeId(view)} "TITLE"`, "add a story"]];
  return [["continue", "go on"]];
}

/** The number after the last one. */
function freeId({ queue }: ProjectStanding): string {
  const [, before = "US-", digits = "000"] = /^(.*?)(\d+)$/.exec(queue.at(-1)?.id ?? "") ?? [];
  return `${before}${String(Number(digits) + 1).padStart(digits.length, "0")}`;
}

/** No story is at work, and none is left. */
function isNothingLeft({ whole, entry, context, state }: ProjectStanding): boolean {
  if ((context.next ?? null) !== null) return false;
  return entry === null ? state.story === null : whole?.header.end?.status === "done";
}

function choicesWhileRunning({ state, running, isDriven }: ProjectStanding): readonly Choice[] {
  if (running?.state.phase === "stopping") return [["status", "look whether it has stopped"]];
  const abort: Choice = ["abort", "stop the session; the project then waits for you"];
  if (running?.driver === "pull")
    return [["hook", `when the session has left its report in .ai/HANDOFF.md: end ${state.step}`], abort];
  return isDriven
    ? [["watch", "follow it"], abort]
    : [["continue", "nothing drives it any more: go on with it"], abort];
}

function choicesAt(gate: Gate, view: ProjectStanding): readonly Choice[] {
  const { state } = view;
  const name = stepAt(gate, view);
  const skip: readonly Choice[] = isSkippable(gate, view) ? [["skip", `take ${name} as passed and go on`]] : [];
  const abort: readonly Choice[] =
    optionTo(gate.options, "fail") === null ? [] : [["abort", "end the story as failed; `retry` brings it back"]];
  switch (gate.cause) {
    case "waits":
      return [["continue", `start ${name}`]];
    case "step":
      return reviewChoices(gate, view);
    case "asked":
      return [
        ...answersTo(gate).map((words): Choice => [words, "answer it"]),
        ["retry", `go on with ${name} without an answer`],
        ...abort,
      ];
    case "stopped":
      return [["continue", `start ${name} again`], ...skip, ...abort];
    case "exhausted":
    case "unreadable":
      return [
        ["retry", `try ${name} again; its attempts are counted anew`],
        ...rejections(gate, view).map(([reason, route]) => rejectChoice(reason, route)),
        ...skip,
        ...abort,
      ];
    case "signal":
      return abort;
    case "cap":
      return [["retry", "allow as much again and go on"], ...abort];
    case "route":
      return [[state.status === "timeout" ? "continue" : "retry", `try ${name} again`], ...skip, ...abort];
  }
}

function reviewChoices(gate: Gate, view: ProjectStanding): readonly Choice[] {
  const chain = chainAt(gate, view);
  const at = chain.findIndex(({ id }) => id === gate.step);
  const next = chain.find((step, index) => index > at && !isOver(step));
  const approve: readonly Choice[] =
    "approve" in gate.options ? [["approve", next === undefined ? "go on" : `go on with ${next.name}`]] : [];
  return [...approve, ...rejections(gate, view).map(([reason, route]) => rejectChoice(reason, route))];
}

function rejectChoice(reason: string, route: Route): Choice {
  const effect = "step" in route ? `go back to ${route.step}` : "end the story as failed";
  return [`reject --reason ${reason}`, effect];
}

/** Reasons with which a person can reject what is asked about, and where each leads. */
export function rejections(gate: Gate, view: ProjectStanding): readonly (readonly [reason: string, route: Route])[] {
  const { reject } = gate.options;
  if (reject !== undefined) {
    const own = reasonsOf(gate.options, "reject").map((reason) => [reason, gate.options[`reject:${reason}`]] as const);
    return [...own, ["default", reject] as const].flatMap(([reason, route]) => (route ? [[reason, route]] : []));
  }
  // A step that is stuck may also go where a reason would have led.
  const definition = definitionAt(gate, view);
  if (
    (gate.cause !== "exhausted" && gate.cause !== "unreadable") ||
    definition === undefined ||
    !isPerformed(definition)
  )
    return [];
  return Object.entries(definition.on).flatMap(([key, rule]) => {
    const route = rule?.route;
    if (!key.startsWith("rejected:") || route === undefined || !("step" in route)) return [];
    return route.step in gate.options ? [[key.slice("rejected:".length), route] as const] : [];
  });
}

/** Ways to answer what a session asked. */
function answersTo({ options }: Gate): readonly string[] {
  const answers = Object.keys(options).filter((name) => options[name]?.to === "again" && name !== "answer");
  return answers.length === 0
    ? [`approve --note "YOUR ANSWER"`]
    : answers.map((name) => `approve --note ${shellWord(name)}`);
}

/** The option that leads there; null: none does. */
export function optionTo(options: GateOptions, to: Route["to"]): string | null {
  return Object.entries(options).find(([name, route]) => route.to === to && !name.includes(":"))?.[0] ?? null;
}

/** A session that asked has not finished, and work that is not integrated is nowhere. */
export function isSkippable(gate: Gate, view: ProjectStanding): boolean {
  if (gate.cause === "asked" || gate.cause === "cap") return false;
  return definitionAt(gate, view)?.kind !== "integrate";
}

export function stepAt(gate: Gate, view: Pick<ProjectStanding, "whole" | "state">): string {
  return chainAt(gate, view).find(({ id }) => id === gate.step)?.name ?? view.state.step;
}

function chainAt({ story }: Gate, { whole }: Pick<ProjectStanding, "whole">): readonly Step[] {
  return story === null ? [] : (whole?.stories[story]?.chain ?? []);
}

function definitionAt(gate: Gate, view: ProjectStanding): StepDefinition | undefined {
  const name = stepAt(gate, view);
  const body = view.whole?.header.definition.steps.flatMap((step) => (step.kind === "stories" ? step.body : [])) ?? [];
  return body.find((step) => step.name === name);
}
