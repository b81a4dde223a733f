import fc from "fast-check";
import { expect, test } from "vitest";
import { buildPrompt, buildSystem } from "./prompt.ts";

const nothing = { task: "", input: "", notes: [], feedback: "", reply: "" };

test("[PR5] role files say who the agent is, each under its name; an empty one says nothing", () => {
  const roles = [
    { name: "AGENTS.md", text: "You plan.\n" },
    { name: "EMPTY.md", text: " \n" },
    { name: "SOUL.md", text: "Be calm." },
  ];
  expect(buildSystem(roles, false)).toBe("# AGENTS.md\n\nYou plan.\n\n# SOUL.md\n\nBe calm.");
  expect(buildSystem([], false)).toBe("");
  expect(buildSystem(roles, true)).toMatch(
    /^# AGENTS\.md[^]+# Reporting\n\nReport by the tools of the MCP server `pawl`/,
  );
  expect(buildPrompt({ ...nothing, task: "Add login", input: "Task: Add login\n" })).toBe("Task: Add login\n");
});

test("[A3] the user's words stand before an input that does not contain them", () => {
  expect(buildPrompt({ ...nothing, task: "Add login", input: "Review the branch." })).toBe(
    "# Task\n\nAdd login\n\nReview the branch.\n",
  );
});

test("the words are found however their lines are broken, and only as whole words", () => {
  expect(buildPrompt({ ...nothing, task: "Add\r\n  login", input: "Do: Add login now" })).toBe("Do: Add login now\n");
  expect(buildPrompt({ ...nothing, task: "fix", input: "Update the fixtures; prefix" })).toContain("# Task\n\nfix\n");
  expect(buildPrompt({ ...nothing, task: "fix", input: "Update fixtures, then fix." })).not.toContain("# Task");
});

test("[PR5 A30] notes and feedback follow in sections of their own, unless the input has them", () => {
  const parts = {
    ...nothing,
    task: "t",
    input: "t\nIssues: no tests",
    notes: ["use\npnpm", "no tests", ""],
    feedback: "no tests",
  };
  expect(buildPrompt(parts)).toBe("t\nIssues: no tests\n\n# Notes from people\n\n- use\n  pnpm\n");
  expect(buildPrompt({ ...parts, feedback: "lint is red" })).toMatch(/# Feedback on the work so far\n\nlint is red\n$/);
});

test("nothing gives an empty prompt", () => {
  expect(buildPrompt(nothing)).toBe("");
});

test("[PR6] the intent is in every prompt, whatever the texts are", () => {
  const flat = (text: string) => text.replace(/\s+/g, " ").trim();
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string(), fc.array(fc.string()), (task, input, feedback, notes) => {
      const prompt = flat(buildPrompt({ task, input, notes, feedback, reply: "" }));
      for (const text of [task, input, feedback, ...notes]) expect(prompt).toContain(flat(text));
    }),
  );
});
