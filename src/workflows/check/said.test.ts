// Names of what stories said, in templates: what is kept for them, and what is refused with its place.

import { describe, expect, test } from "vitest";
import { loadWorkflow } from "../load.ts";

const load = (last: string, body = "produces: [verdict, notes]", plan = "Print STORIES_JSON") =>
  loadWorkflow(
    `pawl: 1
id: x
agents: { dev: {} }
steps:
  - { id: plan, agent: dev, input: "${plan}" }
  - id: review
    stories: {}
    body:
      - { id: look, agent: dev, ${body} }
  - ${last}
`,
    "w.yml",
  );
const told = (...given: Parameters<typeof load>) =>
  load(...given).problems.map(({ severity, line, message, hint }) => ({ severity, line, message, hint }));

describe("[WF112] names of what stories said", () => {
  test("are kept by their step and key, wherever a template may name them", () => {
    const { definition, problems } = load(`id: sum
    agent: dev
    input: "{{review.*.verdict}} and {{ review.US-001.Notes }}"
    checks: ["true"]
    env: { V: "{{review.*.notes}}" }
    on: { rejected: { gate: "{{review.*.verdict}}: and now?" } }`);
    expect(problems).toEqual([]);
    expect(definition?.collects).toEqual({ review: ["verdict", "notes"] });
    expect(definition?.knownKeys).toEqual(expect.arrayContaining(["review.*.verdict", "review.us-001.notes"]));
  });

  test("are nothing in a file that has none, and text where they are escaped", () => {
    const { definition, problems } = load('{ id: sum, agent: dev, input: "\\\\{{review.*.verdict}}" }');
    expect(problems).toEqual([]);
    expect(definition).not.toHaveProperty("collects");
  });

  test.each([
    ["look.*.verdict", "'look' is a step of the body of 'review'", "write `review.*.verdict`"],
    ["revew.*.verdict", "there is no step 'revew'", "write `review.*.verdict`"],
    [
      "plan.US-001.verdict",
      "'plan' has no stories and no parts",
      "a step of the run's own chain is read by its key alone",
    ],
    ["review.*.verdit", "no step of 'review' sets `verdit`", "did you mean `verdict`?"],
    ["review.US-1.risk", "no step of 'review' sets `risk`", "let a step of the body declare it: `produces: [risk]`"],
  ])("that cannot be right are refused with what to write: %s", (name, problem, hint) => {
    expect(told(`{ id: sum, agent: dev, input: "All: {{${name}}}" }`)).toEqual([
      { severity: "error", line: 10, message: `Step 'sum': \`${name}\`: ${problem}`, hint },
    ]);
  });

  test("where an agent may print any key, one that none declares is a warning", () => {
    expect(told('{ id: sum, agent: dev, input: "{{review.*.risk}}" }', "timeout: 5m")).toMatchObject([
      { severity: "warning", message: "Step 'sum': `review.*.risk`: no step of 'review' sets `risk`" },
    ]);
  });

  test("before the stories, and in their own body, no story has said it", () => {
    const last = "{ id: sum, agent: dev }";
    expect(told(last, undefined, "STORIES_JSON {{review.*.verdict}}")).toMatchObject([
      {
        severity: "error",
        line: 5,
        message: "Step 'plan': `review.*.verdict`: it stands before 'review', where no story has said it yet",
      },
    ]);
    expect(told(last, 'produces: [verdict], input: "{{review.*.verdict}}"')).toMatchObject([
      { severity: "error", line: 9, hint: "write `{{verdict}}` for the story's own value" },
    ]);
  });

  test("are plain text in a file of antfarm's", () => {
    const text =
      'id: x\nagents: [{ id: dev }]\nsteps:\n  - { id: a, agent: dev, input: "{{a.*.b}}", expects: "STATUS: done" }\n';
    const { definition } = loadWorkflow(text, "w.yml");
    expect(definition).not.toHaveProperty("collects");
  });
});
