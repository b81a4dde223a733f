// What sessions leave in their folder, and what counts of it.

import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/repository.ts";
import type { Attempt } from "../../domain/attempt.ts";
import type { PerformedDefinition } from "../../domain/definition.ts";
import type { Run } from "../../domain/run.ts";
import { aiFolder } from "./ai-folder.ts";
import { hasArrived } from "./arrived.ts";
import { type AttemptSession, collectedFrom, leftBy } from "./collected.ts";

const startedAt = Date.now() - 60_000;
const attempt = { story: "US-005", name: "impl", number: 2, startedAt } as Attempt;
const run = {
  header: { definition: { steps: [{ name: "impl" }] }, place: { kind: "worktree" } },
  stories: {},
} as unknown as Run;

const prompt =
  "Write the scenarios of this story, in the language of RFC 2119. Mark unclear items `[NEEDS CLARIFICATION]`.";
const session = { isOthers: false, told: () => ({ text: prompt, written: prompt }) };
const definition = { checks: [] } as unknown as PerformedDefinition;
const own: AttemptSession = { run, attempt, definition, session };
/** Performed by a program that Pawl did not start. */
const others: AttemptSession = { ...own, session: { ...session, isOthers: true } };

type Files = Readonly<Record<string, string>>;

/** `age`: seconds before or, if negative, after the dispatch. */
function folderWith(files: Files, age: Readonly<Record<string, number>> = {}): string {
  const root = tempDir("pawl-ai-");
  mkdirSync(join(root, ".ai"));
  for (const [name, text] of Object.entries(files)) {
    const file = join(root, ".ai", name);
    writeFileSync(file, text);
    const at = startedAt / 1_000 - (age[name] ?? -5);
    utimesSync(file, at, at);
  }
  return root;
}

const collected = (root: string, of = own) => collectedFrom(leftBy(of, aiFolder(join(root, ".ai"))), attempt);
const told = (files: Files, age = {}, of = own) => collected(folderWith(files, age), of).told;
const write =
  "Write .ai/HANDOFF.md with YAML front matter between two lines of three dashes: story US-005, step impl, attempt 2, status (pass, failing or needs_human) and reason (null or one of constitution_violation, needs_clarification, nfr_missing, scope_warning, test_timeout).";

const front = (status: string, more = "", of = "story: US-005\nstep: impl\nattempt: 2\n") =>
  `---\n${of}status: ${status}\n${more}---\n# HANDOFF\n\n## Not yet resolved\n- which gateway?\n`;

test("[AG8 D65] the executor-result counts before the hand-off, and the hand-off before its text", () => {
  const both = { "executor-result": "status: failing\nreason: scope_warning\n", "HANDOFF.md": front("pass") };
  expect(told(both)?.verdict).toEqual({ kind: "rejected", reason: "scope_warning" });
  expect(told({ "HANDOFF.md": front("pass") })?.verdict).toEqual({ kind: "passed" });
  expect(told({ "HANDOFF.md": "# Notes\nNEEDS CLARIFICATION" })?.verdict).toEqual({
    kind: "rejected",
    reason: "needs_clarification",
  });
  expect(told({ "HANDOFF.md": "# Notes\nall is well" })).toBeUndefined();
  expect(told({})).toBeUndefined();
});

test("[AG9 AG11 D23 D66 D104] what an executor-result does not say is in the hand-off beside it, its status never", () => {
  const files = {
    "executor-result": "status: needs_human\nsummary: stuck\n",
    "HANDOFF.md": front("pass", "tests_pass: 4\ntests_fail: 1\nfailing_tests: [T1]\nfiles_changed: [a.ts]\n"),
  };
  const { told: report, facts } = collected(folderWith(files));
  expect(report?.verdict).toEqual({ kind: "asked", question: "- which gateway?" });
  expect(facts).toMatchObject({ tests: { pass: 4, fail: 1, skip: 0 }, failing_tests: ["T1"], files_changed: ["a.ts"] });
  // Of another session, it says nothing about this one.
  const other = { ...files, "HANDOFF.md": files["HANDOFF.md"].replace("attempt: 2", "attempt: 1") };
  expect(collected(folderWith(other)).facts).not.toHaveProperty("files_changed");
});

test("[AG8 D69] an executor-result that is older than its dispatch does not count, nor does a hand-off", () => {
  const files = { "executor-result": "status: pass\n", "HANDOFF.md": front("pass") };
  expect(told(files, { "executor-result": 30, "HANDOFF.md": 30 })).toBeUndefined();
  expect(told({ ...files, "HANDOFF.md": front("failing") }, { "executor-result": 30 })).toMatchObject({
    verdict: { kind: "rejected", reason: null },
  });
  expect(collected(folderWith(files, { "executor-result": 30 })).notes).toEqual([
    ".ai/executor-result is older than this session, which did not write it",
  ]);
});

test("[WK60 D69] where the time of attempts is ahead of that of files here, a file is as old as it was written", () => {
  const files = { "executor-result": "status: pass\n" };
  const ahead = { ...own, aheadMs: 600_000 };
  expect(told(files, { "executor-result": 595 }, ahead)?.verdict).toEqual({ kind: "passed" });
  expect(told(files, { "executor-result": 605 }, ahead)).toBeUndefined();
  expect(told(files, { "executor-result": -595 }, { ...own, aheadMs: -600_000 })).toBeUndefined();
});

test.each([
  ["US-006 impl attempt 2", "story: US-006\nstep: impl\nattempt: 2\n"],
  ["US-005 verify attempt 2", "story: US-005\nstep: verify\nattempt: 2\n"],
  ["US-005 impl attempt 1", "story: US-005\nstep: impl\nattempt: 1\n"],
])("[AG8 AG30 D69] a hand-off for %s does not count, and its words say why and what to write", (other, of) => {
  const left = collected(folderWith({ "HANDOFF.md": front("pass", "", of) }));
  const why = `.ai/HANDOFF.md is for ${other} and does not count: this session is US-005 impl attempt 2`;
  expect(left).toEqual({ facts: {}, notes: [why], unreported: `${why}. ${write}` });
  expect(told({ "executor-result": `${of}status: pass\n` })).toBeUndefined();
});

test("[AG8 D17] names of the step and of the story fit after aliases", () => {
  expect(
    told({ "HANDOFF.md": front("complete", "", "story: us-005\nstep: Implementation\nattempt: '2'\n") })?.verdict,
  ).toEqual({
    kind: "passed",
  });
});

test("[AG9 D104] needs_human asks what is not yet resolved, else the summary, else the reason", () => {
  expect(told({ "HANDOFF.md": front("needs_human") })?.verdict).toEqual({
    kind: "asked",
    question: "- which gateway?",
  });
  const result = (text: string) => told({ "executor-result": text })?.verdict;
  expect(result("status: needs_human\nsummary: which key?\n")).toEqual({ kind: "asked", question: "which key?" });
  expect(result("status: blocked\nreason: needs_clarification\n")).toEqual({
    kind: "asked",
    question: "needs_clarification",
  });
});

test("[AG2 AG10 D25] what cannot be read is unreadable, also a link, a directory and 5 MB, and outranks what passes below it", () => {
  expect(told({ "executor-result": "status: banana\n", "HANDOFF.md": front("pass") })?.verdict).toMatchObject({
    kind: "unreadable",
  });
  expect(told({ "HANDOFF.md": front("pass", `summary: ${"x".repeat(5_000_000)}\n`) })?.verdict).toMatchObject({
    kind: "unreadable",
    why: expect.stringContaining("larger than 1 MiB"),
  });
  const linked = folderWith({});
  symlinkSync("/dev/zero", join(linked, ".ai/HANDOFF.md"));
  // A link is as old as itself.
  expect(collected(linked).told?.verdict).toMatchObject({
    kind: "unreadable",
    why: expect.stringContaining("is a link"),
  });
  const folder = folderWith({});
  mkdirSync(join(folder, ".ai/executor-result"));
  expect(collected(folder).told?.verdict).toMatchObject({
    kind: "unreadable",
    why: expect.stringContaining("is a directory"),
  });
});

test("[AG11 D20 D66] counts, names and files become facts, and so does the text of the hand-off", () => {
  const text = front("failing", "tests_pass: 42\ntests_fail: 2\nfiles_changed: [a.ts, b.ts]\nfailing_tests: [T1]\n");
  expect(collected(folderWith({ "HANDOFF.md": text })).facts).toEqual({
    tests: { pass: 42, fail: 2, skip: 0 },
    failing_tests: ["T1"],
    files_changed: ["a.ts", "b.ts"],
    handoff: text,
  });
  expect(collected(folderWith({ "HANDOFF.md": "just words" })).facts).toEqual({ handoff: "just words" });
});

test("[AG12] a report has arrived when it is whole, is about this attempt and is no longer written", () => {
  const now = Date.now();
  const has = (files: Files, at = now) => hasArrived(own, folderWith(files), at);
  expect(has({})).toBe(false);
  expect(has({ "HANDOFF.md": front("pass") })).toBe(true);
  expect(has({ "HANDOFF.md": front("pass") }, startedAt + 5_050)).toBe(false);
  expect(has({ "HANDOFF.md": "---\nstory: US-005\nstep: impl\nattempt: 2\nstatus: pass\n" })).toBe(false);
  expect(has({ "HANDOFF.md": front("pass", "", "story: US-005\nstep: impl\nattempt: 1\n") })).toBe(false);
  expect(has({ "HANDOFF.md": front("pass", "", "story: US-005\n") })).toBe(false);
  expect(has({ "HANDOFF.md": "SCOPE WARNING" })).toBe(false);
  expect(has({ "executor-result": "sta" })).toBe(false);
  expect(has({ "executor-result": "status: pass\n" })).toBe(true);
  expect(has({ "executor-result": "status: pass\n" }, startedAt + 5_500)).toBe(false);
  // The clock was put back.
  expect(has({ "HANDOFF.md": front("pass") }, startedAt - 3_600_000)).toBe(true);
});

test("[AG30 D65 D67] a session without a report is told why, and what to write", () => {
  const words = (files: Files, age = {}) => collected(folderWith(files, age)).unreported;
  expect(words({})).toBe(`The session left no .ai/HANDOFF.md. ${write}`);
  expect(words({ "HANDOFF.md": front("pass") }, { "HANDOFF.md": 30 })).toBe(
    `.ai/HANDOFF.md is older than this session, which did not write it. ${write}`,
  );
  expect(words({ "HANDOFF.md": "# Notes\nall is well" })).toBe(
    `.ai/HANDOFF.md: it has no front matter, and its text names no reason. ${write}`,
  );
  expect(words({ "HANDOFF.md": front("pass") })).toBeUndefined();
  expect(told({ "HANDOFF.md": "---\nstory: US-005\nstatus: pass\n" })?.verdict).toEqual({
    kind: "unreadable",
    why: `.ai/HANDOFF.md cannot be read: its front matter has no end: a line that is exactly --- is missing. ${write}`,
  });
});

test("[AG31 D65] what a text only repeats of its prompt is no reason", () => {
  expect(told({ "HANDOFF.md": prompt })).toBeUndefined();
  expect(told({ "HANDOFF.md": `# HANDOFF\n\n> ${prompt}\n` })).toBeUndefined();
  expect(told({ "executor-result": `${prompt}\n` })?.verdict).toMatchObject({ kind: "unreadable" });
  expect(told({ "HANDOFF.md": `${prompt}\n- [NEEDS CLARIFICATION] which gateway?` })?.verdict).toEqual({
    kind: "rejected",
    reason: "needs_clarification",
  });
});

test("[AG32 D67] a pass that counts failing tests is a failure, except where the tests must fail", () => {
  const files = { "HANDOFF.md": front("pass", "tests_pass: 41\ntests_fail: 3\nfailing_tests: [T1, T2, T3]\n") };
  expect(told(files)).toMatchObject({
    verdict: { kind: "rejected", reason: null },
    feedback: expect.stringContaining("Failing tests: 3 of 44\n- T1\n- T2\n- T3"),
    notes: ["status pass with 3 failing tests is read as failing"],
  });
  expect(told({ "HANDOFF.md": front("pass", "failing_tests: [T1]\n") })?.verdict.kind).toBe("rejected");
  const red = { ...own, definition: { checks: [{ run: "test", must: "fail" }] } as unknown as PerformedDefinition };
  expect(told(files, {}, red)?.verdict).toEqual({ kind: "passed" });
});

const state = (status: string, more: object = {}) =>
  JSON.stringify({ project: "A", story: "US-005", step: "impl", attempt: 2, status, ...more });

test("[AG33 D16] the fields of a hook in STATE.json report a session that Pawl did not start, last of all", () => {
  const failing = state("failing", {
    reason: "scope_warning",
    tests: { pass: 4, fail: 1, skip: 0 },
    failing_tests: ["T1"],
  });
  expect(told({ "STATE.json": failing }, {}, others)).toMatchObject({
    verdict: { kind: "rejected", reason: "scope_warning" },
    isLast: true,
  });
  expect(collected(folderWith({ "STATE.json": failing }), others).facts).toMatchObject({ failing_tests: ["T1"] });
  const verdict = (files: Files) => told(files, {}, others)?.verdict.kind;
  expect(verdict({ "STATE.json": state("pass") })).toBe("passed");
  expect(verdict({ "STATE.json": state("pass", { lint_pass: false }) })).toBe("rejected");
  expect(verdict({ "STATE.json": state("pass", { tests: { pass: 1, fail: 2, skip: 0 } }) })).toBe("rejected");
  expect(verdict({ "STATE.json": state("pass"), "HANDOFF.md": front("failing") })).toBe("rejected");
  expect(verdict({ "STATE.json": state("pass"), "HANDOFF.md": "SCOPE WARNING" })).toBe("rejected");
  expect(verdict({ "STATE.json": state("pass"), "HANDOFF.md": "just words" })).toBe("passed");
  expect(verdict({ "STATE.json": state("pass", { attempt: 1 }) })).toBeUndefined();
  expect(verdict({ "STATE.json": state("running") })).toBeUndefined();
  expect(verdict({ "STATE.json": state("banana") })).toBeUndefined();
  expect(verdict({ "STATE.json": '{"status": "pass"' })).toBeUndefined();
  expect(hasArrived(others, folderWith({ "STATE.json": state("pass") }), Date.now())).toBe(true);
  expect(hasArrived(others, folderWith({ "STATE.json": state("running") }), Date.now())).toBe(false);
});

test("[AG34 D16] what our own executor writes into STATE.json is not believed, and that is said", () => {
  const left = collected(folderWith({ "STATE.json": state("pass", { step: "done" }) }));
  expect(left.told).toBeUndefined();
  expect(left.notes).toEqual([
    expect.stringContaining(
      '.ai/STATE.json was changed while the session ran (step "done", status "pass"): that is not believed',
    ),
  ]);
  expect(collected(folderWith({ "STATE.json": state("running") })).notes).toBeUndefined();
});
