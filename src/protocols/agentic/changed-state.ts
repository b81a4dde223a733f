// What somebody else changed in STATE.json since Pawl wrote it: a note for the next session and the choice of the next story are
// taken, fields that Pawl does not know stay, everything else is refused with the command that does it. Nothing of it is believed.

import { hasEnded } from "../../domain/attempt.ts";
import type { FileChange } from "../../domain/file-change.ts";
import type { StoryId } from "../../domain/ids.ts";
import type { Json } from "../../domain/report.ts";
import type { Run } from "../../domain/run.ts";
import { isUnbegun, type StorySpec } from "../../domain/story.ts";
import { stateKeys, testKeys } from "./first-state.ts";
import { reportedAttempt } from "./state-report.ts";

export type StateFields = Readonly<Record<string, unknown>>;

export interface ChangedRun {
  readonly run: Run;
  readonly specs: readonly StorySpec[];
  /** The story that the file shows. */
  readonly shown: StoryId;
}

/** `before`: what Pawl wrote last. */
export function differences(before: StateFields, now: StateFields, of: ChangedRun): readonly FileChange[] {
  const differs = (key: string) => !isSame(before[key], now[key]);
  const change = (field: string, why: string, adopts: FileChange["adopts"] = null): FileChange => ({
    file: "STATE.json",
    field,
    ...(now[field] === undefined ? {} : { value: now[field] as Json }),
    why: `STATE.json: ${why}`,
    story: of.shown,
    adopts,
  });
  const refused = Object.keys(ways).filter(differs);
  return [
    ...(differs("human_note") ? [noteIn(before["human_note"], now["human_note"], change)] : []),
    ...(differs("story") ? [storyIn(now["story"], of, change)] : []),
    // They are a report, which is judged when the session ends.
    ...(reportedAttempt(before, now, of.run) === null ? resultsIn(before, now, of, change) : []),
    ...refused.map((key) => change(key, `${shownAs(key, now)} is not taken: ${ways[key]}`)),
    ...unknownIn(before, now, of.shown),
  ];
}

type Change = (field: string, why: string, adopts?: FileChange["adopts"]) => FileChange;

const results = ["status", "reason", "completed_at", "tests", "failing_tests", "lint_pass", "files_changed"];

const ways: Readonly<Record<string, string>> = {
  step: "steps follow the table; `pawl project retry` or `skip` moves a story",
  attempt: "attempts are counted; `pawl project retry` renews the limit",
  max_attempts: "it is in .ai/step-rules.yaml",
  timeout_min: "it is in .ai/step-rules.yaml",
  blocked_by: "`pawl project add STORY TITLE --after OTHER` sets it",
  project: "`pawl project init --name NAME` sets it",
  dispatched_at: "only Pawl sets it",
};

function noteIn(before: unknown, now: unknown, change: Change): FileChange {
  const said = typeof now === "string" ? now.trim() : "";
  // What waits already is not said a second time.
  const waiting = typeof before === "string" ? before : "";
  const text = waiting !== "" && said.startsWith(waiting) ? said.slice(waiting.length).trim() : said;
  if (text !== "")
    return change("human_note", `human_note is a note for the next session: ${text}`, { kind: "note", text });
  if (now === null || typeof now === "string" || now === undefined)
    return change("human_note", "human_note was emptied: a note that was taken stays until a session has read it");
  return change("human_note", `human_note ${JSON.stringify(now)} is not taken: it is not text`);
}

function storyIn(story: unknown, { run, specs }: ChangedRun, change: Change): FileChange {
  const { stories } = run.header;
  const named = typeof story === "string" ? story : JSON.stringify(story ?? null);
  const entry = stories.find(({ id }) => id === story);
  const spec = specs.find(({ id }) => id === story);
  if (entry === undefined || spec === undefined)
    return change("story", `${named} is not a story of this project: pawl project add ${named} TITLE`);
  if (!isUnbegun(entry)) {
    const what = entry.status === "waiting" ? "waits for its turn" : `is ${entry.status}`;
    return change("story", `story ${named} is not taken: it ${what} already`);
  }
  if (isAtWork(run)) {
    const hint = `\`pawl project continue ${named}\` chooses it afterwards`;
    return change("story", `story ${named} is not taken while a session runs: ${hint}`);
  }
  const open = entry.dependsOn.filter((id) => stories.find((other) => other.id === id)?.status !== "done");
  const first = stories.find(({ status }) => status === "held");
  const after = open.length > 0 ? ` after ${open.join(", ")}` : first === undefined ? "" : `, when ${first.id} is done`;
  return change("story", `story ${named} comes next${after}`, { kind: "story", spec });
}

/** All of them at once: they are one report. */
function resultsIn(before: StateFields, now: StateFields, { run }: ChangedRun, change: Change): readonly FileChange[] {
  const differing = results.filter((key) => !isSame(resultOf(key, before), resultOf(key, now)));
  const [first] = differing;
  if (first === undefined) return [];
  const what = `${differing.map((key) => shownAs(key, now)).join(", ")} ${differing.length === 1 ? "is" : "are"} not taken`;
  return [change(first, `${what}: ${wayOfResults(before, run)}`)];
}

function wayOfResults({ status }: StateFields, run: Run): string {
  if (status === "needs_human")
    return "answers are given with `pawl project approve` or `pawl project reject --reason CODE`";
  if (status === "failing" || status === "timeout")
    return "`pawl project retry` lets the step run again, `pawl project skip` takes it as passed";
  return isAtWork(run)
    ? "the executor wrote it itself; a session reports in HANDOFF.md or executor-result"
    : "results come from HANDOFF.md and executor-result";
}

function isAtWork({ stories }: Run): boolean {
  return Object.values(stories).some(({ attempts }) => attempts.some((attempt) => !hasEnded(attempt)));
}

/** Counts of tests that Pawl does not know are no result of ours. */
function resultOf(key: string, fields: StateFields): unknown {
  const value = fields[key] ?? null;
  return key === "tests" && isObject(value) ? testKeys.map((each) => value[each] ?? null) : value;
}

/** StateFields that Pawl does not know, by their paths. */
function unknownIn(before: StateFields, now: StateFields, story: StoryId): readonly FileChange[] {
  const [were, are] = [unknownFields(before), unknownFields(now)];
  const paths = [...new Set([...Object.keys(were), ...Object.keys(are)])];
  return paths.flatMap((path) => {
    if (isSame(were[path], are[path])) return [];
    const isGone = are[path] === undefined;
    const value = isGone ? {} : { value: are[path] as Json };
    const why = `STATE.json: ${path} ${isGone ? "is left out from now on" : "stays in the file; it means nothing to Pawl"}`;
    return [{ file: "STATE.json", field: path, ...value, why, story, adopts: { kind: "kept" } }];
  });
}

/** By name, and `tests.NAME`. */
export function unknownFields(fields: StateFields): StateFields {
  const own = Object.entries(fields).filter(([key]) => !stateKeys.includes(key));
  const tests = fields["tests"];
  const counts = isObject(tests) ? Object.entries(tests).filter(([key]) => !testKeys.includes(key)) : [];
  return Object.fromEntries([...own, ...counts.map(([key, value]): [string, unknown] => [`tests.${key}`, value])]);
}

/** `document` with fields that Pawl does not know. Counts of tests are left out where there are none. */
export function withUnknown<D extends StateFields>(document: D, unknown: StateFields): D {
  const tests = document["tests"];
  const counts = Object.entries(unknown).filter(([path]) => isCount(path));
  const own = Object.entries(unknown).filter(([path]) => !isCount(path) && !stateKeys.includes(path));
  const more = Object.fromEntries(counts.map(([path, value]) => [path.slice("tests.".length), value]));
  return {
    ...document,
    ...Object.fromEntries(own),
    ...(isObject(tests) && counts.length > 0 ? { tests: { ...more, ...tests } } : {}),
  };
}

const isCount = (path: string) => path.startsWith("tests.");

function shownAs(key: string, now: StateFields): string {
  return now[key] === undefined ? `${key} (removed)` : `${key} ${JSON.stringify(now[key])}`;
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one ?? null) === JSON.stringify(other ?? null);
}

function isObject(value: unknown): value is StateFields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
