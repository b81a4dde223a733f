// The form of a new run as a value.

import { expect, test } from "vitest";
import { defaultCaps } from "../../domain/definition.ts";
import { executorHint, fieldOf, type NewRun, newKey, requestOf, timeIn } from "./new-run.ts";

const empty: NewRun = {
  workflow: "feature-dev",
  task: "",
  repo: "/projects/shop",
  executor: "",
  base: "",
  costUsd: "",
  attempts: "",
  wallMs: "",
  waits: "marked",
  context: {},
};
const needed = { inputs: [], caps: { ...defaultCaps, costUsd: 7 } };

test("[PG81] where no agent can be used, the form says what to do about it", () => {
  expect(executorHint([{ installed: false }, { installed: true }])).toBe("");
  for (const none of [[], [{ installed: false }]])
    expect(executorHint(none)).toContain("`pawl doctor` says what is missing");
});

test("[PG80] only what was chosen is sent; the rest is as the workflow and the configuration say", () => {
  expect(requestOf({ ...empty, task: "Add a page\n" }, needed)).toEqual({
    problems: {},
    body: { workflow: "feature-dev", task: "Add a page\n", repo: "/projects/shop" },
  });
  const all: NewRun = {
    ...empty,
    task: "Add a page",
    executor: "claude",
    base: " main ",
    costUsd: "$2,50",
    attempts: "20",
    wallMs: "2 h",
    waits: "all",
    context: { ticket: " T-1 ", forgotten: "of another workflow" },
  };
  expect(requestOf(all, { ...needed, inputs: ["ticket"] }).body).toEqual({
    workflow: "feature-dev",
    task: "Add a page",
    repo: "/projects/shop",
    executor: "claude",
    base: "main",
    caps: { costUsd: 2.5, attempts: 20, wallMs: 7_200_000 },
    waits: "all",
    context: { ticket: "T-1" },
  });
});

test("[PG81] nothing is sent without a task, a repository or an input that the workflow needs; each is said at its field", () => {
  const { body, problems } = requestOf({ ...empty, task: "  ", repo: "" }, { ...needed, inputs: ["ticket"] });
  expect(body).toBeNull();
  expect(Object.keys(problems).toSorted()).toEqual(["context", "repo", "task"]);
});

test("[PG81] a cap can be lowered, and never raised", () => {
  const cap = (change: Partial<NewRun>) => requestOf({ ...empty, task: "x", ...change }, needed).problems;
  expect(cap({ costUsd: "7" })).toEqual({});
  expect(cap({ costUsd: "7.01" }).costUsd).toBe("The workflow allows $7.00. A run can have less, not more.");
  expect(cap({ costUsd: "0" }).costUsd).toContain("not a number");
  expect(cap({ costUsd: "much" }).costUsd).toContain("not a number");
  expect(cap({ attempts: "1.5" }).attempts).toContain("not a whole number");
  expect(cap({ attempts: "10001" }).attempts).toContain("10,000");
  expect(cap({ wallMs: "31 d" }).wallMs).toContain("30 d");
  expect(cap({ wallMs: "soon" }).wallMs).toContain("not a time");
});

test("[PG81] a time is read in minutes, hours and days", () => {
  expect(["90", "45 min", "1.5h", "1,5 H", "2 d"].map(timeIn)).toEqual([
    5_400_000, 2_700_000, 5_400_000, 5_400_000, 172_800_000,
  ]);
  expect(["", "0 h", "-1 h", "1 week", "h"].map(timeIn)).toEqual([null, null, null, null, null]);
});

test("[PG82] a refusal is said at the field that it is about, and one about no field below the form", () => {
  const said = (code: string, message: string, details: readonly string[] = []) => fieldOf({ code, message, details });
  expect(said("INPUT_INVALID", "the body is not right", ["task: Too small"])).toBe("task");
  expect(said("INPUT_INVALID", "the body is not right", ["caps.costUsd: Too small"])).toBe("costUsd");
  expect(said("NOT_FOUND", "/x is not a repository that this service knows")).toBe("repo");
  expect(said("NOT_FOUND", 'there is no workflow "x"')).toBe("workflow");
  expect(said("EXECUTOR_MISSING", 'there is no executor "x"')).toBe("executor");
  expect(said("USAGE", "small needs ticket")).toBe("context");
  expect(said("USAGE", 'there is no branch, tag or commit "nosuch"')).toBe("base");
  expect(said("FORBIDDEN", 'the token "x" has the role read; this needs operate')).toBeNull();
  expect(said("UNKNOWN", "the service does not answer")).toBeNull();
});

test("[PG82] each form has a key of its own that the API takes", () => {
  const keys = new Set(Array.from({ length: 100 }, newKey));
  expect(keys.size).toBe(100);
  for (const key of keys) expect(key).toMatch(/^[0-9a-f]{32}$/);
});
