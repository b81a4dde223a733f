import { existsSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import type { PerformedDefinition, StoriesStep } from "../domain/definition.ts";
import { placeholdersIn } from "../domain/template.ts";
import { performedSteps } from "./check/templates.ts";
import { loadWorkflow } from "./load.ts";

const folder = new URL("../../workflows/feature-dev/", import.meta.url);
const text = readFileSync(new URL("workflow.yml", folder), "utf8");

describe("the bundled feature-dev", () => {
  const { definition, problems, notes } = loadWorkflow(text, "workflows/feature-dev/workflow.yml");
  const steps = definition?.steps ?? [];
  const performed = performedSteps(steps);
  const stepOf = (name: string) => performed.find((step) => step.name === name) as PerformedDefinition;

  test("[WF39 A88] loads without a problem", () => {
    expect({ problems, notes }).toEqual({ problems: [], notes: [] });
    expect(text).toContain("version: 4");
  });

  test("[A2] plan, implement and verify per story, test, pr, review, in that order", () => {
    expect(steps.map((step) => step.name)).toEqual(["plan", "implement", "test", "pr", "review"]);
    const loop = steps[1] as StoriesStep;
    expect(loop.body.map((step) => step.name)).toEqual(["implement", "verify"]);
    expect(performed.map((step) => (step.kind === "agent" ? step.agent : ""))).toEqual([
      "planner",
      "developer",
      "verifier",
      "tester",
      "developer",
      "reviewer",
    ]);
  });

  test("[A10] no agent has a model of its own", () => {
    expect(Object.values(definition?.agents ?? {}).map((agent) => agent.model)).toEqual([null, null, null, null, null]);
  });

  test("every role file that it names is there", () => {
    const files = Object.values(definition?.agents ?? {}).flatMap((agent) => Object.values(agent.files));
    expect(files).toHaveLength(15);
    expect(files.filter((file) => !existsSync(new URL(file, folder)))).toEqual([]);
  });

  test("[A13] the planner is told the maximum of 20 stories", () => {
    expect(stepOf("plan").input).toContain("at most 20");
  });

  test("[A6] [A44] a rejected story goes back once; the second rejection is final", () => {
    expect(stepOf("verify").on.rejected).toEqual({ route: { to: "back_to", step: "implement" }, limit: null });
    expect((steps[1] as StoriesStep).storyBudget).toMatchObject({ atMost: 1, then: { to: "fail" } });
  });

  test("[A47] a verifier that crashes has retries of its own", () => {
    expect(stepOf("verify").onError).toMatchObject({
      route: { to: "again" },
      limit: { atMost: 2, then: { to: "fail" } },
    });
  });

  test("[A9] the review decides, and its issues go back to the developer at most three times", () => {
    const { on, decide, budget } = stepOf("review");
    expect(decide).toBe("decision");
    expect(Object.keys(on)).toEqual(["=approved", "=needs_fixes", "=changes_requested"]);
    expect(on["=needs_fixes"]).toMatchObject({
      route: { to: "back_to", step: "implement" },
      limit: { atMost: 3, then: { to: "gate" } },
    });
    expect(budget?.atMost).toBe(3);
  });

  test("[A7] failing tests of the whole go back at most twice, then a person is asked", () => {
    expect(stepOf("test").on.rejected).toMatchObject({
      route: { to: "back_to", step: "implement" },
      limit: { atMost: 2, then: { to: "gate" } },
    });
  });

  test("[A87] the progress log is in the inputs of implement, verify and test; pr does not depend on TESTS", () => {
    for (const name of ["implement", "verify", "test"]) expect(stepOf(name).input).toContain("{{progress}}");
    expect(placeholdersIn(stepOf("pr").input).map(({ key }) => key)).not.toContain("tests");
    expect(stepOf("implement").input).toContain("{{progress_file}}");
    expect(stepOf("implement").input).toContain("feat: {{current_story_id}} - {{current_story_title}}");
  });

  test("[A88] every input ends with the reply that is expected", () => {
    for (const { input, expects } of performed) {
      expect(expects).toBe("STATUS: done");
      expect(input.slice(-700)).toContain("STATUS: ");
      expect(input.lastIndexOf("Reply with")).toBeGreaterThan(input.length - 1_200);
    }
  });
});

describe("any file", () => {
  test("[WF1] gives a definition or errors, never both, and never throws", () => {
    const word = fc.constantFrom(
      "next",
      "again",
      "fail",
      "gate",
      "a",
      "b",
      "stories",
      "loop",
      "human",
      "45m",
      "worktree",
      "",
    );
    const keys = [
      "id",
      "agent",
      "input",
      "steps",
      "agents",
      "on",
      "on_error",
      "rejected",
      "passed",
      "back_to",
      "at_most",
      "then",
      "gate",
      "options",
      "body",
      "stories",
      "decide",
      "budget",
      "type",
      "loop",
      "over",
      "verify_each",
      "verify_step",
      "on_fail",
      "decision_key",
      "on_decision",
      "retry_step",
      "context",
      "pawl",
      "__proto__",
      "constructor",
      "files",
      "again",
      "timeout",
      "expects",
      "deadline",
      "after",
      "usd",
      "wall",
      "hard",
      "caps",
      "default",
      "produces",
      "integrate",
      "message",
      "insert",
      "before",
      "spare",
      "last",
      "follows",
      "summary",
      "workspace",
      "concurrency",
      "branch_prefix",
      "protocol",
      "env",
      "checks",
    ];
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: "medium" },
        word,
        fc.integer({ min: -1, max: 3 }),
        fc.constant(null),
        fc.boolean(),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...keys), tie("value"), { maxKeys: 6 }),
      ),
    }));
    const step = fc
      .record({ id: word, agent: word, input: word, more: value })
      .map(({ more, ...step }) => (typeof more === "object" && !Array.isArray(more) ? { ...step, ...more } : step));
    const file = fc
      .record({
        pawl: fc.constantFrom(1, 1, 1, undefined),
        id: fc.constant("x"),
        agents: fc.constant([{ id: "a" }]),
        steps: fc.array(step, { minLength: 1, maxLength: 3 }),
        more: value,
      })
      .map(({ more, pawl, ...rest }) => ({
        ...(pawl ? { pawl } : {}),
        ...rest,
        ...(typeof more === "object" && !Array.isArray(more) ? more : {}),
      }));
    let loaded = 0;
    fc.assert(
      fc.property(fc.oneof(file, file, value, fc.jsonValue()), (data) => {
        const { definition, problems } = loadWorkflow(stringify(data, { aliasDuplicateObjects: false }), "w.yml");
        if (definition) loaded++;
        expect(definition === null).toBe(problems.some((problem) => problem.severity === "error"));
        for (const problem of problems) {
          expect(problem.line).toBeGreaterThan(0);
          expect(problem.hint).not.toBe("");
        }
      }),
      { numRuns: 3_000, seed: 7 },
    );
    expect(loaded).toBeGreaterThan(20);
  });

  test("[WF2] problems come in the order of the file", () => {
    const lines = loadWorkflow(
      "pawl: 1\nid: x\nfoo: 1\nsteps:\n  - { id: a, agent: q, bar: 1 }\nbaz: 2\n",
      "w.yml",
    ).problems.map(({ line }) => line);
    expect(lines).toEqual([3, 5, 6]);
  });
});
