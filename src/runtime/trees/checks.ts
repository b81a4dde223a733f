// Runs the checks of a step in a tree and reads their test results. Checks end with the first red one, except those whose results
// are kept as facts: they all run.

import { lstatSync } from "node:fs";
import type { Check } from "../../domain/check.ts";
import { errorText } from "../../domain/error.ts";
import type { Facts } from "../../domain/report.ts";
import { judge, type StepWork } from "../../results/judgement.ts";
import { resultReader } from "../../results/readers.ts";
import { cannotRead, type ResultsRead, type TestResults } from "../../results/result.ts";
import { readInside, within } from "../../system/files/inside.ts";
import type { OutputSink } from "../../system/process/call.ts";
import type { RegisterStop } from "../stop-switch.ts";
import { type CommandSite, failureText, howItEnded, runInTree } from "./tree-commands.ts";

/** What a reader of a file takes at once. */
const largestFile = 64 * 1024 * 1024;
const shownTests = 50;
const keptTests = 200;

export interface CheckSite extends CommandSite {
  /** Asked only for tests that must fail; absent: there are none. */
  readonly work?: () => Promise<StepWork>;
}

export interface ChecksEnd {
  /** What is red, as feedback; null: all are green. */
  readonly red: string | null;
  readonly facts: Facts;
}

export async function runChecks(checks: readonly Check[], site: CheckSite, stop: RegisterStop): Promise<ChecksEnd> {
  const done: CheckRun[] = [];
  for (const check of checks) {
    if (done.some(({ red }) => red !== null) && !isKept(check)) continue;
    done.push(await runCheck(check, site, stop));
  }
  const reds = done.flatMap(({ red }) => red ?? []);
  return { red: reds.length === 0 ? null : reds.join("\n\n"), facts: factsOf(done) };
}

/** Its result is a fact of the attempt, whatever else is red. */
export function isKept({ reads, as }: Check): boolean {
  return reads !== undefined || as === "lint";
}

interface CheckRun {
  readonly check: Check;
  readonly red: string | null;
  readonly code: number | null;
  readonly results: TestResults | null;
}

async function runCheck(check: Check, site: CheckSite, stop: RegisterStop): Promise<CheckRun> {
  const { reads, file } = check;
  const reader = reads === undefined || file !== undefined ? null : resultReader(reads);
  const decoder = new TextDecoder();
  const sink: OutputSink = (stream, chunk) => {
    if (stream === "stdout") reader?.add(decoder.decode(chunk, { stream: true }));
    return site.sink(stream, chunk);
  };
  const before = file === undefined ? null : stateOf(site.cwd, file);
  const end = await runInTree(check.run, { ...site, sink }, stop);
  const code = end.kind === "exited" ? end.code : null;
  const reading =
    reads !== undefined && file !== undefined ? readFile({ reads, file }, site.cwd, before) : (reader?.end() ?? null);
  const work = check.must === "fail" ? ((await site.work?.()) ?? nothingKnown) : nothingKnown;
  const { isGreen, why } = judge(check, { code, how: howItEnded(end) }, reading, work);
  const results = reading?.kind === "results" ? reading : null;
  const red = isGreen ? null : `${failingText(check, results)}${failureText(check.run, why, end)}`;
  return { check, red, code, results };
}

const nothingKnown: StepWork = { isLaterVisit: false, isNew: null, hasChanges: true };

/** The names come first: what a test runner prints is long. */
function failingText({ must }: Check, results: TestResults | null): string {
  if (must === "fail" || results === null || results.failing.length === 0) return "";
  const names = results.failing.slice(0, shownTests).map((name) => `- ${name}`);
  const more = results.fail > names.length ? [`- … and ${results.fail - names.length} more`] : [];
  return `Failing tests:\n${[...names, ...more].join("\n")}\n\n`;
}

/** A file that was there before says nothing about this command, unless the command wrote it again. */
function readFile(
  { reads, file }: Required<Pick<Check, "reads" | "file">>,
  root: string,
  before: string | null,
): ResultsRead {
  try {
    if (before !== null && stateOf(root, file) === before) return cannotRead("the command did not write the file");
    const text = readInside(root, file, largestFile);
    if (text === null) return cannotRead("there is no such file");
    const reader = resultReader(reads);
    reader.add(text);
    return reader.end();
  } catch (error) {
    return cannotRead(errorText(error));
  }
}

function stateOf(root: string, file: string): string | null {
  try {
    const { ino, size, mtimeNs } = within(root, file, (path) => lstatSync(path, { bigint: true }));
    return `${ino} ${size} ${mtimeNs}`;
  } catch {
    return null;
  }
}

function factsOf(done: readonly CheckRun[]): Facts {
  const checks = done.map(({ check, red }) => ({ run: check.run, passed: red === null }));
  const results = done.flatMap((each) => each.results ?? []);
  const lints = done.filter(({ check }) => check.as === "lint");
  const sum = (key: "pass" | "fail" | "skip") => results.reduce((total, each) => total + each[key], 0);
  return {
    ...(checks.length === 0 ? {} : { checks }),
    ...(results.length === 0
      ? {}
      : {
          tests: { pass: sum("pass"), fail: sum("fail"), skip: sum("skip") },
          failing_tests: results.flatMap(({ failing }) => failing).slice(0, keptTests),
        }),
    ...(lints.length === 0 ? {} : { lint_pass: lints.every(({ code }) => code === 0) }),
  };
}
