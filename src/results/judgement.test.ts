// Judging checks: the table of exit codes, results and what must happen.

import { describe, expect, test } from "vitest";
import type { Check } from "../domain/check.ts";
import { type CommandEnd, judge, type StepWork } from "./judgement.ts";
import { namedIn } from "./new-tests.ts";
import { cannotRead, type ResultsRead, type TestResults } from "./result.ts";

const exit = (code: number): CommandEnd => ({ code, how: `exit code ${code}` });
const killed: CommandEnd = { code: null, how: "timed out" };
const first: StepWork = { isLaterVisit: false, isNew: (name) => name.startsWith("new"), hasChanges: true };
const results = (
  passing: readonly string[],
  failing: readonly string[],
  more: Partial<TestResults> = {},
): TestResults => ({
  kind: "results",
  pass: passing.length,
  fail: failing.length,
  skip: 0,
  broken: [],
  notes: [],
  passing,
  failing,
  ...more,
});

describe("[RS4 D67] a check that must pass", () => {
  const check: Check = { run: "t", reads: "tap" };
  const cases: readonly (readonly [CommandEnd, ResultsRead | null, boolean, string])[] = [
    [exit(0), null, true, "exit code 0"],
    [exit(1), null, false, "exit code 1"],
    [killed, null, false, "timed out"],
    [killed, results(["a"], []), false, "timed out"],
    [exit(0), results(["a"], []), true, "1 test passes"],
    [exit(0), results(["a"], ["b"]), false, "1 of 2 tests fail"],
    [exit(1), results(["a"], []), false, "although no test failed"],
    [exit(0), results(["a"], [], { broken: ["m"] }), false, "m failed outside of its tests"],
    [exit(0), results([], []), false, "no test ran"],
    [exit(0), results([], [], { skip: 3 }), false, "no test ran (3 skipped)"],
    [exit(0), cannotRead("it is cut off"), false, "(tap) cannot be read: it is cut off"],
  ];
  test.each(cases)("%j with %j is green: %s", (end, reading, isGreen, why) => {
    expect(judge(check, end, reading, first)).toEqual({ isGreen, why: expect.stringContaining(why) });
  });
});

describe("[RS5 RS6 D67] tests that must fail", () => {
  const check: Check = { run: "t", must: "fail", reads: "tap" };
  const later: StepWork = { ...first, isLaterVisit: true };
  const cases: readonly (readonly [CommandEnd, ResultsRead | null, StepWork, boolean, string])[] = [
    [exit(1), null, first, true, "as it must"],
    [exit(0), null, first, false, "must fail"],
    [exit(0), null, later, false, "must fail"],
    [exit(0), null, { ...later, hasChanges: false }, true, "nothing new"],
    [exit(0), null, { ...first, hasChanges: false }, false, "must fail"],
    [killed, null, first, false, "did not run to their end"],
    [exit(127), null, first, false, "did not run to their end"],
    [exit(126), null, first, false, "did not run to their end"],
    [exit(137), results([], ["new"]), first, false, "did not run to their end"],
    [exit(1), results(["old"], ["new"]), first, true, "1 new test fails, as it must"],
    [exit(1), results(["new 2"], ["new"]), first, false, "passes before there is code for it: new 2"],
    [exit(1), results(["old"], ["old 2"]), first, false, "none that this step wrote"],
    [exit(0), results(["old"], []), first, false, "no test fails"],
    [exit(0), results([], []), first, false, "no test fails"],
    [exit(0), results(["old"], []), later, true, "no new test"],
    [exit(1), results([], [], { broken: ["m"] }), first, true, "does not build yet"],
    [exit(1), results([], [], { broken: ["m"] }), { ...later, hasChanges: false }, false, "no test fails"],
    [exit(1), results(["a"], ["b"]), { ...first, isNew: null }, true, "1 test fails, as it must"],
    [exit(0), results(["a"], []), { ...later, isNew: null }, false, "no test fails"],
    [exit(1), cannotRead("it is cut off"), first, false, "cannot be read"],
  ];
  test.each(cases)("%j with %j, %j is green: %s", (end, reading, work, isGreen, why) => {
    expect(judge(check, end, reading, work)).toEqual({ isGreen, why: expect.stringContaining(why) });
  });
});

test.each([
  ["example.org/m.TestAdd", "+func TestAdd(t *testing.T) {", true],
  ["example.org/m.TestAdd", "func TestAddAll(t *testing.T) {", false],
  ["m.TestAdd/two_words", 't.Run("two words", func', true],
  ["m.TestAdd/case_7", "func TestAdd(t *testing.T) { for … }", true],
  ["math > adds two numbers", 'it("adds two numbers", () => {', true],
  ["math > adds two numbers", 'describe("math")', false],
  ["tests.test_add.test_adds[1-2]", "def test_adds(a, b):", true],
  ["com.example.AddTest.adds()", "void adds() {", true],
  ["a", "a", false],
])("[RS5] %s is a test of a step that adds %j: %s", (name, added, isNew) => {
  expect(namedIn(added)(name)).toBe(isNew);
});
