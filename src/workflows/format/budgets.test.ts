import { describe, expect, test } from "vitest";
import type { PerformedDefinition, StoriesStep } from "../../domain/definition.ts";
import { loadWorkflow } from "../load.ts";

const head = "pawl: 1\nid: x\nagents: { dev: {} }\nsteps:\n  - { id: a, agent: dev }\n";
const load = (step: string) => loadWorkflow(`${head}  - { id: b, ${step} }\n  - { id: z, agent: dev }\n`, "w.yml");
const errorsOf = (step: string) => load(step).problems.filter((problem) => problem.severity === "error");
const budgetOf = (fields: string) => {
  expect(load(`agent: dev, ${fields}`).problems).toEqual([]);
  const step = load(`agent: dev, ${fields}`).definition?.steps[1] as PerformedDefinition;
  return step.budget;
};
const storyBudgetOf = (budget: string) => {
  const step = `stories: {}, body: [{ id: b, agent: dev }], story_budget: ${budget}`;
  expect(errorsOf(step)).toEqual([]);
  const stories = load(step).definition?.steps[1] as StoriesStep;
  return stories.storyBudget;
};

describe("[WF40] money, tokens and time of a step", () => {
  test("beside a number of times", () => {
    expect(budgetOf("budget: { at_most: 3, usd: 2.5, tokens: 1000, wall: 1h30m, hard: true }")).toEqual({
      atMost: 3,
      then: { to: "fail", reason: "" },
      spend: { costUsd: 2.5, tokens: 1_000, wallMs: 5_400_000, hard: true },
    });
  });

  test("there is none where only a number of times is given", () => {
    expect(budgetOf("budget: { at_most: 3 }")).toEqual({
      atMost: 3,
      then: { to: "fail", reason: "b: still rejected after 3 retries" },
    });
  });

  test("alone they leave the routes their own limits: the number is never reached before those are", () => {
    const on = "on: { ok: next, small: { again, at_most: 4 }, big: { back_to: a, at_most: 2 } }";
    expect(budgetOf(`decide: d, ${on}, budget: { usd: 5 }`)).toMatchObject({ atMost: 6, spend: { costUsd: 5 } });
    expect(budgetOf("budget: { usd: 5 }")?.atMost).toBe(2);
    expect(budgetOf("on: { rejected: fail }, budget: { usd: 5 }")?.atMost).toBe(1);
  });

  test("which of several limits was reached is said by the run: a bare fail has no words of its own", () => {
    expect(budgetOf("budget: { at_most: 3, usd: 5, then: fail }")?.then).toEqual({ to: "fail", reason: "" });
    expect(budgetOf("budget: { usd: 5, then: { fail: too dear } }")?.then).toEqual({ to: "fail", reason: "too dear" });
  });

  test("a person may let the step go on, since it was stopped before it ran", () => {
    const on = "on: { rejected: { back_to: a, at_most: 2 } }";
    expect(budgetOf(`${on}, budget: { usd: 5, wall: 2h, then: gate }`)?.then).toEqual({
      to: "gate",
      question: "b: the budget of 5 USD or 2h of work is used up. What now?",
      options: {
        continue: { to: "back_to", step: "a" },
        again: { to: "again" },
        accept: { to: "next" },
        stop: { to: "fail", reason: "b: stopped by a person" },
      },
    });
    const then = budgetOf("budget: { at_most: 1, usd: 5, then: gate }")?.then;
    expect(then?.to === "gate" ? Object.keys(then.options) : []).toEqual(["continue", "accept", "stop"]);
  });

  test("it may lead forward", () => {
    expect(budgetOf("budget: { usd: 5, then: { go_to: z } }")?.then).toEqual({ to: "go_to", step: "z" });
  });
});

describe("[WF40] what one story may use", () => {
  test("one more try unless the file says otherwise", () => {
    expect(storyBudgetOf("{ usd: 3, tokens: 900, wall: 45m }")).toEqual({
      atMost: 1,
      then: { to: "fail", reason: "" },
      spend: { costUsd: 3, tokens: 900, wallMs: 2_700_000, hard: false },
    });
    expect(storyBudgetOf("{ at_most: 4, usd: 3, then: gate }")).toMatchObject({
      atMost: 4,
      then: { to: "gate", question: "b: not settled after 4 retries, or the budget of 3 USD is used up. What now?" },
    });
  });
});

describe("[WF21 WF40] what is refused", () => {
  const body = (fields: string) => `stories: {}, body: [{ id: b, agent: dev, ${fields} }]`;
  test.each([
    ["agent: dev, budget: {}", "a budget that limits nothing", "steps[1].budget"],
    ["agent: dev, budget: { then: gate }", "a budget that limits nothing", "steps[1].budget"],
    ["agent: dev, budget: { usd: 5, hard: true }", "`hard` has no effect without `wall`", "steps[1].budget.hard"],
    ["command: make, budget: { usd: 5 }", "a command uses no money", "steps[1].budget"],
    [
      "agent: dev, on: { rejected: { back_to: a } }, budget: { usd: 5 }",
      "Step 'b' on.rejected.back_to: a cycle without a limit; money, tokens and time alone end none",
      "steps[1].on.rejected.back_to",
    ],
    [
      "agent: dev, decide: d, on: { ok: next, no: again }, budget: { wall: 5h }",
      "Step 'b' on.no: a cycle without a limit",
      "steps[1].on.no",
    ],
    [body("budget: { usd: 5 }"), "on.rejected: a cycle without a limit", "steps[1].body[0].budget"],
    [
      "agent: dev, budget: { at_most: 2, then: { back_to: a } }",
      "Step 'b' budget.then.back_to: what follows a limit repeats without a limit",
      "steps[1].budget.then.back_to",
    ],
    [
      "agent: dev, budget: { usd: 2, then: again }",
      "Step 'b' budget.then: what follows a limit repeats",
      "steps[1].budget.then",
    ],
    [
      "agent: dev, budget: { at_most: 2, then: { back_to: a, at_most: 1 } }",
      "cannot have a limit of its own",
      "steps[1].budget.then",
    ],
    [
      "stories: {}, body: [{ id: b, agent: dev }], story_budget: { usd: 2, then: { go_to: z } }",
      "a story whose budget is used up cannot lead to `go_to`",
      "steps[1].story_budget.then",
    ],
    ["agent: dev, budget: { usd: 0 }", "`usd` cannot be", "steps[1].budget.usd"],
  ])("%s", (step, message, path) => {
    const found = errorsOf(step).find((problem) => problem.message.includes(message));
    expect(errorsOf(step).map((problem) => problem.message)).toContainEqual(expect.stringContaining(message));
    expect(found).toMatchObject({ line: 6, path });
    expect(found?.hint).not.toBe("");
  });

  test("in a body a number of times makes it a limit of the step's own", () => {
    expect(errorsOf(body("budget: { at_most: 2, usd: 5 }"))).toEqual([]);
  });
});
