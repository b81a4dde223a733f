// Finds what a session left in its files: the report that counts, tied to story, step, attempt and time, in the order of trust.

import { lstatSync } from "node:fs";
import type { Attempt } from "../../domain/attempt.ts";
import type { PerformedDefinition } from "../../domain/definition.ts";
import { errorText } from "../../domain/error.ts";
import type { Facts } from "../../domain/report.ts";
import { contextOf, type Run } from "../../domain/run.ts";
import { isExample, type Told, withoutEcho } from "../../prompts/echo.ts";
import { readInside } from "../../system/files/inside.ts";
import { marksOfValue, sizeKey, sizeValue } from "../../workflows/rules/story-size.ts";
import { type AttemptFacts, fileTimeOf, type LeftInFiles, type SessionFacts, type ToldReport } from "../protocol.ts";
import { type AiFolder, largestFile } from "./ai-folder.ts";
import { readExecutorResult } from "./executor-result.ts";
import { readOrNull } from "./found-state.ts";
import { readHandoff } from "./handoff.ts";
import { type SessionReport, unreadable } from "./session-report.ts";
import { forgedState, stateReport } from "./state-report.ts";
import { howToReport } from "./what-to-write.ts";

export interface AttemptSession extends AttemptFacts {
  readonly session: SessionFacts;
}

/** What lies in the folder of an attempt. */
export interface Left {
  /** The report that counts; null: there is none. */
  readonly report: SessionReport | null;
  /** It is in STATE.json, so that everything else counts more. */
  readonly isLast: boolean;
  /** The hand-off of this session, whether or not it reports anything; null: it left none. */
  readonly handoff: string | null;
  /** Files that are there and do not count, in words. */
  readonly notes: readonly string[];
  /** Why the hand-off reports nothing, where that is no note of its own. */
  readonly absent: string | null;
  /** When the newest of the files that count was last changed, in milliseconds since 1970; null: there are none. */
  readonly changedAt: number | null;
}

/** The time of a file has a coarser clock than the time of a dispatch. */
const clockTolerance = 20;

export function leftBy(work: AttemptSession, folder: AiFolder): Left {
  const { run, attempt, definition, session } = work;
  const steps = stepNames(run);
  const result = fileIn(folder, folder.result, fileTimeOf(work));
  const handoff = fileIn(folder, folder.handoff, fileTimeOf(work));
  const told = () => session.told();
  const found = [
    reportIn(result, (text) => readExecutorResult(ownWords(text, told()), steps), "executor_result", attempt),
    reportIn(handoff, (text) => handoffIn(text, told, steps), "front_matter", attempt),
  ];
  const [, byHandoff] = found;
  const inFile = found.find(({ report }) => report !== null && !saysNothing(report))?.report ?? null;
  const state = session.isOthers ? stateReport(folder, attempt, steps) : null;
  const forged = session.isOthers ? null : forgedState(folder, attempt);
  const report = inFile ?? state ?? byHandoff?.report ?? null;
  const times = [result, handoff].flatMap((file) => (file.kind === "read" ? [file.at] : []));
  const stateAt = state === null ? [] : [lstatSync(folder.state).mtimeMs];
  return {
    report: report === null ? null : withDetails(withoutContradiction(report, definition), byHandoff?.report ?? null),
    isLast: report !== null && report === state,
    handoff: handoff.kind === "read" && byHandoff?.isForeign !== true ? handoff.text : null,
    notes: [...found.flatMap(({ notes }) => notes), ...(forged === null ? [] : [forged])],
    absent: byHandoff?.absent ?? null,
    changedAt: [...times, ...stateAt].reduce<number | null>((last, at) => Math.max(last ?? at, at), null),
  };
}

/** An executor-result is about the status alone: results and open questions are in the hand-off beside it. */
function withDetails(report: SessionReport, handoff: SessionReport | null): SessionReport {
  if (report.source !== "executor_result" || handoff === null) return report;
  const { tests, failingTests, filesChanged, unresolved } = report;
  return {
    ...report,
    tests: tests ?? handoff.tests,
    failingTests: failingTests.length > 0 ? failingTests : handoff.failingTests,
    filesChanged: filesChanged.length > 0 ? filesChanged : handoff.filesChanged,
    unresolved: unresolved === "" ? handoff.unresolved : unresolved,
    complexity: report.complexity ?? handoff.complexity,
    parallel: report.parallel ?? handoff.parallel,
  };
}

/** A text that names no reason reports nothing: what was printed decides, and the text is kept all the same. */
function saysNothing({ source, status }: SessionReport): boolean {
  return source === "free_text" && status === null;
}

/** A front matter stands for itself; what a text only repeats of the prompt is not what the session says. */
function handoffIn(text: string, told: () => Told, steps: readonly string[]): SessionReport {
  const report = readHandoff(text, steps);
  return report.source === "free_text" ? readHandoff(ownWords(text, told()), steps) : report;
}

function ownWords(text: string, told: Told): string {
  return withoutEcho(text, told)
    .text.split("\n")
    .filter((line) => !isExample(line, told))
    .join("\n");
}

/** A pass that counts failing tests says two things, unless the tests of its step must fail. */
function withoutContradiction(report: SessionReport, { checks }: Pick<PerformedDefinition, "checks">): SessionReport {
  if (report.status !== "pass" || checks.some(({ must }) => must === "fail")) return report;
  const failing = Math.max(report.tests?.fail ?? 0, report.failingTests.length);
  if (failing === 0) return report;
  const why = `status pass with ${failing === 1 ? "1 failing test" : `${failing} failing tests`} is read as failing`;
  return { ...report, status: "failing", notes: [...report.notes, why] };
}

/** What the runtime makes an attempt's report of. `run`: for the size of the story, of which a session may say a part. */
export function collectedFrom(left: Left, attempt: Attempt, run?: Run): LeftInFiles {
  const { report, notes, absent } = left;
  const outputs = report === null || run === undefined ? {} : sizeSaid(report, run, attempt);
  const told = report === null || saysNothing(report) ? null : { ...toldBy(report, attempt, left.isLast), ...outputs };
  const facts = factsOf(report, left.handoff);
  const reasons = [...notes, ...(absent === null ? [] : [absent])];
  return {
    facts,
    ...(notes.length === 0 ? {} : { notes }),
    ...(told === null ? { unreported: `${reasons.join(". ")}. ${howToReport(attempt)}` } : { told }),
  };
}

/** It decides whether a team works on a later step. What a role of a team says is about its own part. */
function sizeSaid(
  { complexity, parallel }: SessionReport,
  run: Run,
  { story, part }: Attempt,
): Pick<ToldReport, "outputs"> {
  if ((complexity === null && parallel === null) || part !== undefined) return {};
  const known = marksOfValue(contextOf(run, story)[sizeKey] ?? "") ?? { size: "S", parallel: 0 };
  const marks = { size: complexity ?? known.size, parallel: parallel ?? known.parallel };
  return { outputs: { [sizeKey]: sizeValue(marks) } };
}

function toldBy(report: SessionReport, attempt: Attempt, isLast: boolean): ToldReport {
  const { notes, status, summary } = report;
  const parts = [testsFailing(report), summary, report.unresolved, status === "pass" ? "" : notes.join("\n")];
  return {
    verdict: verdictOf(report, attempt),
    feedback: parts.filter((part) => part !== "").join("\n\n"),
    notes,
    ...(summary === "" ? {} : { summary }),
    ...(isLast ? { isLast } : {}),
  };
}

const namesShown = 50;

/** For the next session, which finds the results of this one nowhere else. */
function testsFailing({ tests, failingTests }: SessionReport): string {
  const fail = tests?.fail ?? failingTests.length;
  if (fail === 0) return "";
  const of = tests === null ? "" : ` of ${tests.pass + tests.fail}`;
  const more = failingTests.length > namesShown ? ["- …"] : [];
  const names = [...failingTests.slice(0, namesShown).map((name) => `- ${name}`), ...more];
  return [`Failing tests: ${fail}${of}`, ...names].join("\n");
}

function verdictOf(report: SessionReport, attempt: Attempt): ToldReport["verdict"] {
  const { status, reason, unresolved, summary, why, source } = report;
  if (status === "pass") return { kind: "passed" };
  if (status === "failing") return { kind: "rejected", reason };
  if (status === null) {
    const file = source === "executor_result" ? ".ai/executor-result" : ".ai/HANDOFF.md";
    return { kind: "unreadable", why: `${file} cannot be read: ${why}. ${howToReport(attempt)}` };
  }
  return { kind: "asked", question: [unresolved, summary, reason ?? ""].find((part) => part !== "") ?? "needs_human" };
}

const longestHandoff = 256 * 1024;

function factsOf(report: SessionReport | null, handoff: string | null): Facts {
  const { tests = null, failingTests = [], filesChanged = [], summary = "" } = report ?? {};
  return {
    ...(tests === null ? {} : { tests: { ...tests } }),
    ...(failingTests.length === 0 ? {} : { failing_tests: failingTests }),
    ...(filesChanged.length === 0 ? {} : { files_changed: filesChanged }),
    ...(summary === "" ? {} : { summary }),
    ...(handoff === null ? {} : { handoff: handoff.slice(0, longestHandoff) }),
  };
}

type FoundFile =
  | { readonly kind: "none" }
  | { readonly kind: "old"; readonly name: string }
  | { readonly kind: "broken"; readonly why: string }
  | { readonly kind: "read"; readonly name: string; readonly text: string; readonly at: number };

function fileIn(folder: AiFolder, file: string, beganAt: number): FoundFile {
  const name = `.ai/${file.slice(folder.dir.length + 1)}`;
  try {
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found === undefined) return { kind: "none" };
    if (found.mtimeMs < beganAt - clockTolerance) return { kind: "old", name };
    const text = readInside(folder.root, file, largestFile);
    return text === null ? { kind: "none" } : { kind: "read", name, text, at: found.mtimeMs };
  } catch (error) {
    return { kind: "broken", why: errorText(error) };
  }
}

interface FoundReport {
  readonly report: SessionReport | null;
  readonly notes: readonly string[];
  /** Why there is no report, where that is usual. */
  readonly absent?: string;
  /** It says that it is about another session. */
  readonly isForeign?: boolean;
}

function reportIn(
  file: FoundFile,
  read: (text: string) => SessionReport,
  source: "executor_result" | "front_matter",
  attempt: Attempt,
): FoundReport {
  const isHandoff = source === "front_matter";
  if (file.kind === "none")
    return { report: null, notes: [], ...(isHandoff ? { absent: "The session left no .ai/HANDOFF.md" } : {}) };
  // The hand-off of the session before lies there for this one to read.
  if (file.kind === "old") {
    const absent = `${file.name} is older than this session, which did not write it`;
    return isHandoff ? { report: null, notes: [], absent } : { report: null, notes: [absent] };
  }
  if (file.kind === "broken") return { report: unreadable(source, file.why), notes: [] };
  const report = read(file.text);
  const other = otherSession(report, attempt);
  if (other === null)
    return { report, notes: [], ...(saysNothing(report) ? { absent: `${file.name}: ${report.why}` } : {}) };
  const own = `${attempt.story} ${attempt.name} attempt ${attempt.number}`;
  const why = `${file.name} is for ${other} and does not count: this session is ${own}`;
  return { report: null, notes: [why], isForeign: true };
}

/** The session that the hand-off in the folder is about, however old it is, if that is another one; null: it is not. */
export function otherHandoff({ run, attempt }: Pick<AttemptFacts, "run" | "attempt">, folder: AiFolder): string | null {
  const text = readOrNull(folder.root, folder.handoff);
  return text === null ? null : otherSession(readHandoff(text, stepNames(run)), attempt);
}

/** What a report says about its session that does not fit the attempt; null: it fits, or does not say. */
function otherSession({ story, step, attempt: number }: SessionReport, attempt: Attempt): string | null {
  const isOther =
    (story !== null && !sameStory(story, attempt.story)) ||
    (step !== null && step !== attempt.name) ||
    (number !== null && number !== attempt.number);
  return isOther ? [story, step, number === null ? null : `attempt ${number}`].filter((each) => each).join(" ") : null;
}

/** `5`, `US-5` and `us-5` name the same story, as in the paths of its documents. */
function sameStory(written: string, story: string | null): boolean {
  const plain = (id: string) => id.trim().toLowerCase().replace(/^us-/, "");
  return story !== null && plain(written) === plain(story);
}

/** The names of the project's table. */
function stepNames({ header }: Run): readonly string[] {
  return header.definition.steps
    .flatMap((step) => (step.kind === "stories" ? step.body : [step]))
    .map(({ name }) => name);
}
