// What a person is told about a project, in plain words and without a model.

import { counted } from "../../domain/counted.ts";
import type { ProjectState } from "./adapter.ts";

/** What STATE.json alone does not say. */
export interface ReportContext {
  /** The story to work on next; null: none is left. */
  readonly next?: { readonly id: string; readonly title: string } | null;
  /** Stories that are done, in order. */
  readonly done?: readonly string[];
  /** What a person is asked, and what the last session said about it. */
  readonly question?: string | null;
  readonly handoff?: string;
  /** Minutes since the dispatch. */
  readonly minutes?: number | null;
  /** The step that comes next; null: the story is done then. */
  readonly entering?: string | null;
  /** The story goes on as soon as a person says so, also after a failure. */
  readonly goesOn?: boolean;
  /** A person rejected it. */
  readonly isRejected?: boolean;
  /** What was wrong, as the next session hears it. */
  readonly why?: string;
  /** The session that did not pass and led here, in a sentence. */
  readonly sentBy?: string;
  /** What a person should know about the last attempt. */
  readonly notes?: readonly string[];
  /** What the sessions of the story's other steps left, the oldest first. */
  readonly earlier?: readonly string[];
  /** Where a reviewer finds the files; absent: in the project's folder. */
  readonly tree?: string;
  /** The running session was told to stop. */
  readonly isStopping?: boolean;
}

/** Where the project stands. */
export function standingText(state: ProjectState, context: ReportContext = {}): string {
  const notes = state.status === "running" ? [] : (context.notes ?? []).map((note) => `note: ${shortened(note, 1)}`);
  return [stateText(state, context), ...notes].join("\n");
}

function stateText(state: ProjectState, context: ReportContext): string {
  const { story, step, attempt } = state;
  if (story === null) return `Project ${state.project}: choose a story. ${nextLine(context)}`.trimEnd();
  if (state.blocked_by.length > 0 && state.status === "pending")
    return `${story} waits for ${state.blocked_by.join(", ")}.`;
  if (step === "done") return [`${story} all complete ✓`, nextLine(context)].filter((line) => line !== "").join("\n");
  switch (state.status) {
    case "pending":
      return `Project ${state.project}: next is ${story} ${step} (attempt ${attempt} of ${state.max_attempts}).`;
    case "running":
      if (context.isStopping) return `${story} ${step} is being stopped (attempt ${attempt}).`;
      return `${story} ${step} is still running (attempt ${attempt}${minutesOf(context)}).`;
    case "pass":
      return passedText(state, context);
    case "failing":
      return failedText(state, context);
    case "timeout":
      return timeoutText(state, context.minutes ?? state.timeout_min);
    case "needs_human":
      return step === "review" ? reviewText(state, context) : askedText(state, context);
  }
}

/** `Received. Project A executing US-005 impl (attempt 3)` */
export function dispatchedText({ project, story, step, attempt }: ProjectState): string {
  if (step === "bdd" && attempt === 1) return `Writing ${story} BDD scenarios`;
  return `Received. Project ${project} executing ${story} ${step} (attempt ${attempt})`;
}

/** `US-005 impl complete ✓ All tests pass (44/44), entering verify` */
function passedText(state: ProjectState, { entering = null }: ReportContext): string {
  const tests = testsOf(state);
  const then = entering === null ? "" : `${tests === "" ? "" : ","} entering ${entering}`;
  return `${state.story} ${state.step} complete ✓${tests === "" ? "" : ` ${tests}`}${then}`;
}

/** A failure that a session repeats, or that a person has to look at. */
function failedText(state: ProjectState, { goesOn, isRejected, why = "", entering }: ReportContext): string {
  const { story, step, attempt, max_attempts: most } = state;
  const what = isRejected
    ? `${story} ${step} was rejected.`
    : `${story} ${step} did not pass (attempt ${attempt} of ${most}).`;
  const facts = failureOf(state);
  const first = goesOn ? [what, facts].filter((part) => part !== "").join(" ") : stuckText(state);
  const details = [goesOn ? "" : facts, shortened(why.replace(/^Failing tests: .*(?:\n- .*)*\n*/m, ""), shownLines)];
  const next = goesOn && entering ? [`Next is ${entering}${entering === step ? " again" : ""}, continue?`] : [];
  return [first, ...details.filter((part) => part !== ""), ...next].join("\n");
}

const shownLines = 12;
const shownLength = 200;

/** The first lines of a text that may be the output of a test runner. */
function shortened(text: string, most: number): string {
  const lines = text.trim().split("\n");
  const shown = lines
    .slice(0, most)
    .map((line) => (line.length > shownLength ? `${line.slice(0, shownLength)}…` : line));
  return [...shown, ...(lines.length > most && most > 1 ? ["…"] : [])].join("\n");
}

export function stuckText({ story, step, attempt }: ProjectState): string {
  return `${story} stuck at ${step} (${counted(attempt, "attempt")})`;
}

export function timeoutText({ story, step }: ProjectState, minutes: number): string {
  return `${story}'s ${step} timed out (${spanText(minutes)})`;
}

/** On "stop for today". */
export function stoppedText(project: string, { done = [], next = null }: ReportContext): string {
  return [
    `OK. Project ${project} progress:`,
    ...(done.length === 0 ? [] : [`✅ ${spanOf(done)}`]),
    ...(next === null ? [] : [`⏭ Next ${next.id}`]),
    `Say "continue ${project}" tomorrow to resume.`,
  ].join("\n");
}

/** The review request: what the sessions wrote about scenarios and open questions, and what the last one did. */
function reviewText(state: ProjectState, context: ReportContext): string {
  const { handoff = "", earlier = [], question = null, sentBy = "", tree } = context;
  const written = [...earlier, handoff];
  const scenarios = new Set(written.flatMap(scenariosIn));
  const open = [...new Set(written.flatMap(clarificationsIn))];
  const summary = sectionOf(handoff, /what was done/i)
    .split("\n")
    .filter((line) => scenariosIn(line).length === 0)
    .join("\n")
    .trim();
  const count = open.length === 1 ? "One clarification" : `${open.length} clarifications`;
  return [
    `${state.story} needs your review:`,
    ...(sentBy === "" ? [] : [sentBy]),
    ...[...scenarios].map((line) => `- ${line}`),
    ...(summary === "" ? [] : [shortened(summary, shownLines)]),
    ...(open.length === 1 ? [`${count} needed: ${open[0]}`] : []),
    ...(open.length > 1 ? [`${count} needed:`, ...open.map((line) => `- ${line}`)] : []),
    ...(tree === undefined ? [] : [`The files are in ${tree}.`]),
    ...(question === null || question === "" ? [] : [question]),
  ].join("\n");
}

function scenariosIn(handoff: string): readonly string[] {
  return [...handoff.matchAll(/^[\s#>*-]*((?:Scenario|Example)\b[^\n]*)$/gim)].map(([, line = ""]) => line.trim());
}

function askedText(state: ProjectState, { question = null, handoff = "", why = "" }: ReportContext): string {
  const asked = question ?? clarificationsIn(handoff)[0] ?? state.reason ?? "it asks for a person";
  const details = why.trim() === asked.trim() ? "" : shortened(why, shownLines);
  const lines = asked
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const shown = lines.length > 1 ? ["", ...lines].join("\n") : ` ${(lines[0] ?? "").replace(/^[-*]\s+/, "")}`;
  return [`${state.story} ${state.step} needs you:${shown}`, ...(details === "" ? [] : [details])].join("\n");
}

/** Lines that are marked as unclear, and what a session left open. */
function clarificationsIn(handoff: string): readonly string[] {
  const marked = [...handoff.matchAll(/\[?NEEDS CLARIFICATION\]?\s*:?\s*([^\n\]]+)\]?/g)].map(([, text = ""]) => text);
  const open = sectionOf(handoff, /not yet resolved/i)
    .split("\n")
    .map((line) => line.replace(/^\s*[-*]\s*/, "").replace(/\[?NEEDS CLARIFICATION\]?\s*:?\s*/, ""));
  const all = [...marked, ...open].map((line) => line.trim());
  return [...new Set(all)].filter((line) => line !== "" && !/^(?:none|nothing|n\/a|-)\.?$/i.test(line));
}

/** The text under a heading of the hand-off. */
function sectionOf(handoff: string, heading: RegExp): string {
  const lines = handoff.split("\n");
  const start = lines.findIndex((line) => /^#+\s/.test(line) && heading.test(line));
  if (start === -1) return "";
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => /^#+\s/.test(line));
  return rest
    .slice(0, end === -1 ? undefined : end)
    .join("\n")
    .trim();
}

function failureOf({ reason, failing_tests: failing, tests, lint_pass: lint }: ProjectState): string {
  const facts = [
    ...(reason === null ? [] : [`Reason: ${reason}.`]),
    ...(tests === null || tests.fail === 0 ? [] : [`${tests.fail} of ${tests.pass + tests.fail} tests fail.`]),
    ...(failing.length === 0 ? [] : [`Failing: ${failing.slice(0, 5).join(", ")}${failing.length > 5 ? ", …" : ""}.`]),
    ...(lint === false ? ["Lint fails."] : []),
  ];
  return facts.join(" ");
}

function testsOf({ tests }: ProjectState): string {
  if (tests === null) return "";
  const all = tests.pass + tests.fail;
  return tests.fail === 0 ? `All tests pass (${tests.pass}/${all})` : `${tests.fail} of ${all} tests fail`;
}

function nextLine({ next = null }: ReportContext): string {
  return next === null ? "" : `Next is ${next.id} ${next.title}, continue?`;
}

function minutesOf({ minutes = null }: ReportContext): string {
  return minutes === null ? "" : `, ${spanText(minutes)}`;
}

/** `5 minutes`; below one minute, in seconds. */
function spanText(minutes: number): string {
  const seconds = Math.max(1, Math.round(minutes * 60));
  return seconds < 60 ? counted(seconds, "second") : counted(Math.round(minutes), "minute");
}

/** `US-001 ~ US-006` */
function spanOf(ids: readonly string[]): string {
  return ids.length < 3 ? ids.join(", ") : `${ids[0]} ~ ${ids.at(-1)}`;
}
