import { describe, expect, test } from "vitest";
import type { GateStep, PerformedDefinition } from "../../domain/definition.ts";
import { loadWorkflow } from "../load.ts";

const head = "pawl: 1\nid: x\nagents: { dev: {} }\nsteps:\n  - { id: a, agent: dev }\n";
const load = (step: string, rest = "  - { id: z, agent: dev }\n") =>
  loadWorkflow(`${head}  - { id: g, ${step} }\n${rest}`, "w.yml");
const errorsOf = (step: string, rest?: string) =>
  load(step, rest).problems.filter((problem) => problem.severity === "error");
const gateOf = (step: string) => {
  expect(load(step).problems).toEqual([]);
  return load(step).definition?.steps[1] as GateStep;
};

/** At its line, with what instead and what to do. */
function expectRefused(step: string, message: string, path: string): void {
  expect(errorsOf(step).map((problem) => problem.message)).toContainEqual(expect.stringContaining(message));
  const found = errorsOf(step).find((problem) => problem.message.includes(message));
  expect(found).toMatchObject({ line: 6, path });
  expect(found?.expected).not.toBe("");
  expect(found?.hint).not.toBe("");
}

describe("[WF43] a deadline", () => {
  test("takes an option when nobody has answered", () => {
    const { deadline, options } = gateOf('gate: "Ship it?", deadline: { after: 2d, then: reject }');
    expect(deadline).toEqual({ afterMs: 2 * 86_400_000, option: "reject" });
    expect(Object.keys(options)).toEqual(["approve", "reject"]);
    expect(gateOf('gate: "Ship it?"')).not.toHaveProperty("deadline");
  });

  test("of a route, with options of its own or the usual ones", () => {
    const { definition, problems } = load(
      "agent: dev, on: { rejected: { gate: Why, options: { ok: next, no: fail }, deadline: { after: 90, then: no } } }, on_error: { again, at_most: 1, then: { gate, deadline: { after: 1h, then: stop } } }",
    );
    expect(problems).toEqual([]);
    const step = definition?.steps[1] as PerformedDefinition;
    expect(step.on.rejected?.route).toMatchObject({ to: "gate", deadline: { afterMs: 90_000, option: "no" } });
    expect(step.onError.limit?.then).toMatchObject({ to: "gate", deadline: { afterMs: 3_600_000, option: "stop" } });
  });

  test.each([
    [
      'gate: "?", deadline: { after: 1h, then: aprove }',
      "Step 'g' deadline.then 'aprove' not found among its options",
      "steps[1].deadline.then",
    ],
    [
      'gate: "?", options: { yes: next, no: { default: fail, unclear: { back_to: a } } }, deadline: { after: 1h, then: "no:unclear" }',
      "'no:unclear' not found",
      "steps[1].deadline.then",
    ],
    [
      'gate: "?", options: { yes: next, ask: again }, deadline: { after: 1h, then: ask }',
      "Step 'g' deadline.then 'ask': a cycle that no person and no limit ends",
      "steps[1].deadline.then",
    ],
    [
      'gate: "?", options: { yes: next, fix: { back_to: a } }, deadline: { after: 1h, then: fix }',
      "a cycle that no person and no limit ends",
      "steps[1].deadline.then",
    ],
    [
      "agent: dev, on: { rejected: { again, at_most: 2, then: { gate: Why, deadline: { after: 1h, then: continue } } } }",
      "Step 'g' on.rejected.then.gate deadline.then 'continue': a cycle",
      "steps[1].on.rejected.then.deadline.then",
    ],
    [
      "stories: {}, body: [{ id: s, agent: dev }], story_budget: { at_most: 1, then: { gate: Why, deadline: { after: 1h, then: continue } } }",
      "'continue': a cycle",
      "steps[1].story_budget.then.deadline.then",
    ],
    [
      'gate: "?", options: { yes: next, later: { gate: "And now?", options: { yes: next, no: fail }, deadline: { after: 1h, then: maybe } } }',
      "options.later.gate deadline.then 'maybe' not found",
      "steps[1].options.later.deadline.then",
    ],
    [
      "agent: dev, on: { rejected: { fail, deadline: { after: 1h, then: stop } } }",
      "`deadline` has no effect on `fail`",
      "steps[1].on.rejected.deadline",
    ],
    [
      "agent: dev, deadline: { after: 1h, then: stop }",
      "`deadline` has no effect on an agent step",
      "steps[1].deadline",
    ],
    ['gate: "?", deadline: { after: 1h }', "`then` is missing", "steps[1].deadline.then"],
    ['gate: "?", deadline: { after: soon, then: reject }', "`after` cannot be", "steps[1].deadline.after"],
  ])("is refused: %s", expectRefused);
});

describe("[WF44] an answer with reasons", () => {
  test("leads elsewhere for each, folded to lower case", () => {
    const { options } = gateOf(
      'gate: "?", options: { approve: next, reject: { default: fail, Needs_Clarification: { backTo: a }, too_large: { fail: Split it } } }',
    );
    expect(options).toEqual({
      approve: { to: "next" },
      reject: { to: "fail", reason: "g: stopped by a person" },
      "reject:needs_clarification": { to: "back_to", step: "a" },
      "reject:too_large": { to: "fail", reason: "Split it" },
    });
  });

  test("may be in the options of a route", () => {
    const { definition } = load(
      "agent: dev, on: { rejected: { gate: Why, options: { ok: next, no: { default: fail, unclear: { back_to: a } } } } }",
    );
    const step = definition?.steps[1] as PerformedDefinition;
    const route = step.on.rejected?.route;
    expect(route?.to === "gate" ? Object.keys(route.options) : []).toEqual(["ok", "no", "no:unclear"]);
  });

  test.each([
    [
      'gate: "?", options: { yes: next, no: { unclear: { back_to: a } } }',
      'the answer "no" for any other reason has no route',
      "steps[1].options.no",
    ],
    [
      'gate: "?", options: { yes: next, no: { default: fail, Unclear: { back_to: a }, unclear: fail } }',
      '"unclear" has two routes',
      "steps[1].options.no.unclear",
    ],
    [
      'gate: "?", options: { yes: next, "no:unclear": fail }',
      '"no:unclear" cannot be the name of an option',
      "steps[1].options.no:unclear",
    ],
    [
      'gate: "?", options: { yes: next, no: { default: fail, unclear: { back_to: q } } }',
      "Step 'g' options.no.unclear.back_to 'q' not found",
      "steps[1].options.no.unclear.back_to",
    ],
    [
      'gate: "?", options: { yes: next, no: { default: fail, unclear: { again, at_most: 2 } } }',
      "a route of an option cannot have a limit",
      "steps[1].options.no.unclear",
    ],
  ])("is refused: %s", expectRefused);

  test("a decision with a colon is an option without one", () => {
    const step = load('agent: dev, decide: d, on: { ok: next, "fix:small": { back_to: a, at_most: 1 } }').definition
      ?.steps[1] as PerformedDefinition;
    const then = step.onError.limit?.then;
    expect(then?.to === "gate" ? Object.keys(then.options) : []).toEqual(["ok", "fix-small", "again", "stop"]);
  });
});

describe("[WF45] a question has an end", () => {
  test.each([
    'gate: "?", options: { ask: again }',
    'gate: "?", options: { fix: { back_to: a } }',
    'gate: "?", options: { fix: { back_to: a }, more: { insert: [a] }, ask: again }',
    'gate: "?", options: { talk: { gate: "And now?", options: { fix: { back_to: a } } } }',
  ])("not one where every answer only comes back: %s", (step) => {
    expectRefused(step, "Step 'g': every answer only comes back to this question", "steps[1]");
  });

  test("a decision whose every value asks, and whose every answer repeats", () => {
    const step = "agent: dev, decide: d, on: { a: { gate: Why, options: { x: again } } }, on_error: fail";
    expectRefused(step, "Step 'g' on.a.gate: every answer only comes back", "steps[1].on.a.gate");
  });

  test.each([
    ['gate: "?", options: { fix: { back_to: a }, stop: fail }', ""],
    ["agent: dev, on: { rejected: { gate: Why, options: { once_more: again } } }", undefined],
    ['gate: "?", options: { done: next }', ""],
    ['gate: "?", options: { done: { go_to: z } }', undefined],
  ])("one that a person or the step itself can leave: %s", (step, rest) => {
    expect(errorsOf(step, rest)).toEqual([]);
  });

  test("a step before it that goes past it is a way out", () => {
    const skips = `pawl: 1\nid: x\nagents: { dev: {} }\nsteps:
  - { id: a, agent: dev, decide: d, on: { ask: next, fine: { go_to: z } } }
  - { id: g, gate: "?", options: { look_again: { back_to: a } } }
  - { id: z, agent: dev }
`;
    expect(loadWorkflow(skips, "w.yml").problems).toEqual([]);
  });
});
