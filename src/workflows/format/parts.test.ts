import { describe, expect, test } from "vitest";
import { known } from "../../../test/support/protocols.ts";
import { isPerformed } from "../../domain/definition.ts";
import { loadWorkflow } from "../load.ts";
import { drawWorkflow } from "../picture.ts";

const file = (step: string, more = "") => `pawl: 1
id: w
agents: { dev: {}, judge: { access: read }, other: { access: read } }
steps:
  - { id: build, agent: dev, input: "Print STORIES_JSON", produces: [names] }
${step}
${more}`;

function load(step: string, more?: string) {
  const { definition, problems } = loadWorkflow(file(step, more), "w.yml", known, { plans: true });
  const parts = definition?.steps.flatMap((each) => (isPerformed(each) && each.parts ? [each] : []))[0];
  return { parts: parts?.parts, step: parts, problems };
}
const review = (fields: string) => `  - { id: review, agent: judge, input: "{{part}}", ${fields} }`;
const refused = (step: string, more?: string) =>
  load(step, more).problems.map(({ severity, line, message, hint }) => ({ severity, line, message, hint }));

describe("parts in a file", () => {
  test("[WF116 WF118] are a list of names, or maps with fields of their own", () => {
    expect(load(review("parts: [a, b], need: 1, others: stop"))).toMatchObject({
      problems: [],
      parts: { of: { list: [{ name: "a" }, { name: "b" }] }, need: 1, others: "stop" },
      step: { on: { rejected: { route: { to: "fail" } } } },
    });
    const maps = 'parts: [a, { name: b, agent: other, input: "y", timeout: 5m, budget: { usd: 1 } }], need: first';
    expect(load(review(maps)).parts).toEqual({
      of: {
        list: [
          { name: "a" },
          {
            name: "b",
            agent: "other",
            input: "y",
            wallMs: 300_000,
            spend: { costUsd: 1, tokens: null, wallMs: null, hard: false },
          },
        ],
      },
      need: 1,
      others: "stop",
    });
  });

  test("[WF116] are the agents, or the names in a key", () => {
    expect(load('  - { id: review, input: "x", parts: { agents: [judge, other] } }')).toMatchObject({
      problems: [],
      step: { agent: "judge" },
      parts: {
        of: {
          list: [
            { name: "judge", agent: "judge" },
            { name: "other", agent: "other" },
          ],
        },
      },
    });
    expect(load(review("parts: { each: NAMES }"))).toMatchObject({ problems: [], parts: { of: { each: "names" } } });
    expect(load('  - { id: review, command: "true", access: read, parts: [a, join] }').problems).toEqual([]);
    expect(load("  - { id: make, agent: dev, input: x, parts: [a, b] }").problems).toEqual([]);
    expect(load("  - { id: make, command: make, parts: [a, b] }").problems).toEqual([]);
  });

  const many = Array.from({ length: 10_000 }, (_, index) => `p${index}`).join(", ");
  test.each([
    ["parts: []", "Step 'review': the list is empty"],
    [`parts: [${many}]`, "Step 'review': the list has 10000 names, and a step has at most 100 parts"],
    ["parts: [a, B, b]", "Step 'review': two parts have the name \"b\""],
    ["parts: [../x]", "Step 'review': \"../x\" cannot be the name of a part"],
    ["parts: [a, b], need: 3", "Step 'review': it needs 3 parts that pass, and has 2"],
    ["parts: [a], need: first, others: stop", "Step 'review': `need: first` stops the others"],
    ["parts: [{ name: a, agent: nobody }]", "Step 'review' (a): there is no agent 'nobody'"],
    [
      "parts: [a, { name: join, agent: dev }]",
      "Step 'review': \"join\" is the part that joins what the others changed",
    ],
    ["parts: [a], decide: verdict, on: { yes: next }", "Step 'review': `decide` has no effect beside `parts`"],
    ["parts: [a], summary: true", "Step 'review': `summary` has no effect beside `parts`"],
    ["need: 2", "Step 'review': `need` has no effect without `parts`"],
    ["parts: [a], on_error: { gate: q, options: { back: { back_to: build } } }", "a part cannot lead to `back_to`"],
  ])("[WF117 WF119 WF120] refuses %# with its place and what to write", (fields, message) => {
    const [first] = refused(review(fields));
    expect(first).toMatchObject({ severity: "error", line: 6, message: expect.stringContaining(message) });
    expect(first?.hint).not.toBe("");
  });

  test("[WF120] beside a protocol whose files have no place for them they are refused", () => {
    const { problems } = loadWorkflow(
      file(review("parts: [a]")).replace("id: w", "id: w\nprotocol: ralph"),
      "w.yml",
      known,
      { plans: true },
    );
    expect(problems.map(({ message }) => message).join()).toContain("have no place for parts");
  });

  test("[WF121 WF112] names of what parts said are checked: the part, the key and the place", () => {
    const says = review("parts: [a, b], produces: [verdict]");
    expect(
      load(says, '  - { id: sum, agent: dev, input: "{{review.a.verdict}} {{review.*.verdict}}" }').problems,
    ).toEqual([]);
    expect(
      load(says, "  - { id: sum, agent: dev, input: x, if: { any: { of: review.*.verdict, is: no } } }").problems,
    ).toEqual([]);
    const messages = (more: string) => refused(says, more).map(({ message }) => message);
    expect(messages('  - { id: sum, agent: dev, input: "{{review.c.verdict}}" }')).toEqual([
      "Step 'sum': `review.c.verdict`: 'review' has no part 'c'",
    ]);
    expect(messages('  - { id: sum, agent: dev, input: "{{review.a.risk}}" }')).toEqual([
      "Step 'sum': `review.a.risk`: 'review' does not set `risk`",
    ]);
    expect(messages('  - { id: sum, agent: dev, input: "{{verdict}}" }')).toEqual([
      "Step 'sum': `{{verdict}}` is never set",
    ]);
  });

  test("[WF38] the picture says what runs at the same time, and how many must pass", () => {
    const written = file(review("parts: [a, { name: b, agent: other }], need: first"));
    const { definition } = loadWorkflow(written, "w.yml", known, { plans: true });
    const drawn = definition ? drawWorkflow(definition) : "";
    expect(drawn).toContain("parts at the same time: a, b (other)");
    expect(drawn).toContain("1 must pass; then the others are stopped");
  });

  test("[WF121] a step of a body reads the parts of its own chain", () => {
    const body = `  - id: each
    stories: {}
    body:
      - { id: look, agent: judge, input: x, parts: [a, b], produces: [verdict] }
      - { id: fix, agent: dev, input: "{{look.*.verdict}}" }`;
    expect(load(body).problems).toEqual([]);
    expect(load(body.replace("id: fix", "id: fix, if: { any: { of: look.*.verdict, is: no } }")).problems).toEqual([]);
  });
});
