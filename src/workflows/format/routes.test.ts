import { describe, expect, test } from "vitest";
import type { PerformedDefinition, StoriesStep } from "../../domain/definition.ts";
import type { Route } from "../../domain/route.ts";
import { loadWorkflow } from "../load.ts";

const head = "pawl: 1\nid: x\nagents: { dev: {} }\nsteps:\n  - { id: a, agent: dev }\n";
const tail = "\n  - { id: z, agent: dev }\n";
const load = (step: string) => loadWorkflow(`${head}  - { id: b, agent: dev, ${step} }${tail}`, "w.yml");
const stepOf = (step: string) => {
  const { definition, problems } = load(step);
  expect(problems.filter((problem) => problem.severity === "error")).toEqual([]);
  return definition?.steps[1] as PerformedDefinition;
};
const errorsOf = (step: string) => load(step).problems.filter((problem) => problem.severity === "error");

const optionsOf = (route: Route | undefined) => (route?.to === "gate" ? route.options : {});

describe("what a route may be", () => {
  test.each([
    ["next", { to: "next" }],
    ["fail", { to: "fail", reason: "b: rejected" }],
    ["{ fail: no good }", { to: "fail", reason: "no good" }],
    ["{ go_to: z }", { to: "go_to", step: "z" }],
  ])("%s", (written, route) => {
    expect(stepOf(`on: { rejected: ${written} }`).on.rejected).toEqual({ route, limit: null });
  });

  test.each([
    ["{ again, at_most: 2 }", { to: "again" }],
    ["{ again: true, at_most: 2 }", { to: "again" }],
    ["{ back_to: a, at_most: 2 }", { to: "back_to", step: "a" }],
    ["{ insert: [a], at_most: 2 }", { to: "insert", steps: ["a"] }],
  ])("with a limit that ends in fail: %s", (written, route) => {
    expect(stepOf(`on: { rejected: ${written} }`).on.rejected).toEqual({
      route,
      limit: { atMost: 2, then: { to: "fail", reason: "b: still rejected after 2 retries" } },
    });
  });

  test("[WF14] rejections by reason, folded, with a default", () => {
    const { on } = stepOf(
      "on: { rejected: { default: { again, at_most: 4 }, Red_Tests: { back_to: a, at_most: 1 } } }",
    );
    expect(Object.keys(on)).toEqual(["passed", "rejected", "rejected:red_tests"]);
  });

  test("[WF12] with `decide` the keys are values, folded to lower case, and there are no defaults", () => {
    const { on, decide } = stepOf("decide: DECISION, on: { Approved: next, rejected: { back_to: a, at_most: 1 } }");
    expect(decide).toBe("decision");
    expect(Object.keys(on)).toEqual(["=approved", "=rejected"]);
  });

  test("[WF12] `default` is every value that is not listed, and an option where no decision can be read", () => {
    const { on, onError } = stepOf("decide: d, on: { ok: next, Default: { back_to: a, at_most: 1 } }");
    expect(Object.keys(on)).toEqual(["=ok", "="]);
    expect(onError.limit?.then).toMatchObject({ to: "gate", options: { ok: {}, default: { to: "back_to" } } });
  });

  test("[WF15] a deciding step with checks has a route for red checks", () => {
    const { on } = stepOf("decide: d, on: { ok: next }, checks: [npm test]");
    expect(on.rejected).toMatchObject({ route: { to: "again" }, limit: { atMost: 2 } });
  });
});

describe("gates", () => {
  test("[WF16] at an exhausted limit: continue, accept, stop", () => {
    const rule = stepOf('on: { rejected: { back_to: a, at_most: 3, then: { gate: "What now?" } } }').on.rejected;
    expect(rule?.limit?.then).toEqual({
      to: "gate",
      question: "What now?",
      options: {
        continue: { to: "back_to", step: "a" },
        accept: { to: "next" },
        stop: { to: "fail", reason: "b: stopped by a person" },
      },
    });
  });

  test("the word alone asks a question of its own", () => {
    const then = stepOf("on: { rejected: { again, at_most: 1, then: gate } }").on.rejected?.limit?.then;
    expect(then).toMatchObject({ to: "gate", question: "b: still rejected after 1 retry. What now?" });
  });

  test("[WF16] after a crash nobody is offered to accept it", () => {
    const { onError } = stepOf("on_error: { again, at_most: 1, then: gate }");
    expect(onError.limit?.then).toMatchObject({
      to: "gate",
      options: { again: { to: "again" }, stop: { to: "fail" } },
    });
    expect(Object.keys(optionsOf(onError.limit?.then))).toEqual(["again", "stop"]);
  });

  test("[WF17] options of one's own are taken as they are", () => {
    const rule = stepOf('on: { rejected: { gate: "Ship it?", options: { yes: next, no: { back_to: a } } } }').on
      .rejected;
    expect(rule?.route).toEqual({
      to: "gate",
      question: "Ship it?",
      options: { yes: { to: "next" }, no: { to: "back_to", step: "a" } },
    });
  });

  test("[WF16] a gate step without options: approve and reject", () => {
    const { definition } = loadWorkflow(`${head}  - { id: g, gate: "Ship it?" }\n`, "w.yml");
    expect(definition?.steps[1]).toEqual({
      kind: "gate",
      name: "g",
      title: "g",
      question: "Ship it?",
      options: { approve: { to: "next" }, reject: { to: "fail", reason: "g: rejected by a person" } },
    });
  });

  test("one limit for several routes back: a person may have each of them once more", () => {
    const { budget } = stepOf(
      "decide: d, on: { ok: next, small: again, big: { back_to: a } }, budget: { at_most: 3, then: gate }",
    );
    expect(Object.keys(optionsOf(budget?.then))).toEqual(["small", "big", "accept", "stop"]);
  });

  test("[WF13] a decision that cannot be read becomes a question with the values of `on`", () => {
    const { onError } = stepOf("decide: d, on: { ok: next, bad: { back_to: a, at_most: 1 } }");
    expect(onError).toMatchObject({ route: { to: "again" }, limit: { atMost: 2, then: { to: "gate" } } });
    const then = onError.limit?.then as { question: string; options: Record<string, { to: string }> };
    expect(then.question).toContain("cannot be read");
    expect(Object.entries(then.options).map(([name, { to }]) => `${name} ${to}`)).toEqual([
      "ok next",
      "bad back_to",
      "again again",
      "stop fail",
    ]);
  });
});

describe("inside the body of stories", () => {
  const body = (steps: string, more = "") =>
    loadWorkflow(`${head}  - { id: s, stories: {}, body: [${steps}]${more} }\n`, "w.yml").definition
      ?.steps[1] as StoriesStep;

  test("[WF11] the story's budget covers what has no limit of its own", () => {
    const step = body("{ id: s, agent: dev }, { id: v, agent: dev, on: { rejected: { back_to: s } } }");
    const [work, verify] = step.body as PerformedDefinition[];
    expect(step.storyBudget).toMatchObject({ atMost: 1, then: { to: "fail" } });
    expect(work?.on.rejected).toEqual({ route: { to: "again" }, limit: null });
    expect(work?.onError).toEqual({ route: { to: "again" }, limit: null });
    expect(verify?.on.rejected).toEqual({ route: { to: "back_to", step: "s" }, limit: null });
  });

  test("a budget that ends in a question", () => {
    const step = body("{ id: s, agent: dev }", ", story_budget: { at_most: 3, then: gate }, on_story_failed: continue");
    expect(step).toMatchObject({ onStoryFailed: "continue", storyBudget: { atMost: 3, then: { to: "gate" } } });
  });
});

describe("[WF18 WF19] what is refused", () => {
  test.each([
    ["on: { rejected: { back_to: a, go_to: z, at_most: 1 } }", "back_to and to go_to"],
    ["on: { rejected: { at_most: 1 } }", "leads nowhere"],
    ["on: { passed: { next, at_most: 2 } }", "`at_most` has no effect"],
    ["on: { rejected: { again, then: fail } }", "`then` without `at_most`"],
    ["on: { rejected: { again, at_most: 1, then: { again, at_most: 2 } } }", "cannot have a limit of its own"],
    ["on: { rejected: { flaky: again } }", "for any other reason has no route"],
    ["on: { rejected: { back_to: a, at_most: 1, tehn: fail } }", "unknown key `tehn` in a route"],
    ["decide: d, on: { rejected: { default: again } }", "unknown key `default` in a route"],
    ["on: { approved: next }", "no `decide`"],
    ["on: { passed: { go_to: z, options: { a: next } } }", "`options` has no effect"],
    ["on: { rejected: { gate: Why, options: {} } }", "cannot be answered"],
    ["on: { rejected: { gate: Why, options: { 1: next } } }", "cannot be the name of an option"],
    ["on_error: { back_to: a, at_most: 2 }", "a crash decides nothing"],
    ["on_error: next", "a crash decides nothing"],
    ["on_unreadable: next", "on_unreadable cannot lead to `next`"],
    ["decide: d, on: { OK: next, ok: fail }", "has two routes"],
  ])("%s", (written, message) => {
    const errors = errorsOf(written);
    expect(errors.map((problem) => problem.message)).toContainEqual(expect.stringContaining(message));
    const first = errors.find((problem) => problem.message.includes(message));
    expect(first).toMatchObject({ line: 6 });
    expect(first?.hint).not.toBe("");
  });

  test("a mistake inside a route by reason is found there", () => {
    const [first] = errorsOf("on: { rejected: { default: { again, at_most: 4, then: gate }, flaky: { bak_to: a } } }");
    expect(first).toMatchObject({ path: "steps[1].on.rejected.flaky.bak_to", hint: "did you mean `back_to`?" });
  });

  test("[WF17] an option without a route", () => {
    expect(errorsOf("on: { rejected: { gate: Why, options: { yes: } } }")[0]).toMatchObject({
      path: "steps[1].on.rejected.options.yes",
    });
  });
});
