// What was written into STATE.json while a session ran. Of a program that Pawl did not start, the fields of a hook are a report, the last
// in the order of trust; our own executors report elsewhere, and what they write there is only said.

import type { Attempt } from "../../domain/attempt.ts";
import type { Run } from "../../domain/run.ts";
import type { Field } from "../files/front-matter.ts";
import type { AiFolder } from "./ai-folder.ts";
import { statusOfWord } from "./aliases.ts";
import { readOrNull, stateFields } from "./found-state.ts";
import { reportOfValues, type SessionReport } from "./session-report.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The report of exactly this attempt; null: there is none. */
export function stateReport(folder: AiFolder, attempt: Attempt, steps: readonly string[]): SessionReport | null {
  const fields = stateFields(readOrNull(folder.root, folder.state));
  if (fields === null || changedIn(fields, attempt).some((key) => key !== "status")) return null;
  const { status } = fields;
  if (typeof status !== "string" || statusOfWord(status) === null) return null;
  const report = reportOfValues(valuesOf(fields), "executor_result", "", steps);
  if (report.status !== "pass" || fields["lint_pass"] !== false) return report;
  return {
    ...report,
    status: "failing",
    notes: [...report.notes, "status pass with lint_pass false is read as failing"],
  };
}

/** The attempt that somebody else performs and that `now` reports, as its hook writes it; null: it is no such report. */
export function reportedAttempt(before: Fields, now: Fields, { stories }: Run): Attempt | null {
  const isSame = (key: string) => before[key] === now[key];
  const { status } = now;
  if (before["status"] !== "running" || typeof status !== "string" || statusOfWord(status) === null) return null;
  if (!["story", "step", "attempt"].every(isSame)) return null;
  const scope = Object.values(stories).find(({ id }) => id === now["story"]);
  const attempt = scope?.attempts.find(({ name, number }) => name === now["step"] && number === now["attempt"]);
  return attempt !== undefined && isOthers(attempt) ? attempt : null;
}

function isOthers({ driver, executor }: Attempt): boolean {
  return driver === "pull" || executor === "await";
}

/** What somebody changed there that only Pawl writes, in words; null: nothing. */
export function forgedState(folder: AiFolder, attempt: Attempt): string | null {
  const fields = stateFields(readOrNull(folder.root, folder.state));
  const changed = fields === null ? [] : changedIn(fields, attempt);
  if (fields === null || changed.length === 0) return null;
  const what = changed.map((key) => `${key} ${JSON.stringify(fields[key])?.slice(0, 80)}`).join(", ");
  return `.ai/STATE.json was changed while the session ran (${what}): that is not believed; a session reports in .ai/HANDOFF.md or .ai/executor-result`;
}

/** Which of these differ from what Pawl wrote when the session began. */
function changedIn(fields: Fields, { story, name, number }: Attempt): readonly string[] {
  const { status } = fields;
  return [
    ...(fields["story"] === story ? [] : ["story"]),
    ...(fields["step"] === name ? [] : ["step"]),
    ...(fields["attempt"] === number ? [] : ["attempt"]),
    ...(status === "running" || status === "pending" ? [] : ["status"]),
  ];
}

function valuesOf(fields: Fields): Readonly<Record<string, Field>> {
  const tests = Object(fields["tests"]) as Fields;
  const named = {
    story: fields["story"],
    step: fields["step"],
    attempt: fields["attempt"],
    status: fields["status"],
    reason: fields["reason"],
    failing_tests: fields["failing_tests"],
    files_changed: fields["files_changed"],
    tests_pass: tests["pass"],
    tests_fail: tests["fail"],
    tests_skip: tests["skip"],
  };
  const values = Object.entries(named).flatMap(([key, value]): [string, Field][] =>
    value === undefined ? [] : [[key, fieldOf(value)]],
  );
  return Object.fromEntries(values);
}

function fieldOf(value: unknown): Field {
  if (Array.isArray(value)) return { kind: "list", items: value.map(String) };
  if (value === null) return { kind: "word", text: "" };
  if (typeof value === "string") return { kind: "word", text: value };
  if (typeof value === "number" || typeof value === "boolean") return { kind: "word", text: `${value}` };
  return { kind: "other", what: "an object" };
}
