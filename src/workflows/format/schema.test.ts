import { describe, expect, test } from "vitest";
import { shapeAt } from "../document/shape.ts";
import { loadWorkflow } from "../load.ts";
import { workflowJsonSchema, workflowSchema } from "./schema.ts";

const head = "pawl: 1\nid: x\nagents: { dev: {} }\n";
const problemsOf = (text: string) => loadWorkflow(text, "w.yml").problems;

describe("our own format", () => {
  test("[WF10] the smallest file loads", () => {
    const { definition, problems } = loadWorkflow(`${head}steps: [{ id: a, agent: dev }]\n`, "w.yml");
    expect(problems).toEqual([]);
    expect(definition).toMatchObject({
      id: "x",
      dialect: "pawl",
      workspace: { branch: "own", onFailure: "keep" },
      pollEveryMs: 300_000,
    });
  });

  test("[WF3 B1] an unknown key is an error with its line and the nearest known key", () => {
    const problems = problemsOf(`${head}steps:\n  - id: a\n    agent: dev\n    expcts: "STATUS: done"\n`);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({
      severity: "error",
      line: 7,
      column: 5,
      path: "steps[0].expcts",
      hint: "did you mean `expects`?",
    });
    expect(problems[0]?.message).toBe("Step 'a': unknown key `expcts`");
  });

  test("[B1] keys of other engines are errors in our own format", () => {
    const problems = problemsOf(`${head}steps:\n  - { id: a, agent: dev, required_outputs: [x], type: loop }\n`);
    expect(problems.map((problem) => problem.path)).toEqual(["steps[0].required_outputs", "steps[0].type"]);
  });

  test("an unknown key inside a route is found there", () => {
    const problems = problemsOf(`${head}steps:\n  - id: a\n    agent: dev\n    on:\n      rejected: { bak_to: a }\n`);
    expect(problems[0]).toMatchObject({
      severity: "error",
      line: 8,
      path: "steps[0].on.rejected.bak_to",
      hint: "did you mean `back_to`?",
    });
  });

  test("[WF6] a misspelt word of a route is told with the words that exist", () => {
    const problems = problemsOf(`${head}steps:\n  - id: a\n    agent: dev\n    on: { passed: nxt }\n`);
    expect(problems[0]).toMatchObject({ severity: "error", line: 7, hint: "did you mean `next`?" });
    expect(problems[0]?.expected).toContain("next, again, end, fail, gate");
  });

  test.each([
    ["steps: 3", "steps", "cannot be the number 3"],
    ["steps: []", "steps", "is empty"],
    ["steps: [{ agent: dev }]", "steps[0].id", "is missing"],
    ["steps: [{ id: a, agent: [dev] }]", "steps[0].agent", "cannot be a list"],
    ["steps: [{ id: a, agent: dev, timeout: soon }]", "steps[0].timeout", 'cannot be the text "soon"'],
    [
      "steps: [{ id: a, agent: dev, on: { rejected: { again: true, at_most: -1 } } }]",
      "steps[0].on.rejected.at_most",
      "-1",
    ],
    ["steps: [{ id: a, agent: dev }]\nworkspace: { branch: mine }", "workspace.branch", "mine"],
    ["steps: [{ id: a, agent: dev }]\ncaps: { usd: .nan }", "caps.usd", "NaN"],
  ])("a wrong type has a line, an expectation and a hint: %s", (rest, path, message) => {
    const problem = problemsOf(`${head}${rest}\n`).find((each) => each.path === path);
    expect(problem).toMatchObject({ severity: "error" });
    expect(problem?.line).toBeGreaterThanOrEqual(4);
    expect(problem?.message).toContain(message);
    expect(problem?.expected).not.toBe("");
    expect(problem?.hint).not.toBe("");
  });

  test("a version of the format that does not exist is refused", () => {
    expect(problemsOf("pawl: 2\nid: x\nsteps: [{ id: a, command: 'true' }]\n")[0]).toMatchObject({
      path: "pawl",
      expected: "1",
    });
  });

  test("[WF5] camelCase is read as snake_case", () => {
    const { definition } = loadWorkflow(
      `${head}steps: [{ id: a, agent: dev, onError: { again: true, atMost: 5 } }]\ncron: { intervalMs: 1000 }\n`,
      "w.yml",
    );
    expect(definition?.steps[0]).toMatchObject({ onError: { limit: { atMost: 5 } } });
    expect(definition?.pollEveryMs).toBe(1000);
  });

  test("a field that is given in both spellings is refused", () => {
    const problems = problemsOf(`${head}steps: [{ id: a, agent: dev, on_error: fail, onError: fail }]\n`);
    expect(problems.map((problem) => problem.message)).toEqual(["`onError` is given twice, in two spellings"]);
  });
});

describe("caps of the run", () => {
  const capsOf = (caps: string) => loadWorkflow(`${head}steps: [{ id: a, agent: dev }]\n${caps}\n`, "w.yml");

  test("[WF41] tokens, what happens at a cap, and whether time stops what runs", () => {
    expect(capsOf("caps: { tokens: 5000, usd: 20, wall: 8h, then: gate, hard: true }").definition?.caps).toEqual({
      attempts: 10_000,
      steps: 10_000,
      wallMs: 8 * 3_600_000,
      costUsd: 20,
      tokens: 5_000,
      then: "gate",
      hard: true,
      lostPerStep: 25,
    });
  });

  test("[WF41] without them a cap fails the run, and nothing that runs is stopped", () => {
    expect(capsOf("budget: { attempts: 7 }").definition?.caps).toMatchObject({
      attempts: 7,
      tokens: 10_000_000_000,
      then: "fail",
      hard: false,
    });
  });

  test("[WF41] a cap leads to fail or gate and nowhere else", () => {
    expect(capsOf("caps: { then: next }").problems[0]).toMatchObject({ path: "caps.then", expected: "fail, gate" });
    expect(capsOf("caps: { tokens: 0 }").problems[0]).toMatchObject({ path: "caps.tokens", severity: "error" });
  });
});

describe("keys of other formats", () => {
  test.each([
    ["required_outputs: [x]", "`produces`"],
    ["pass_outputs: [x]", "`produces`"],
    ["decision_key: D", "`decide: KEY`"],
    ["on_fail: { retry_step: a }", "`on: { rejected: ROUTE }`"],
  ])("[WF3 WF42 B1 B84] %s is refused, with what is written instead", (field, hint) => {
    const [problem] = problemsOf(`${head}steps: [{ id: a, agent: dev, ${field} }]\n`);
    expect(problem).toMatchObject({ severity: "error", hint: expect.stringContaining(hint) });
    expect(problem?.message).toContain("unknown key");
  });
});

describe("the published schema", () => {
  const json = workflowJsonSchema();

  test("[WF7] every field has a description", () => {
    const bare = Object.entries(json.properties as Record<string, { description?: string }>).filter(
      ([, field]) => !field.description,
    );
    expect(bare).toEqual([]);
    const step = (json.$defs as Record<string, { properties: Record<string, object> }>).Step?.properties ?? {};
    const undescribed = Object.keys(step).filter((key) => shapeAt(json, ["steps", 0, key]).purpose === "");
    expect(undescribed).toEqual([]);
  });

  test("[WF7] `protocol` is one of the protocols that there are", () => {
    const properties = (names?: readonly string[]) => workflowJsonSchema(names)["properties"];
    expect(properties(["first", "second"])).toMatchObject({ protocol: { type: "string", enum: ["first", "second"] } });
    expect(properties()).toMatchObject({ protocol: expect.not.objectContaining({ enum: expect.anything() }) });
  });

  test("[WF7] so has every field inside another: limits, deadlines, caps, routes", () => {
    const bare: string[] = [];
    const look = (node: unknown, path: string): void => {
      if (typeof node !== "object" || node === null) return;
      const { properties = {}, ...rest } = node as { properties?: Record<string, Record<string, unknown>> };
      for (const [key, field] of Object.entries(properties)) {
        const name = typeof field["$ref"] === "string" ? (field["$ref"].split("/").at(-1) ?? "") : "";
        const named = (json.$defs as Record<string, Record<string, unknown>>)[name];
        if (!field["description"] && !named?.["description"]) bare.push(`${path}.${key}`);
        look(field, `${path}.${key}`);
      }
      for (const [key, inner] of Object.entries(rest)) look(inner, `${path}/${key}`);
    };
    look(json, "");
    expect(bare).toEqual([]);
  });

  test("routes and steps are named once and refer to themselves", () => {
    expect(Object.keys(json.$defs as object).toSorted()).toEqual([
      "Deadline",
      "Option",
      "Options",
      "Route",
      "Step",
      "Then",
    ]);
    expect(shapeAt(json, ["steps", 0, "body", 1, "on", "rejected", "then"]).keys).toContain("back_to");
    expect(shapeAt(json, ["steps", 0]).keys).toContain("story_budget");
  });

  test("[WF7] what the schema accepts is what the loader accepts", () => {
    expect(workflowSchema.safeParse({ pawl: 1, id: "x", steps: [{ id: "a", command: "true" }] }).success).toBe(true);
    expect(json.required).toEqual(["pawl", "id", "steps"]);
  });
});

test.each([
  ["ours", "pawl: 1\nid: t\nagents: { a: {} }\nsteps:\n  - id: one\n    agent: a\n"],
  ["antfarm's", "id: t\nagents: [{ id: a }]\nsteps:\n  - id: one\n    agent: a\n    input: x\n"],
])(
  "[WF1 WF2] thousands of unknown keys are reported one by one, in a time that grows with their number: %s",
  (_, start) => {
    const keys = Array.from({ length: 4_000 }, (_, index) => `    key${index}: x\n`);
    const { problems } = loadWorkflow(start + keys.join(""), "w.yml");
    expect(problems).toHaveLength(4_000);
    expect(problems.at(-1)).toMatchObject({ path: "steps[0].key3999" });
  },
  // Far less than the square of the number takes, far more than the number does on a busy machine.
  20_000,
);
