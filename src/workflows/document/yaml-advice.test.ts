// What a person reads after a plain mistake of YAML.

import { describe, expect, test } from "vitest";
import { loadWorkflow } from "../load.ts";

const problemsOf = (text: string) => loadWorkflow(text, "w.yml").problems;
const head = "pawl: 1\nid: t\nagents: { a: {} }\n";
const step = `${head}steps:\n  - id: one\n    agent: a\n`;

describe("[WF68] plain mistakes", () => {
  test("a text with a colon", () => {
    expect(problemsOf(`${step}    input: Reply with STATUS: done\n`)).toMatchObject([
      {
        line: 7,
        message: expect.stringContaining("`input` has a colon"),
        hint: expect.stringContaining('"Reply with STATUS: done"'),
      },
    ]);
  });

  test.each([
    ["{ id: one, agent: a, input: Reply with STATUS: done }", 'write `input: "Reply with STATUS: done"`'],
    ["{ id: one, input: Say STATUS: done, agent: a }", 'write `input: "Say STATUS: done"`'],
    ["{ id: one, agent: a, input: {{task}} and more }", 'write `input: "{{task}} and more"`'],
  ])("the same in a map on one line: %s", (text, hint) => {
    expect(problemsOf(`${head}steps:\n  - ${text}\n`)).toMatchObject([{ line: 5, hint }]);
  });

  test.each(["{{task}} and more", "{{task}}"])("a text that begins with braces: %s", (text) => {
    const [problem] = problemsOf(`${step}    input: ${text}\n`);
    expect(problem).toMatchObject({ line: 7, hint: expect.stringMatching(/quotes|write `input: "\{\{task/) });
  });

  test.each([
    ["too little", `${step}   input: hi\n`, "indent it with 4 spaces"],
    ["too much", `${step}      input: hi\n`, "indent it with 4 spaces"],
    ["below a list", `${head}steps:\n  - id: one\n   agent: a\n`, "indent it with 4 spaces"],
  ])("wrong indentation: %s", (_, text, hint) => {
    const problems = problemsOf(text);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({
      message: expect.stringContaining("wrong indentation"),
      hint: expect.stringContaining(hint),
    });
  });

  test("a quote and a bracket that are not closed, and an escape in double quotes", () => {
    expect(problemsOf(`${step}    input: "hi\n`)[0]?.message).toContain("a quote is not closed");
    expect(problemsOf("pawl: 1\nid: t\nagents: { a: {}\nsteps: []\n")[0]?.message).toContain("not closed");
    expect(problemsOf(`${step}    input: "\\{{x}}"\n`)[0]?.hint).toContain("a backslash is written twice");
  });

  test("no steps, steps as a map, a time in words, words of other systems", () => {
    expect(problemsOf(`${head}steps: []\n`)).toMatchObject([{ line: 4, message: "`steps` is empty" }]);
    expect(problemsOf(`${head}steps:\n  one: { agent: a }\n`)[0]?.hint).toContain("begin each entry with `- `");
    expect(problemsOf(`${step}    timeout: 90 minutes\n`)[0]?.hint).toBe('write "90m"');
    const routes = problemsOf(`${step}    on: { passed: finish, rejected: { again, at_most: 1, then: human } }\n`);
    expect(routes.map(({ hint }) => hint)).toEqual(["did you mean `end`?", "did you mean `gate`?"]);
  });

  test.each(["if", "prompt", "run", "outputs", "needs", "retries", "approval", "model"])("a step with `%s`", (key) => {
    const [problem] = problemsOf(`${step}    ${key}: x\n`);
    expect(problem).toMatchObject({ severity: "error", line: 7 });
    expect(problem?.hint).not.toMatch(/^remove it$|did you mean/);
  });

  test.each([
    ["outputs: [x]", "name the keys in `produces`"],
    ["inputs: { x: y }", "write `input: TEXT`"],
    ["options: { yes: next }", "write a step of its own"],
    ["schedule: daily", "write it at the top of the file"],
  ])("a field of another place: %s", (field, hint) => {
    expect(problemsOf(`${step}    ${field}\n`)).toMatchObject([{ line: 7, hint: expect.stringContaining(hint) }]);
  });

  test("triggers, and a file without `pawl: 1`, say what to write, once", () => {
    expect(problemsOf(`${step}triggers: [daily]\n`)[0]?.hint).toContain("schedule: { cron:");
    for (const agents of ["agents: { a: {} }", ""]) {
      const text = `id: t\n${agents}\nsteps:\n  - { id: one, command: make, on: { rejected: fail } }\n`;
      expect(problemsOf(text)).toMatchObject([{ line: 1, hint: "add the line `pawl: 1`" }]);
    }
  });

  test("a text that begins with a line break is read as any other", () => {
    expect(problemsOf(`\n${step}   input: hi\n`)).toHaveLength(1);
    expect(problemsOf("\n\n - a\nb\n c: d: e\n").length).toBeGreaterThan(0);
  });
});

describe("[WF69] stories that nothing plans", () => {
  const check = (steps: string) => loadWorkflow(`${head}steps:\n${steps}`, "w.yml", [], { plans: true }).problems;
  const each = "  - { id: each, stories: {}, body: [{ id: code, agent: a }] }\n";

  test("without an agent before them it is an error, without a word of STORIES_JSON a warning", () => {
    expect(check(each)).toMatchObject([{ severity: "error", path: "steps[0]" }]);
    expect(check(`  - { id: plan, agent: a, input: plan it }\n${each}`)).toMatchObject([{ severity: "warning" }]);
    expect(check(`  - { id: plan, agent: a, input: Print STORIES_JSON }\n${each}`)).toEqual([]);
  });
});
