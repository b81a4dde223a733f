// `if` on a step: how it is read, and what is refused with its place and what to write.

import { describe, expect, test } from "vitest";
import { known } from "../../../test/support/protocols.ts";
import { loadWorkflow } from "../load.ts";
import { drawWorkflow } from "../picture.ts";

const load = (steps: string, more = "") =>
  loadWorkflow(`pawl: 1\nid: x\nagents: { dev: {} }\n${more}steps:\n${steps}`, "w.yml", known);
const told = (steps: string, more = "") =>
  load(steps, more).problems.map(({ severity, line, path, message, hint }) => ({
    severity,
    line,
    path,
    message,
    hint,
  }));

const triage = "  - { id: triage, agent: dev, produces: [kind, size] }\n";
const work = "  - { id: work, agent: dev }\n";

describe("[WF109] if", () => {
  test("is one key with a value or several, folded, on every kind of step but an integration", () => {
    const { definition, problems } = load(
      `${triage}  - { id: a, agent: dev, if: { Kind: " Bug" } }
  - { id: b, command: "true", if: { size: [1, true, Large, large] } }
  - { id: c, gate: "Go?", if: { kind: bug } }
  - { id: d, decision: { reader: json, file: r.json, values: { ok: [yes] } }, on: { ok: next }, if: { kind: bug } }
  - { id: e, stories: {}, body: [{ id: f, agent: dev, if: { mode: deep } }], if: { mode: deep } }
${work}`,
      "context: { mode: quick }\n",
    );
    expect(problems).toEqual([]);
    expect(definition?.steps.map((step) => step.if)).toEqual([
      undefined,
      { key: "kind", values: ["bug"] },
      { key: "size", values: ["1", "true", "large"] },
      { key: "kind", values: ["bug"] },
      { key: "kind", values: ["bug"] },
      { key: "mode", values: ["deep"] },
      undefined,
    ]);
    const picture = definition ? drawWorkflow(definition) : "";
    expect(picture).toContain("only if size is 1 or true or large");
    expect(picture.match(/only if mode is deep/g)).toHaveLength(2);
  });

  test.each([
    ["if: {}", "`if` asks for nothing"],
    ["if: { kind: bug, size: large }", "`if` asks for 2 keys"],
    ['if: { kind: "" }', "`if` compares `kind` with an empty text"],
    ["if: { kind: [] }", "is empty"],
    ["if: kind == bug", "cannot be"],
  ])("is refused: %s", (field, message) => {
    const problems = told(`${triage}  - { id: a, agent: dev, ${field} }\n${work}`);
    expect(problems).toMatchObject([{ severity: "error", line: 6, message: expect.stringContaining(message) }]);
  });

  test("has no place on an integration: a story that is done is on its base", () => {
    const body = "[{ id: c, agent: dev, produces: [kind] }, { id: i, integrate: true, if: { kind: bug } }]";
    expect(told(`  - { id: s, stories: { workspace: worktree }, body: ${body} }\n`)).toMatchObject([
      { severity: "error", message: "Step 'i': `if` has no effect on an integrate step" },
    ]);
  });

  test("words of other systems lead to it", () => {
    expect(told(`  - { id: a, agent: dev, when: x }\n`)).toMatchObject([{ hint: "write `if: { KEY: VALUE }`" }]);
  });
});

describe("[WF110] the key of an if", () => {
  const asks = (key: string) => `  - { id: a, agent: dev, if: { ${key}: x } }\n`;

  test("that nothing sets is refused with its place and what to write", () => {
    expect(told(`${triage}${asks("knd")}${work}`)).toEqual([
      {
        severity: "error",
        line: 6,
        path: "steps[1].if.knd",
        message: "Step 'a' if.knd: nothing sets this key",
        hint: "did you mean `kind`?",
      },
    ]);
    expect(told(`${triage}${asks("weather")}${work}`)).toMatchObject([
      {
        hint: "let a step before it declare the key: `produces: [weather]`, or give it a value: `context: { weather: … }`",
      },
    ]);
  });

  test("may come from produces, decide, a decision, an input that shows it, context, the branch and the project", () => {
    const from = (step: string, key: string, more = "") => told(`  - ${step}\n${asks(key)}${work}`, more);
    expect(from("{ id: t, agent: dev, decide: verdict, on: { x: next } }", "verdict")).toEqual([]);
    const reads = "{ reader: json, file: r.json, values: { x: [yes] } }";
    expect(from(`{ id: look-up, decision: ${reads}, on: { x: next } }`, "look_up")).toEqual([]);
    expect(from('{ id: t, agent: dev, input: "Reply with\\nRISK: low or x" }', "risk")).toEqual([]);
    expect(from('{ id: t, command: "true", produces: [risk] }', "risk")).toEqual([]);
    expect(from("{ id: t, agent: dev }", "mode", "context: { mode: x }\n")).toEqual([]);
    expect(from("{ id: t, agent: dev }", "branch")).toEqual([]);
    expect(from("{ id: t, agent: dev }", "test_command")).toEqual([]);
  });

  test.each(["task", "has_frontend_changes", "feedback", "current_story_id"])(
    "that Pawl fills in only when a step starts is refused: %s",
    (key) => {
      expect(told(`${triage}${asks(key)}${work}`)).toMatchObject([
        {
          severity: "error",
          message: `Step 'a' if.${key}: Pawl fills it in when a step starts, so it is not known before`,
        },
      ]);
    },
  );

  test("that only a later step sets is refused, unless that step goes back before the one that asks", () => {
    const later = (on: string) =>
      `  - { id: a, agent: dev }\n  - { id: debug, agent: dev, if: { verdict: fix } }\n  - { id: r, agent: dev, decide: verdict, on: { ok: next, fix: ${on} } }\n${work}`;
    expect(told(later("fail"))).toMatchObject([
      {
        severity: "error",
        line: 6,
        message: "Step 'debug' if.verdict: 'r' sets it later, and does not lead back to before this step",
      },
    ]);
    expect(told(later("{ back_to: debug, at_most: 2 }"))).toEqual([]);
    expect(told(later("{ back_to: a, at_most: 2 }"))).toEqual([]);
    const own = `  - { id: a, agent: dev, produces: [kind], if: { kind: bug } }\n${work}`;
    expect(told(own)).toMatchObject([{ message: expect.stringContaining("only the step itself sets it") }]);
  });

  test("of a story is not one of the run; a story reads its own and the run's", () => {
    const stories = (own: string) =>
      `${triage}  - id: s\n    stories: {}\n    body:\n      - { id: code, agent: dev, produces: [risk] }\n      - { id: check, agent: dev, ${own} }\n`;
    expect(told(`${stories("if: { risk: high }")}${work}`)).toEqual([]);
    expect(told(`${stories("if: { kind: bug }")}${work}`)).toEqual([]);
    expect(told(`${stories("title: c")}${asks("risk")}${work}`)).toMatchObject([
      { severity: "error", line: 11, message: "Step 'a' if.risk: only stories of 's' set it, each for itself" },
    ]);
  });

  test("that has a closed list of words warns of one that is never said", () => {
    const decider = (on: string) => `  - { id: r, agent: dev, decide: verdict, on: ${on} }\n`;
    const asked = "  - { id: a, agent: dev, if: { verdict: [ok, aproved] } }\n";
    expect(told(`${decider("{ ok: next, approved: next }")}${asked}${work}`)).toEqual([
      {
        severity: "warning",
        line: 6,
        path: "steps[1].if.verdict",
        message: "Step 'a' if.verdict: 'r' never says \"aproved\"",
        hint: "did you mean `approved`?",
      },
    ]);
    expect(told(`${decider("{ ok: next, default: next }")}${asked}${work}`)).toEqual([]);
  });
});

describe("[WF111] what leads over a step with if", () => {
  test("a step behind it is reached although it leads nowhere itself", () => {
    const chain = (field: string) =>
      `${triage}  - { id: stop, agent: dev, on: { passed: end, rejected: fail }${field} }\n${work}`;
    expect(told(chain(", if: { kind: bug }"))).toEqual([]);
    expect(told(chain(""))).toMatchObject([{ message: "Step 'work' is reached by no route" }]);
  });

  test("a gate that may be skipped ends no round: no person would be asked", () => {
    const chain = (
      field: string,
    ) => `${triage}  - { id: r, agent: dev, on: { rejected: { again, at_most: 2, then: { insert: [fix, ask] } } } }
  - { id: fix, agent: dev, spare: true }
  - { id: ask, gate: "Enough?", spare: true${field} }
`;
    expect(told(chain(""))).toEqual([]);
    expect(told(chain(", if: { kind: bug }"))).toMatchObject([
      { severity: "error", message: expect.stringContaining("what follows a limit repeats without a limit") },
    ]);
  });
});
