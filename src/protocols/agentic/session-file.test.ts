// Reports of sessions: what executors write, and what Pawl makes of it.

import { expect, test } from "vitest";
import { reasons } from "./aliases.ts";
import { readSessionFile } from "./session-file.ts";

const handoff = (front: string, body = "") => readSessionFile(`---\n${front}\n---\n${body}`, "HANDOFF.md");
const result = (text: string) => readSessionFile(text, ".ai/executor-result");

const documented = `---
story: US-005
step: impl
attempt: 2
status: failing
reason: null
files_changed:
  - internal/cart/service.go
  - internal/discount/engine.go
tests_pass: 42
tests_fail: 2
tests_skip: 1
---

# HANDOFF — US-005 impl attempt:2

## Not yet resolved
- TestApplyCoupon: boundary conditions
- status: pass

## Next session should note
- nothing
`;

test("[AG1 AG7 D21 D22] the documented hand-off is read from its front matter alone", () => {
  expect(readSessionFile(documented, "HANDOFF.md")).toEqual({
    story: "US-005",
    step: "impl",
    attempt: 2,
    status: "failing",
    reason: null,
    tests: { pass: 42, fail: 2, skip: 1 },
    failingTests: [],
    filesChanged: ["internal/cart/service.go", "internal/discount/engine.go"],
    summary: "",
    unresolved: "- TestApplyCoupon: boundary conditions\n- status: pass",
    complexity: null,
    parallel: null,
    source: "front_matter",
    notes: [],
    why: "",
  });
});

test.each([
  ["a byte order mark", `\uFEFF${documented}`],
  ["Windows line ends", documented.replaceAll("\n", "\r\n")],
  ["blank lines before it", `\n \n${documented}`],
  ["spaces after the marks", documented.replace("---\n", "---  \n")],
  ["quotes", documented.replace("status: failing", 'status: "failing"').replace("US-005", "'US-005'")],
])("[AG1 D21] %s changes nothing", (_, text) => {
  const { unresolved, ...report } = readSessionFile(text, "HANDOFF.md");
  const { unresolved: before, ...plain } = readSessionFile(documented, "HANDOFF.md");
  expect(report).toEqual(plain);
  expect(unresolved).toBe(before);
});

test("[AG1 D25] --- in a value, in a block of text or in the body ends no front matter", () => {
  const inValue = handoff(
    "summary: tried --- and failed\nreason: scope_warning\nstatus: failing",
    "---\nstatus: pass\n---",
  );
  expect(inValue).toMatchObject({ status: "failing", reason: "scope_warning", summary: "tried --- and failed" });
  const inBlock = handoff("summary: |\n  one\n  ---\n  status: pass\nstatus: failing");
  expect(inBlock).toMatchObject({ status: "failing" });
  expect(handoff("story: 007\nstatus: pass").story).toBe("007");
});

test.each([
  ["no end", "---\nstory: US-1\nstatus: pass\n", "has no end"],
  ["tabs", "---\nfiles_changed:\n\t- a\nstatus: pass\n---\n", "line 3: "],
  ["a key twice", "---\nstatus: failing\nstatus: pass\n---\n", "line 3: a key is there twice"],
  ["a key twice in other letters", "---\nstatus: failing\nStatus: pass\n---\n", 'has "status" twice'],
  ["a list for a word", "---\nstatus: [pass]\n---\n", "its status is a list, not a word"],
  ["a map for a word", "---\nstatus: pass\nstory: { id: US-1 }\n---\n", "its story is a map, not a word"],
  ["an alias", "---\na: &a pass\nstatus: *a\n---\n", "its status is an alias, not a word"],
  ["no keys", "---\npass\n---\n", "has no keys"],
  ["an attempt that is none", "---\nattempt: second\nstatus: pass\n---\n", "its attempt is not a number"],
  ["nothing", "---\n---\n", "it has no status"],
  ["no status", "---\nstory: US-1\ntests_fail: 0\n---\n", "it has no status"],
  ["an unknown status", "---\nstatus: mostly harmless\n---\n", '"mostly harmless" is no word of this protocol'],
  ["a huge block", `---\nsummary: ${"x".repeat(70_000)}\nstatus: pass\n---\n`, "larger than 64 KiB"],
  ["5 MB without an end", `---\nstatus: pass\n${"x: y\n".repeat(1_000_000)}`, "has no end"],
])("[AG2 D25] %s is said and is never a pass", (_, text, why) => {
  const report = readSessionFile(text, "HANDOFF.md");
  expect(report).toMatchObject({ status: null, why: expect.stringContaining(why) });
  expect(report.notes).toContain(report.why);
});

test.each([
  ["pass", "pass", 0],
  ["complete", "pass", 1],
  ["passed", "pass", 1],
  ["passing", "pass", 1],
  ["completed", "pass", 1],
  ["ok", "pass", 1],
  ["success", "pass", 1],
  ["failure", "failing", 1],
  ["error", "failing", 1],
  ["partial", "failing", 1],
  ["human", "needs_human", 1],
  ["human_needed", "needs_human", 1],
  ["waiting for human", "needs_human", 1],
  ["Done ✅", "pass", 1],
  ["fail", "failing", 1],
  ["FAILED", "failing", 1],
  ["blocked", "needs_human", 1],
  ["Needs Human", "needs_human", 1],
  ["needs-human", "needs_human", 1],
])("[AG3] the status %s is read as %s", (word, status, notes) => {
  const report = handoff(`status: ${word}`);
  expect(report).toMatchObject({ status, reason: null, why: "" });
  expect(report.notes).toHaveLength(notes);
});

test.each([
  ["api-contract", "contract"],
  ["Test Scaffolding", "scaffold"],
  ["sdd_delta", "sdd-delta"],
  ["Implementation", "impl"],
  ["Update Memory", "update-memory"],
  ["bootstrap", "bootstrap"],
])("[AG3 D17] the step %s is read as %s", (word, step) => {
  expect(handoff(`step: ${word}\nstatus: pass`).step).toBe(step);
});

test("[AG3 D17] a name of the project's own table means itself", () => {
  expect(readSessionFile("---\nstep: delta\nstatus: pass\n---\n", "HANDOFF.md", ["delta", "impl"])).toMatchObject({
    step: "delta",
    notes: [],
  });
});

test("[AG3 AG4 D19] every reason is kept, none is none, and an unknown one counts as none with a note", () => {
  for (const reason of reasons)
    expect(handoff(`status: failing\nreason: ${reason}`)).toMatchObject({ reason, notes: [] });
  for (const none of ["~", "null", "", "none", '""'])
    expect(handoff(`status: failing\nreason: ${none}`)).toMatchObject({ reason: null, notes: [] });
  expect(handoff("status: failing\nreason: Needs Clarification").reason).toBe("needs_clarification");
  expect(handoff("status: failing\nreason: coffee_missing")).toMatchObject({
    status: "failing",
    reason: null,
    notes: ['reason "coffee_missing" is not known and counts as none'],
  });
  expect(handoff("status: pass\nreason: scope_warning")).toMatchObject({
    status: "failing",
    reason: "scope_warning",
    notes: ["status pass with the reason scope_warning is read as failing with that reason"],
  });
  expect(handoff("status: pass\nreason: coffee_missing")).toMatchObject({ status: "pass", reason: null });
  expect(handoff("status: needs_clarification")).toMatchObject({ status: "failing", reason: "needs_clarification" });
});

test("[AG5 D23 D68] the documented executor-result is read, and a value ends with its line", () => {
  const text = "# .ai/executor-result\nstatus: pass\nreason: null\nsummary: ApplyCoupon: fixed --- now # UTC\n";
  expect(result(text)).toMatchObject({
    status: "pass",
    reason: null,
    summary: "ApplyCoupon: fixed --- now # UTC",
    source: "executor_result",
    notes: [],
  });
  expect(result("\uFEFFstatus: 'failing'  # sorry\r\nreason: scope_warning\r\n")).toMatchObject({
    status: "failing",
    reason: "scope_warning",
  });
  expect(result("status: pass\nfiles_changed:\n  - a.ts\n  - b.ts\ntests_pass: 3\n")).toMatchObject({
    filesChanged: ["a.ts", "b.ts"],
    tests: { pass: 3, fail: 0, skip: 0 },
  });
  expect(result('status: pass\nsummary: He said "no"\nfiles_changed: a.ts\n  - "b.ts"\n')).toMatchObject({
    summary: 'He said "no"',
    filesChanged: ["a.ts", "b.ts"],
  });
  expect(handoff("status: pass\nfiles_changed: a.ts, , b.ts").filesChanged).toEqual(["a.ts", "b.ts"]);
});

test.each([
  ["", "it has no status"],
  ["status:\n", "it has no status"],
  ["status: pa", '"pa" is no word of this protocol'],
  ["status: failing\nstatus: pass\n", 'it has "status" twice'],
  ["status:\n  - pass\n", "its status is a list, not a word"],
  ["__proto__: x\nconstructor: y\n", "it has no status"],
])("[AG2 D25] an executor-result %j is no pass", (text, why) => {
  expect(result(text)).toMatchObject({ status: null, why: expect.stringContaining(why) });
});

test.each([
  ["[NEEDS CLARIFICATION] which gateway?", "failing", "needs_clarification"],
  ["A CONSTITUTION VIOLATION in cart.go", "failing", "constitution_violation"],
  ["SCOPE WARNING: billing", "failing", "scope_warning"],
  ["All tests pass. No scope warning, status: pass", null, null],
  ["", null, null],
])("[AG6 D65] a text without front matter, %j, never passes", (body, status, reason) => {
  expect(readSessionFile(body, "HANDOFF.md")).toMatchObject({ status, reason, source: "free_text" });
});

test("[AG5] a file of another name is read as what it looks like", () => {
  expect(readSessionFile("status: pass\n", "report.txt").source).toBe("executor_result");
  expect(readSessionFile("---\nstatus: pass\n---\n", "report").source).toBe("front_matter");
  expect(readSessionFile("SCOPE WARNING", "report").source).toBe("free_text");
  expect(readSessionFile("The last status: pass", "report.txt")).toMatchObject({ source: "free_text", status: null });
});

test.each([
  ["complexity: M\nparallel: 3", "M", 3],
  ["complexity: '[l]'", "L", null],
  ["complexity: XL\nparallel: many", null, null],
  ["complexity: null", null, null],
])("[TM1 D79] the size that a session found: %s", (lines, complexity, parallel) => {
  const report = handoff(`status: pass\n${lines}`);
  expect(report).toMatchObject({ status: "pass", complexity, parallel });
  expect(report.notes).toHaveLength(lines.includes("XL") ? 2 : 0);
});
