// Votes over what stories said, in `if` and as decisions: how they are read, and what is refused with its place.

import { describe, expect, test } from "vitest";
import { loadWorkflow } from "../load.ts";
import { drawWorkflow } from "../picture.ts";

const load = (last: string, body = "produces: [verdict]") =>
  loadWorkflow(
    `pawl: 1
id: x
agents: { dev: {} }
steps:
  - { id: plan, agent: dev, input: Print STORIES_JSON }
  - { id: review, stories: {}, body: [{ id: look, agent: dev, ${body} }] }
  - ${last}
  - { id: end-of-it, agent: dev }
`,
    "w.yml",
  );
const told = (...given: Parameters<typeof load>) =>
  load(...given).problems.map(({ severity, line, path, message, hint }) => ({ severity, line, path, message, hint }));

describe("[WF113] a vote in if", () => {
  const asks = (condition: string) => `{ id: fix, agent: dev, if: { ${condition} } }`;

  test("is all, any or majority with a word, or count with a number", () => {
    const { definition, problems } = load(asks("count: { of: review.*.Verdict, is: [Rejected, unsure], at_least: 2 }"));
    expect(problems).toEqual([]);
    const of = { step: "review", key: "verdict" };
    expect(definition?.steps[2]?.if).toEqual({ vote: "count", of, atLeast: 2, values: ["rejected", "unsure"] });
    expect(definition?.collects).toEqual({ review: ["verdict"] });
    expect(definition && drawWorkflow(definition)).toContain(
      "only if at least 2 of review.*.verdict say rejected or unsure",
    );
    for (const name of ["all", "any", "majority"])
      expect(load(asks(`${name}: { of: review.*.verdict, is: rejected }`)).definition?.steps[2]?.if).toEqual({
        vote: name,
        of,
        values: ["rejected"],
      });
  });

  test("a key may have the name of a function", () => {
    expect(load(asks("any: x"), "produces: [verdict]").problems).toMatchObject([
      { message: "Step 'fix' if.any: nothing sets this key" },
    ]);
  });

  test.each([
    ["most: { of: review.*.verdict, is: x }", "`if` has no function `most`", "steps[2].if.most"],
    ["any: { of: verdict, is: x }", '"verdict" does not name what stories said', "steps[2].if.any.of"],
    ["any: { of: review.US-1.verdict, is: x }", "does not name what stories said", "steps[2].if.any.of"],
    ["count: { of: review.*.verdict, is: x }", "`count` needs a number", "steps[2].if.count"],
    ["any: { of: review.*.verdict, is: x, at_least: 2 }", "`at_least` has no effect on `any`", "if.any.at_least"],
    ['any: { of: review.*.verdict, is: "" }', "with an empty text", "steps[2].if.any.is"],
    ["any: { of: look.*.verdict, is: x }", "'look' is a step of the body of 'review'", "steps[2].if.any.of"],
    ["any: { of: plan.*.verdict, is: x }", "'plan' has no stories", "steps[2].if.any.of"],
    ["any: { of: review.*.risk, is: x }", "no step of 'review' sets `risk`", "steps[2].if.any.of"],
    ["any: { of: review.*.verdict }", "is missing", "steps[2].if.any.is"],
  ])("is refused: %s", (condition, message, path) => {
    expect(told(asks(condition))).toMatchObject([
      { severity: "error", line: 7, path: expect.stringContaining(path), message: expect.stringContaining(message) },
    ]);
  });

  test("a key that an agent may print without declaring it is refused here: nobody knows that it decides", () => {
    expect(told(asks("any: { of: review.*.risk, is: high }"), "timeout: 5m")).toMatchObject([
      { severity: "error", hint: "let a step of the body declare it: `produces: [risk]`" },
    ]);
  });

  test("a word that the stories never say is a warning", () => {
    const decides = "decide: verdict, on: { approved: next, rejected: fail }";
    expect(told(asks("any: { of: review.*.verdict, is: rejectd }"), decides)).toMatchObject([
      {
        severity: "warning",
        message: "Step 'fix': `review.*.verdict`: 'look' never says \"rejectd\"",
        hint: "did you mean `rejected`?",
      },
    ]);
  });
});

describe("[WF114] a vote as a decision", () => {
  const votes = (fields: string) => `{ id: tally, ${fields} }`;
  const on = "on: { approved: next, rejected: { back_to: plan, at_most: 2, then: gate } }";

  test("needs no file, asks a person for what is unknown, and shows itself", () => {
    const { definition, problems } = load(votes(`decision: majority, of: review.*.verdict, ${on}`));
    expect(problems).toEqual([]);
    expect(definition?.steps[2]).toMatchObject({
      kind: "decision",
      reader: "majority",
      source: { vote: "majority", of: { step: "review", key: "verdict" } },
      decide: "tally",
      on: { "=unknown": { route: { to: "gate", options: { approved: { to: "next" }, stop: { to: "fail" } } } } },
    });
    expect(definition && drawWorkflow(definition)).toContain("decides by the majority of review.*.verdict");
    const counted = load(votes(`decision: count, of: review.*.verdict, at_least: 2, ${on}`)).definition?.steps[2];
    expect(counted).toMatchObject({ source: { vote: "count", atLeast: 2 } });
  });

  test.each([
    [`decision: majority, ${on}`, "`decision: majority` needs what stories said", "steps[2].decision"],
    [`decision: count, of: review.*.verdict, ${on}`, "`count` needs a number", "steps[2]"],
    [`decision: any, of: verdict, ${on}`, "does not name what stories said", "steps[2].of"],
    [`decision: all, of: review.*.risk, ${on}`, "no step of 'review' sets `risk`", "steps[2].of"],
    [
      'decision: all, of: review.*.verdict, on: { unknown: { gate: "?", options: { go: next } } }',
      "no answer of the stories has a route",
      "steps[2].decision",
    ],
    [
      `decision: all, of: review.*.verdict, on: { approved: next, unknown: next }`,
      "leads on without a person",
      "on.unknown",
    ],
    [
      `decision: all, of: review.*.verdict, on: { approved: next, default: next }`,
      "`default` would hide",
      "on.default",
    ],
    [
      `decision: { reader: json, file: r.json, values: { approved: [x], rejected: [y] } }, of: a.*.b, ${on}`,
      "`of` has no effect on a reader of files",
      "steps[2].of",
    ],
  ])("is refused: %s", (fields, message, path) => {
    expect(told(votes(fields))).toMatchObject([
      { severity: "error", path: expect.stringContaining(path), message: expect.stringContaining(message) },
    ]);
  });

  test("stands behind its stories, and not in their body", () => {
    const inside = load(
      "{ id: last, agent: dev }",
      `produces: [verdict] }, { id: t, decision: all, of: review.*.verdict, ${on.replace("plan", "look")}`,
    );
    expect(inside.problems).toMatchObject([
      { message: "Step 't': `review.*.verdict`: it stands in that step, where no story has said it yet" },
    ]);
  });
});
