// `end` as a route: where it may stand, and what is refused because it cannot be right.

import { describe, expect, test } from "vitest";
import { loadWorkflow } from "../load.ts";
import { drawWorkflow } from "../picture.ts";

const own = (steps: string) => loadWorkflow(`pawl: 1\nid: x\nagents: { dev: {} }\nsteps:\n${steps}`, "w.yml");
const told = (steps: string) => own(steps).problems.map(({ severity, path, message }) => [severity, path, message]);
const last = "  - { id: z, agent: dev }\n";

describe("[WF108] end", () => {
  test("stands wherever a route stands: on, then, options, by a reason, after a deadline", () => {
    const { definition, problems } = own(`  - id: a
    agent: dev
    decide: kind
    on:
      nothing: end
      small: { end }
      large: next
      odd: { gate: "What is it?", options: { work: next, drop: { default: end, later: fail } }, deadline: { after: 1h, then: drop } }
${last}`);
    expect(problems).toEqual([]);
    expect(definition?.steps[0]).toMatchObject({
      on: {
        "=nothing": { route: { to: "end" }, limit: null },
        "=small": { route: { to: "end" } },
        "=odd": { route: { options: { drop: { to: "end" }, "drop:later": { to: "fail" } } } },
      },
    });
    expect(definition && drawWorkflow(definition)).toContain("kind nothing → end");
  });

  test("at the end of a limit it is a warning, as going on there is", () => {
    expect(told(`  - { id: a, agent: dev, on: { rejected: { again, at_most: 2, then: end } } }\n${last}`)).toEqual([
      [
        "warning",
        "steps[0].on.rejected.then",
        "Step 'a' on.rejected.then: a used-up limit ends as if the work were done",
      ],
    ]);
  });

  test("is a way out of a gate, and a step that only it could pass is reached by nothing", () => {
    expect(told(`  - { id: g, gate: "Go?", options: { no: end, again: again } }\n`)).toEqual([]);
    expect(told(`  - { id: a, agent: dev, on: { passed: end, rejected: fail } }\n${last}`)).toEqual([
      ["error", "steps[1]", "Step 'z' is reached by no route"],
    ]);
  });

  test.each([
    ["on_error: end", "on_error cannot lead to `end`: a crash decides nothing"],
    ["on_unreadable: end", "on_unreadable cannot lead to `end`: a crash decides nothing"],
    ["on: { passed: next, rejected: { end, at_most: 2 } }", "`at_most` has no effect on `end`, which repeats nothing"],
    ["on: { passed: next, rejected: { end, next } }", "the route leads to next and to end"],
  ])("is refused: %s", (field, message) => {
    expect(told(`  - { id: a, agent: dev, ${field} }\n${last}`)).toEqual([
      ["error", expect.stringContaining("steps[0]"), expect.stringContaining(message)],
    ]);
  });

  test("what is unknown does not end a run without a person", () => {
    const reads = "{ reader: json, file: r.json, values: { ok: [yes] } }";
    const decision = (unknown: string) =>
      `  - { id: d, decision: ${reads}, on: { ok: next, unknown: ${unknown} } }\n${last}`;
    expect(told(decision("end"))).toEqual([
      ["error", "steps[0].on.unknown", "Step 'd' on.unknown: what is unknown leads on without a person"],
    ]);
    const late = '{ gate: "?", options: { done: end }, deadline: { after: 1h, then: done } }';
    expect(told(decision(late))).toMatchObject([["error", "steps[0].on.unknown.options.done", expect.anything()]]);
    expect(told(decision('{ gate: "?", options: { done: end } }'))).toEqual([]);
  });
});

describe("[WF108 WF52] end in a story with a tree", () => {
  const parallel = (code: string, integration = "", budget = "") => `  - id: s
    stories: { workspace: worktree }
${budget}    body:
      - { id: code, agent: dev${code} }
      - { id: check, agent: dev }
      - { id: i, integrate: true${integration} }
`;

  test("leads to the integration, which then is reached", () => {
    expect(told(parallel(", on: { passed: next, rejected: end }"))).toEqual([]);
    const only = `  - id: s
    stories: { workspace: worktree }
    body:
      - { id: code, agent: dev, on: { passed: end, rejected: fail } }
      - { id: i, integrate: true }
`;
    expect(told(only)).toEqual([]);
  });

  test.each([
    [", on: { passed: end }", "on.passed: an integrated story is done"],
    [", on: { rejected: end }", "on.rejected: a story that is not integrated cannot continue"],
    [', on_error: { gate: "?", options: { drop: end, no: fail } }', "options.drop: a story that is not integrated"],
  ])("but not from the integration itself: %s", (fields, message) => {
    expect(told(parallel("", fields))).toEqual([["error", expect.anything(), expect.stringContaining(message)]]);
  });

  test("nor at the end of a story's budget, where the integration may be what is held", () => {
    const gate = '    story_budget: { at_most: 1, then: { gate: "?", options: { drop: end, no: fail } } }\n';
    expect(told(parallel("", "", gate))).toEqual([
      ["error", expect.anything(), expect.stringContaining("options.drop: a story that is not integrated")],
    ]);
    const plain =
      "  - { id: s, stories: {}, body: [{ id: c, agent: dev }], story_budget: { at_most: 1, then: end } }\n";
    expect(told(plain)).toMatchObject([["error", "steps[0].story_budget.then", expect.stringContaining("`end`")]]);
  });
});
