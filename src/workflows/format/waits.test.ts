// Steps that wait, budgets that count errors, and `on_error` by outcome.

import { expect, test } from "vitest";
import type { PerformedDefinition } from "../../domain/definition.ts";
import { loadWorkflow } from "../load.ts";
import { drawWorkflow } from "../picture.ts";

const head = "pawl: 1\nid: x\nagents: { dev: {} }\nsteps:\n";
const load = (step: string) => loadWorkflow(`${head}  - { id: b, agent: dev, ${step} }\n`, "w.yml");
const errorsOf = (step: string) =>
  load(step)
    .problems.filter(({ severity }) => severity === "error")
    .map(({ message }) => message);
const read = (step: string) => {
  const { definition, problems } = load(step);
  expect(problems).toEqual([]);
  if (!definition) throw new Error("not loaded");
  return { definition, step: definition.steps[0] as PerformedDefinition, picture: drawWorkflow(definition) };
};

test("[WF85 WF38] a step that is performed may wait; it is drawn, and a gate cannot", () => {
  const { step, picture } = read("waits: true");
  expect(step.waits).toBe(true);
  expect(picture).toContain("asks before it starts");
  expect(read("waits: false").step).not.toHaveProperty("waits");
  const gate = loadWorkflow(`${head}  - { id: g, gate: "Well?", waits: true }\n`, "w.yml").problems[0];
  expect(gate?.message).toBe("Step 'g': `waits` has no effect on a gate step");
});

test("[WF86 WF21 WF38] a budget with errors is the limit of failures, too", () => {
  const { step, picture } = read("budget: { at_most: 2, errors: true, then: gate }");
  expect(step.onError).toEqual({ route: { to: "again" }, limit: null });
  expect(step.budget).toMatchObject({ atMost: 2, errors: true, then: { to: "gate" } });
  const { then } = step.budget ?? {};
  expect(then?.to === "gate" && then.question).toBe("b: not finished after 2 retries. What now?");
  expect(then?.to === "gate" && Object.keys(then.options)).toEqual(["continue", "accept", "stop"]);
  expect(picture).toContain("all repetitions together at most 2 times");
  const fails = read("on: { rejected: fail }, on_error: again, budget: { at_most: 1, errors: true, usd: 5 }").step;
  expect(fails.budget).toMatchObject({ atMost: 1, errors: true });
  expect(errorsOf("on_error: again, budget: { at_most: 2 }")).toEqual(["Step 'b' on_error: a cycle without a limit"]);
  expect(errorsOf("budget: { usd: 5, errors: true }")).toContain("Step 'b': `errors` has no effect without `at_most`");
  const stories = `${head}  - { id: s, stories: {}, body: [{ id: b, agent: dev }], story_budget: { at_most: 1, errors: true } }\n`;
  expect(loadWorkflow(stories, "w.yml").problems[0]?.message).toContain("errors");
});

test("[WF87 WF18 WF21 WF38 WF45] on_error leads elsewhere by outcome, with a default and a limit for what repeats", () => {
  const { step, picture } = read("on_error: { default: { again, at_most: 2 }, timed_out: gate }");
  expect(step.onError).toMatchObject({ route: { to: "again" }, limit: { atMost: 2 } });
  expect(step.onErrorBy).toMatchObject({ timed_out: { route: { to: "gate" }, limit: null } });
  expect(picture).toMatch(/time-out +→ ask \(again, stop\)/);
  expect(picture).toMatch(/other failure +→ again, at most 2 times/);
  expect(read("on_error: { Default: fail, Failed: { again, at_most: 1 } }").step.onErrorBy).toHaveProperty("failed");
  expect(errorsOf("on_error: { timed_out: gate }")).toEqual([
    "Step 'b': an attempt that did not complete for any other reason has no route",
  ]);
  expect(errorsOf("on_error: { default: fail, timed_out: again }")).toEqual([
    "Step 'b' on_error.timed_out: a cycle without a limit",
  ]);
  expect(errorsOf("on_error: { default: fail, failed: next }")[0]).toContain("a crash decides nothing");
  const [lost] = load("on_error: { default: fail, lost: fail }").problems;
  expect(lost).toMatchObject({
    message: "Step 'b': on_error has no outcome \"lost\"",
    hint: "what a dead driver loses starts again by itself",
  });
});
