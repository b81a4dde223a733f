// Finds what a session left in its files: the report that counts, tied to story, step, attempt and time, in the order of trust.

import { lstatSync } from "node:fs";
import type { Attempt } from "../../domain/attempt.ts";
import { errorText } from "../../domain/error.ts";
import type { Facts } from "../../domain/report.ts";
import type { Run } from "../../domain/run.ts";
import { readInside } from "../../system/files/inside.ts";
import type { LeftInFiles, ToldReport } from "../protocol.ts";
import { type AiFolder, largestFile } from "./ai-folder.ts";
import { readExecutorResult } from "./executor-result.ts";
import { readHandoff } from "./handoff.ts";
import { type SessionReport, unreadable } from "./session-report.ts";

export interface AttemptSession {
  readonly run: Run;
  readonly attempt: Attempt;
}

/** What lies in the folder of an attempt. */
export interface Left {
  /** The report that counts; null: there is none. */
  readonly report: SessionReport | null;
  /** The hand-off of this session, whether or not it reports anything; null: it left none. */
  readonly handoff: string | null;
  /** Files that are there and do not count, in words. */
  readonly notes: readonly string[];
  /** When the newest of the files that count was last changed, in milliseconds since 1970; null: there are none. */
  readonly changedAt: number | null;
}

/** The time of a file has a coarser clock than the time of a dispatch. */
const clockTolerance = 20;

export function leftBy({ run, attempt }: AttemptSession, folder: AiFolder): Left {
  const steps = stepNames(run);
  const result = fileIn(folder, folder.result, attempt);
  const handoff = fileIn(folder, folder.handoff, attempt);
  const found = [
    reportIn(result, (text) => readExecutorResult(text, steps), "executor_result", attempt),
    reportIn(handoff, (text) => readHandoff(text, steps), "front_matter", attempt),
  ];
  const report = found.find(({ report }) => report !== null)?.report ?? null;
  const times = [result, handoff].flatMap((file) => (file.kind === "read" ? [file.at] : []));
  return {
    report,
    handoff: handoff.kind === "read" && found[1]?.isForeign !== true ? handoff.text : null,
    notes: found.flatMap(({ notes }) => notes),
    changedAt: times.length === 0 ? null : Math.max(...times),
  };
}

/** What the runtime makes an attempt's report of. */
export function collectedFrom(left: Left): LeftInFiles {
  const told = toldBy(left);
  const facts = factsOf(left.report, left.handoff);
  return { facts, ...(told === null ? {} : { told }) };
}

/** A text that names no reason reports nothing: what was printed decides, and the text is kept all the same. */
function toldBy({ report, notes }: Left): ToldReport | null {
  if (report === null || (report.source === "free_text" && report.status === null)) return null;
  const feedback = [report.summary, report.unresolved].filter((part) => part !== "").join("\n\n");
  return {
    verdict: verdictOf(report),
    feedback,
    notes: [...notes, ...report.notes],
    ...(report.summary === "" ? {} : { summary: report.summary }),
  };
}

function verdictOf({ status, reason, unresolved, summary, why }: SessionReport): ToldReport["verdict"] {
  if (status === "pass") return { kind: "passed" };
  if (status === "failing") return { kind: "rejected", reason };
  if (status === null) return { kind: "unreadable", why };
  return { kind: "asked", question: [unresolved, summary, reason ?? ""].find((part) => part !== "") ?? "needs_human" };
}

const longestHandoff = 256 * 1024;

function factsOf(report: SessionReport | null, handoff: string | null): Facts {
  const { tests = null, failingTests = [], filesChanged = [] } = report ?? {};
  return {
    ...(tests === null ? {} : { tests: { ...tests } }),
    ...(failingTests.length === 0 ? {} : { failing_tests: failingTests }),
    ...(filesChanged.length === 0 ? {} : { files_changed: filesChanged }),
    ...(handoff === null ? {} : { handoff: handoff.slice(0, longestHandoff) }),
  };
}

type FoundFile =
  | { readonly kind: "none" }
  | { readonly kind: "old"; readonly name: string }
  | { readonly kind: "broken"; readonly why: string }
  | { readonly kind: "read"; readonly name: string; readonly text: string; readonly at: number };

function fileIn(folder: AiFolder, file: string, { startedAt }: Attempt): FoundFile {
  const name = file.slice(folder.dir.length + 1);
  try {
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found === undefined) return { kind: "none" };
    if (found.mtimeMs < startedAt - clockTolerance) return { kind: "old", name };
    const text = readInside(folder.dir, file, largestFile);
    return text === null ? { kind: "none" } : { kind: "read", name, text, at: found.mtimeMs };
  } catch (error) {
    return { kind: "broken", why: errorText(error) };
  }
}

interface FoundReport {
  readonly report: SessionReport | null;
  readonly notes: readonly string[];
  /** It says that it is about another session. */
  readonly isForeign?: boolean;
}

function reportIn(
  file: FoundFile,
  read: (text: string) => SessionReport,
  source: "executor_result" | "front_matter",
  attempt: Attempt,
): FoundReport {
  if (file.kind === "none") return { report: null, notes: [] };
  // The hand-off of the session before lies there for this one to read.
  if (file.kind === "old")
    return { report: null, notes: source === "front_matter" ? [] : [`${file.name} is older than this attempt`] };
  if (file.kind === "broken") return { report: unreadable(source, file.why), notes: [] };
  const report = read(file.text);
  const other = otherSession(report, attempt);
  if (other === null) return { report, notes: [] };
  return { report: null, notes: [`${file.name} is of another session (${other}) and does not count`], isForeign: true };
}

/** What a report says about its session that does not fit the attempt; null: it fits, or does not say. */
function otherSession({ story, step, attempt: number }: SessionReport, attempt: Attempt): string | null {
  const differs = [
    story !== null && !sameStory(story, attempt.story) ? `story ${story}` : null,
    step !== null && step !== attempt.name ? `step ${step}` : null,
    number !== null && number !== attempt.number ? `attempt ${number}` : null,
  ].filter((each) => each !== null);
  return differs.length === 0 ? null : differs.join(", ");
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
