// What sessions leave in their folder, and what counts of it.

import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/repository.ts";
import type { Attempt } from "../../domain/attempt.ts";
import type { Run } from "../../domain/run.ts";
import { aiFolder } from "./ai-folder.ts";
import { hasArrived } from "./arrived.ts";
import { collectedFrom, leftBy } from "./collected.ts";

const startedAt = Date.now() - 60_000;
const attempt = { story: "US-005", name: "impl", number: 2, startedAt } as Attempt;
const run = {
  header: { definition: { steps: [{ name: "impl" }] }, place: { kind: "worktree" } },
  stories: {},
} as unknown as Run;

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

const collected = (root: string) => collectedFrom(leftBy({ run, attempt }, aiFolder(join(root, ".ai"))));
const told = (files: Files, age = {}) => collected(folderWith(files, age)).told;

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

test("[AG8 D69] an executor-result that is older than its dispatch does not count, nor does a hand-off", () => {
  const files = { "executor-result": "status: pass\n", "HANDOFF.md": front("pass") };
  expect(told(files, { "executor-result": 30, "HANDOFF.md": 30 })).toBeUndefined();
  expect(told({ ...files, "HANDOFF.md": front("failing") }, { "executor-result": 30 })).toMatchObject({
    verdict: { kind: "rejected", reason: null },
    notes: ["executor-result is older than this attempt"],
  });
});

test.each([
  ["story", "story: US-006\nstep: impl\nattempt: 2\n"],
  ["step", "story: US-005\nstep: verify\nattempt: 2\n"],
  ["attempt", "story: US-005\nstep: impl\nattempt: 1\n"],
])("[AG8 D69] a hand-off of another %s does not count", (_, of) => {
  const left = collected(folderWith({ "HANDOFF.md": front("pass", "", of) }));
  expect(left).toEqual({ facts: {} });
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
  expect(collected(folderWith({ "HANDOFF.md": "just words" }))).toEqual({ facts: { handoff: "just words" } });
});

test("[AG12] a report has arrived when it is whole, is about this attempt and is no longer written", () => {
  const now = Date.now();
  const has = (files: Files, at = now) => hasArrived({ run, attempt }, folderWith(files), at);
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
