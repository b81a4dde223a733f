import { expect, test } from "vitest";
import { formatPath, formatProblem, nearest } from "./problem.ts";

test("a path reads as in the file", () => {
  expect(formatPath(["steps", 2, "on", "rejected"])).toBe("steps[2].on.rejected");
  expect(formatPath([])).toBe("");
});

test("[WF2] a problem is one line that editors can open, with what was expected and what to do", () => {
  const problem = {
    severity: "error",
    line: 3,
    column: 5,
    path: "x",
    message: "unknown key",
    expected: "y",
    hint: "z",
  } as const;
  expect(formatProblem(problem, "w.yml")).toBe("w.yml:3:5: error: unknown key\n  expected: y\n  hint: z");
});

test.each([
  ["on_desicion", "on_decision"],
  ["agnet", "agent"],
  ["bak_to", "back_to"],
])("%s most likely means %s", (word, meant) => {
  expect(nearest(word, ["agent", "back_to", "on_decision", "on"])).toBe(meant);
});

test("a word that is like no other has no nearest", () => {
  expect(nearest("required_outputs", ["agent", "input"])).toBeNull();
  expect(nearest("x", ["on"])).toBeNull();
});
