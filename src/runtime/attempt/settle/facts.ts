// Facts of an attempt: what one that did not pass reported and changed, and how its checks ended. They are kept with its end and
// decide nothing.

import type { Facts, Json, Report } from "../../../domain/report.ts";
import type { LeftInFiles } from "../../../protocols/protocol.ts";
import { changedSince } from "../../../workspaces/trees/changes.ts";
import type { BegunAttempt } from "../begin/begin.ts";
import type { Answer } from "../execute/answer.ts";

const longestText = 4_000;
const mostFiles = 500;

/** The outputs of an attempt that passed are in the context; those of any other would be gone. */
export function withReported(report: Report, answer: Answer): Report {
  if (hasPassed(report)) return report;
  if (report.outcome === "completed") {
    const outputs = Object.fromEntries(Object.entries(report.outputs).map(([key, value]) => [key, shortened(value)]));
    return withFacts(report, { ...(isEmptyRecord(outputs) ? {} : { outputs }), ...said(report.feedback) });
  }
  return withFacts(report, said(answer.kind === "executed" ? answer.end.text : ""));
}

/** What its files report, and which of them do not count, is kept however it ended; what the runtime itself finds out replaces it. */
export function withTold(report: Report, { facts, told, notes = [] }: LeftInFiles): Report {
  const noted = notes.length === 0 ? report : { ...report, notes: [...report.notes, ...notes] };
  const known = { ...facts, ...told?.facts };
  return isEmptyRecord(known) ? noted : { ...noted, facts: { ...known, ...report.facts } };
}

/** The files that an attempt changed that did not pass, before its work is discarded. Git is asked for none that passed. */
export async function withFiles(report: Report, { workspace, claim }: BegunAttempt): Promise<Report> {
  const { path, base } = workspace;
  const { kind } = claim.definition;
  if (base === null || hasPassed(report) || kind === "integrate" || kind === "decision") return report;
  const files = await changedSince(path, base);
  return files.length === 0 ? report : withFacts(report, { files: files.slice(0, mostFiles) });
}

function hasPassed(report: Report): boolean {
  return report.outcome === "completed" && report.verdict.kind === "passed";
}

export function withFacts<R extends Report>(report: R, facts: Facts): R {
  return isEmptyRecord(facts) ? report : { ...report, facts: { ...report.facts, ...facts } };
}

function said(text: string): Readonly<Record<string, Json>> {
  return text.trim() === "" ? {} : { said: shortened(text.trim()) };
}

/** The end of a text has what it comes to. */
function shortened(text: string): string {
  return text.length <= longestText ? text : `…${text.slice(1 - longestText).toWellFormed()}`;
}

export function isEmptyRecord(record: object): boolean {
  return Object.keys(record).length === 0;
}
