import { expect, test } from "vitest";
import type { StepDefinition } from "../../domain/definition.ts";
import type { FindWorkflow } from "../document/reading.ts";
import { loadWorkflow } from "../load.ts";

const review = `
pawl: 1
id: review
name: A review
inputs: { subject: , tone: { default: friendly } }
outputs: [verdict]
context: { style: terse }
agents: { reviewer: { access: read, timeout: 5m, files: { AGENTS.md: roles/reviewer.md } } }
steps:
  - { id: collect, agent: reviewer, produces: [diff], input: "Look at {{subject}} of {{task}}, {{tone}}, {{style}}." }
  - id: judge
    agent: reviewer
    decide: verdict
    input: "{{diff}} {{verdict}} {{branch}} \\\\{{subject}}"
    on: { ok: next, unclear: { back_to: collect, at_most: 2 }, trivial: end, no: { insert: [more], at_most: 1 } }
  - { id: more, agent: reviewer, spare: true }
  - { id: note, agent: reviewer, if: { tone: friendly }, session: { same_as: judge } }
`;

const among =
  (files: Readonly<Record<string, string>>): FindWorkflow =>
  (name) => {
    const text = files[name];
    if (text === undefined) return { missing: `there is no workflow "${name}"`, hint: "there are others" };
    return { file: `/lib/${name}/workflow.yml`, text, roleFolder: `../${name}` };
  };

function load(steps: string, files: Readonly<Record<string, string>> = { review }, rest = "agents: { dev: {} }") {
  return loadWorkflow(`pawl: 1\nid: outer\n${rest}\nsteps:\n${steps}`, "/w/workflow.yml", [], { find: among(files) });
}

function loaded(steps: string, files?: Readonly<Record<string, string>>, rest?: string) {
  const { definition, problems } = load(steps, files, rest);
  if (!definition) throw new Error(JSON.stringify(problems));
  return { definition, problems, step: (name: string) => definition.steps.find((step) => step.name === name) };
}

const names = (steps: readonly StepDefinition[]) => steps.map(({ name }) => name).join(" ");

const use = `
  - { id: build, agent: dev, produces: [what] }
  - { id: audit, workflow: review, inputs: { subject: "{{what}}" }, outputs: [verdict] }
  - { id: ship, agent: dev, if: { verdict: ok }, input: "{{verdict}}" }
`;

test("[IN1] the steps of an included workflow stand in the place of its step, under its id", () => {
  const { definition, problems, step } = loaded(use);
  expect(problems).toEqual([]);
  expect(names(definition.steps)).toBe("build audit.collect audit.judge audit.more audit.note ship");
  expect(step("audit.judge")).toMatchObject({
    agent: "audit.reviewer",
    wallMs: 300_000,
    on: {
      "=unclear": { route: { to: "back_to", step: "audit.collect" } },
      "=trivial": { route: { to: "end", of: "audit" } },
      "=no": { route: { to: "insert", steps: ["audit.more"] } },
    },
  });
  expect(step("audit.note")).toMatchObject({ session: "audit.judge", include: { id: "audit" } });
  expect(definition.includes).toEqual({ audit: { workflow: "review", title: "A review" } });
});

test("[IN2 IN3] its keys are its own, an input is what was given, and an output comes back", () => {
  const { definition, step } = loaded(use);
  expect(step("audit.collect")).toMatchObject({
    input: "Look at {{what}} of {{task}}, {{audit.tone}}, {{audit.style}}.",
    produces: ["diff"],
  });
  expect(step("audit.judge")).toMatchObject({ input: "{{audit.diff}} {{verdict}} {{branch}} \\{{subject}}" });
  expect(step("audit.note")?.if).toEqual({ key: "audit.tone", values: ["friendly"] });
  expect(definition.context).toEqual({ "audit.tone": "friendly", "audit.style": "terse" });
  expect(definition.knownKeys).toEqual(expect.arrayContaining(["audit.diff", "verdict"]));
  const text = loaded(use.replace('"{{what}}"', '"all of {{what}}, {{branch}}"'));
  expect(text.step("audit.collect")).toMatchObject({
    input: expect.stringContaining("Look at all of {{what}}, {{branch}} of"),
  });
});

test("[IN1] a workflow may be included twice, in a body, and inside of an included one", () => {
  const twice = loaded(`
  - { id: one, workflow: review, inputs: { subject: a }, outputs: { verdict: first } }
  - { id: two, workflow: review, inputs: { subject: b }, outputs: { verdict: second } }
  - { id: end, agent: dev, input: "{{first}} {{second}}" }
`);
  expect(twice.problems).toEqual([]);
  const middle = `
pawl: 1
id: middle
inputs: [thing]
outputs: [final]
steps:
  - { id: inner, workflow: review, inputs: { subject: "{{thing}}" }, outputs: { verdict: final } }
`;
  const deep = loaded(
    `
  - { id: plan, agent: dev, input: "STORIES_JSON: []" }
  - id: each
    stories: {}
    body:
      - { id: out, workflow: middle, inputs: { thing: "{{current_story}}" }, outputs: [final] }
  - { id: sum, agent: dev, input: "{{each.*.final}}" }
`,
    { review, middle },
  );
  expect(deep.problems).toEqual([]);
  const [, each] = deep.definition.steps;
  const body = each?.kind === "stories" ? each.body : [];
  expect(names(body)).toBe("out.inner.collect out.inner.judge out.inner.more out.inner.note");
  expect(body[0]).toMatchObject({ input: expect.stringContaining("Look at {{current_story}} of") });
  expect(body[1]).toMatchObject({ include: { id: "out.inner", outputs: { verdict: "final" } } });
  expect(deep.definition.collects).toEqual({ each: ["final"] });
});

test("[IN4] agents come along with their role files, and one of the including file may stand in", () => {
  const { definition } = loaded(use);
  expect(Object.keys(definition.agents)).toEqual(["dev", "audit.reviewer"]);
  expect(Object.values(definition.agents)[1]?.files).toEqual({ "AGENTS.md": "../review/roles/reviewer.md" });
  const own = loaded(use.replace("workflow: review", "workflow: review, agents: { reviewer: dev }"));
  expect(Object.keys(own.definition.agents)).toEqual(["dev"]);
  expect(own.step("audit.judge")).toMatchObject({ agent: "dev" });
});

test("[IN5] a route to an include leads to its first step, and a condition skips all of it", () => {
  const { step } = loaded(`
  - { id: build, agent: dev, decide: kind, on: { small: { go_to: ship }, large: next } }
  - { id: audit, workflow: review, if: { kind: large }, inputs: { subject: x } }
  - { id: ship, agent: dev, on: { rejected: { back_to: audit, at_most: 1 } } }
`);
  expect(step("audit.collect")?.entries).toEqual([{ include: "audit", if: { key: "kind", values: ["large"] } }]);
  expect(step("ship")).toMatchObject({ on: { rejected: { route: { to: "back_to", step: "audit.collect" } } } });
});

test("[IN6] the caps of an included workflow are a budget over its steps", () => {
  const capped = `${review}caps: { attempts: 5, usd: 2, wall: 1h, hard: true }\n`;
  const { definition } = loaded(use, { review: capped });
  expect(definition.includes?.["audit"]?.budget).toEqual({
    attempts: 5,
    spend: { costUsd: 2, tokens: null, wallMs: 3_600_000, hard: true },
    then: { to: "fail", reason: "" },
  });
  const asked = loaded(use, { review: `${review}caps: { usd: 2, then: gate }\n` });
  expect(asked.definition.includes?.["audit"]?.budget?.then).toMatchObject({ to: "gate" });
});

test.each([
  ["workflow: reviw", "audit", "there is no workflow"],
  ["workflow: review", "audit", "the input `subject` of 'review' is missing"],
  ["workflow: review, inputs: { subject: x, subjct: y }", "audit", "has no input `subjct`"],
  ["workflow: review, inputs: { subject: x }, outputs: [diff]", "audit", "has no output `diff`"],
  ["workflow: review, inputs: { subject: x }, agents: { rewiever: dev }", "audit", "has no agent `rewiever`"],
  ["workflow: review, inputs: { subject: x }, agent: dev", "audit", "agent and workflow at once"],
  ["workflow: review, inputs: { subject: x }, on: { passed: next }", "audit", "`on` has no effect on a workflow step"],
  ["agent: dev, inputs: { subject: x }", "audit", "`inputs` has no effect on an agent step"],
])("[IN7] refused with the place and what to write: %s", (fields, id, message) => {
  const { definition, problems } = load(`\n  - { id: ${id}, ${fields} }`);
  expect(definition).toBeNull();
  const found = problems.find((problem) => problem.message.includes(message));
  expect(found).toMatchObject({ line: 6, severity: "error" });
  expect(found?.hint).not.toBe("");
});

test("[IN7] a workflow that includes itself is refused, directly and over another", () => {
  const a = "pawl: 1\nid: a\nsteps: [{ id: x, workflow: b }]\n";
  const b = "pawl: 1\nid: b\nsteps: [{ id: y, workflow: a }]\n";
  const { problems } = load("  - { id: one, workflow: a }", { a, b });
  expect(problems.map(({ message, file }) => [message, file])).toEqual([
    [
      "Step 'one.x.y': 'a' would include itself: a/workflow.yml → b/workflow.yml → a/workflow.yml",
      "/lib/b/workflow.yml",
    ],
  ]);
});

test("[IN7] a mistake in an included file is told with that file and its line", () => {
  const broken = review
    .replace("back_to: collect", "back_to: colect")
    .replace("outputs: [verdict]", "outputs: [verdict, score]");
  const { problems } = load(use, { review: broken });
  expect(problems).toMatchObject([
    { file: "/lib/review/workflow.yml", line: 6, message: "the output `score` is set by no step" },
    { file: "/lib/review/workflow.yml", line: 15, message: expect.stringContaining("'audit.colect'") },
  ]);
  const unknown = load(use, { review: review.replace("decide:", "decides:") });
  expect(unknown.problems[0]).toMatchObject({ file: "/lib/review/workflow.yml", line: 13 });
});

test.each([
  ["workspace: { branch: by_step }", "`workspace`"],
  ["caps: { steps: 4 }", "`caps.steps`"],
  ["caps: { lost: 3 }", "`caps.lost`"],
])("[IN6] what only a whole run can have is refused: %s", (line, word) => {
  const { problems } = load(use, { review: `${review}${line}\n` });
  expect(problems[0]?.message).toContain(`'review' sets ${word}`);
});

test("[IN3] a file with inputs is a workflow of its own, too: they are given, or have a default", () => {
  const { definition, problems } = loadWorkflow(review, "/w/workflow.yml");
  expect(problems).toEqual([]);
  expect(definition?.inputs).toEqual(["subject"]);
  expect(definition?.context).toEqual({ style: "terse", tone: "friendly" });
  const wrong = loadWorkflow(review.replace("subject: ,", "task: ,"), "w.yml");
  expect(wrong.problems.map(({ message }) => message)).toContain('the input "task" is a key that every run has');
});
