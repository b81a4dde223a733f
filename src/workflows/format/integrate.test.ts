import { describe, expect, test } from "vitest";
import type { StoriesStep } from "../../domain/definition.ts";
import { loadWorkflow } from "../load.ts";

const file = (stories: string, body: string, more = "") =>
  `pawl: 1\nid: x\nagents: { dev: {} }\nsteps:\n  - id: s\n    stories: ${stories}\n${more}    body:\n${body}`;
const parallel = (integrate: string, more = "") =>
  file("{ concurrency: 3, workspace: worktree }", `      - { id: code, agent: dev }\n      - ${integrate}\n`, more);
const errorsOf = (text: string) =>
  loadWorkflow(text, "w.yml").problems.filter((problem) => problem.severity === "error");

function storiesOf(text: string): StoriesStep {
  const { definition, problems } = loadWorkflow(text, "w.yml");
  expect(problems).toEqual([]);
  return definition?.steps[0] as StoriesStep;
}

function expectRefused(text: string, message: string, path: string): void {
  const found = errorsOf(text).find((problem) => problem.message.includes(message));
  expect(errorsOf(text).map((problem) => problem.message)).toContainEqual(expect.stringContaining(message));
  expect(found?.path).toBe(path);
  expect(found?.expected).not.toBe("");
  expect(found?.hint).not.toBe("");
}

describe("stories in trees of their own", () => {
  test("[WF27 WF47] several at a time, with what a story's chain may become", () => {
    const text = file(
      "{ concurrency: 8, workspace: worktree, branch_prefix: team/x-, ids: numbers, max_steps: 12, restarts: 0 }",
      "      - { id: code, agent: dev }\n      - { id: integrate, integrate: true }\n",
    );
    expect(storiesOf(text)).toMatchObject({
      concurrency: 8,
      workspace: "worktree",
      branchPrefix: "team/x-",
      ids: "numbers",
      maxSteps: 12,
      restarts: 0,
    });
  });

  test("[WF27] a plain stories step says nothing about any of it", () => {
    const step = storiesOf(file("{}", "      - { id: code, agent: dev }\n"));
    for (const key of ["workspace", "branchPrefix", "ids", "maxSteps", "restarts"])
      expect(step).not.toHaveProperty(key);
    expect(step.concurrency).toBe(1);
  });

  test("[WF27] concurrency above 1 without trees is refused, with what to add", () => {
    const text = file("{ concurrency: 2 }", "      - { id: code, agent: dev }\n");
    expectRefused(text, "concurrency above 1 needs a worktree per story", "steps[0].stories.concurrency");
    expect(errorsOf(text)[0]?.hint).toBe("add `workspace: worktree`, and `integrate:` as the last step of the body");
  });

  test("[WF51] work that is not integrated would reach nobody", () => {
    const text = file("{ workspace: worktree }", "      - { id: code, agent: dev }\n");
    expectRefused(text, "their work would be lost", "steps[0].stories.workspace");
  });

  test.each(["/x", "a//", "-x", "a b/", "a..", ".hidden/", "x/.", "a~", "a:", "a@{", "a.lock/", "ü/", "a\\\\b"])(
    "[WF55] a branch cannot begin with %j",
    (prefix) => {
      const text = file(
        `{ workspace: worktree, branch_prefix: "${prefix}" }`,
        "      - { id: code, agent: dev }\n      - { id: i, integrate: }\n",
      );
      expectRefused(text, "cannot begin the name of a branch", "steps[0].stories.branch_prefix");
    },
  );

  test("[WF55] a prefix for branches that do not exist, and fewer steps than a story begins with", () => {
    const one = file("{ branch_prefix: a/ }", "      - { id: code, agent: dev }\n");
    expectRefused(one, "`branch_prefix` has no effect", "steps[0].stories.branch_prefix");
    const body =
      "      - { id: a, agent: dev, on: { rejected: { insert: [c], at_most: 1 } } }\n      - { id: b, agent: dev }\n      - { id: c, agent: dev, spare: true }\n";
    expectRefused(file("{ max_steps: 1 }", body), "a story begins with 2 steps", "steps[0].stories.max_steps");
    expect(errorsOf(file("{ max_steps: 2 }", body))).toEqual([]);
    const parallelBody = `${body}      - { id: i, integrate: true }\n`;
    expect(errorsOf(file("{ max_steps: 2, workspace: worktree }", parallelBody))).toEqual([]);
  });
});

describe("an integrate step", () => {
  const integration = (written: string, more = "") => storiesOf(parallel(written, more)).body[1];

  test.each(["{ id: i, integrate: true }", "{ id: i, integrate: }", "{ id: i, integrate: {} }"])(
    "[WF47] with what is usual: %s",
    (written) => {
      expect(integration(written)).toEqual({
        kind: "integrate",
        name: "i",
        title: "i",
        message: "feat: {{story}} - {{title}}",
        input: "",
        produces: [],
        decide: null,
        expects: null,
        on: {
          passed: { route: { to: "next" }, limit: null },
          rejected: { route: { to: "fail", reason: "i: the story cannot be integrated" }, limit: null },
        },
        onError: {
          route: { to: "again" },
          limit: { atMost: 5, then: { to: "fail", reason: "i: still failing after 5 retries" } },
        },
        budget: null,
        checks: [],
        wallMs: null,
        quietMs: null,
      });
    },
  );

  test("[WF47 C90 C91] its message, its checks, and a way for each reason", () => {
    const written =
      '{ id: i, integrate: { message: "feat({{story}}): {{ title }}" }, checks: [make], timeout: 1h, on: { rejected: { default: fail, Conflict: { back_to: code }, checks: again } }, budget: { at_most: 3 } }';
    expect(integration(written)).toMatchObject({
      message: "feat({{story}}): {{ title }}",
      checks: [{ run: "make" }],
      wallMs: 3_600_000,
      on: {
        "rejected:conflict": { route: { to: "back_to", step: "code" } },
        "rejected:checks": { route: { to: "again" } },
      },
      budget: { atMost: 3 },
    });
  });

  test.each([
    ["{ id: i, integrate: true, agent: dev }", "agent and integrate at once", "steps[0].body[1]"],
    ["{ id: i, integrate: true, input: x }", "`input` has no effect on an integrate step", "steps[0].body[1].input"],
    ["{ id: i, integrate: true, spare: true }", "`spare` has no effect on an integrate step", "steps[0].body[1].spare"],
    ["{ id: i, integrate: true, timeout: { quiet: 5m } }", "`quiet` has no effect", "steps[0].body[1].timeout.quiet"],
    ["{ id: i, integrate: true, budget: { usd: 1 } }", "an integration uses no money", "steps[0].body[1].budget"],
    [
      "{ id: i, integrate: true, on: { rejected: { default: fail, exit: again } } }",
      'never rejected for the reason "exit"',
      "steps[0].body[1].on.rejected.exit",
    ],
    [
      '{ id: i, integrate: { message: "{{story}} {{changes}}" } }',
      "`{{changes}}` is not known in a commit's message",
      "steps[0].body[1].integrate.message",
    ],
    [
      '{ id: i, integrate: { message: "{{Title}}" } }',
      "`{{Title}}` is not known in a commit's message",
      "steps[0].body[1].integrate.message",
    ],
    ["{ id: i, integrate: { mesage: x } }", "unknown key `mesage`", "steps[0].body[1].integrate.mesage"],
  ])("[WF9 WF47] %s", (written, message, path) => {
    expectRefused(parallel(written), message, path);
  });

  test("[WF51] only in the body of stories with trees, once, and last", () => {
    const inRun = "pawl: 1\nid: x\nsteps:\n  - { id: a, command: make }\n  - { id: i, integrate: true }\n";
    expectRefused(inRun, "nothing to integrate: it is not a step of a story", "steps[1]");
    const shared = file("{}", "      - { id: code, agent: dev }\n      - { id: i, integrate: true }\n");
    expectRefused(shared, "nothing to integrate: the stories have no tree of their own", "steps[0].body[1]");
    const early = parallel("{ id: i, integrate: true }\n      - { id: after, agent: dev }");
    expectRefused(early, "must be the last step of its body", "steps[0].body[1]");
    const twice = parallel("{ id: i, integrate: true }\n      - { id: j, integrate: true }");
    expectRefused(twice, "a story is integrated once, and 'j' does it too", "steps[0].body[1]");
  });

  test.each([
    ["on: { rejected: next }", "on.rejected: a story that is not integrated cannot continue"],
    ["on: { rejected: { again, at_most: 1, then: next } }", "on.rejected.then: a story that is not"],
    ["on: { rejected: { gate: Why, options: { yes: next, no: fail } } }", "options.yes: a story that is not"],
    ["on_error: { gate: Why, options: { yes: next, no: fail } }", "on_error.options.yes: a story that is not"],
    ["budget: { wall: 1h, then: { gate: Why, options: { yes: next, no: fail } } }", "options.yes: a story that is not"],
    ["on: { passed: { gate: Why } }", "on.passed.gate: an integrated story is done"],
    ["on: { passed: fail }", "on.passed: an integrated story is done"],
  ])("[WF52 C110] nothing but passing leads on: %s", (fields, message) => {
    const messages = errorsOf(parallel(`{ id: i, integrate: true, ${fields} }`)).map((problem) => problem.message);
    expect(messages).toEqual([expect.stringContaining(message)]);
  });

  test("[WF52] a person is not offered to accept a story without its work", () => {
    const options = (written: string) => {
      const rule = (integration(written) as { on: Record<string, { route: object; limit: { then: object } | null }> })
        .on["rejected"];
      const gate = (rule?.limit?.then ?? rule?.route) as { options: Record<string, unknown> };
      return Object.keys(gate.options);
    };
    expect(options("{ id: i, integrate: true, on: { rejected: gate } }")).toEqual(["again", "stop"]);
    expect(options("{ id: i, integrate: true, on: { rejected: { again, at_most: 1, then: gate } } }")).toEqual([
      "continue",
      "stop",
    ]);
    const nested = "{ id: i, integrate: true, on: { rejected: { gate: Why, options: { ask: gate, stop: fail } } } }";
    expect(errorsOf(parallel(nested))).toEqual([]);
  });

  test("[WF52] nor at the end of the story's budget, where the integration may be what is held", () => {
    const budget = (then: string) =>
      parallel("{ id: i, integrate: true }", `    story_budget: { at_most: 1, ${then} }\n`);
    const { storyBudget } = storiesOf(budget("then: gate"));
    expect(storyBudget.then.to === "gate" && Object.keys(storyBudget.then.options)).toEqual(["continue", "stop"]);
    const skip = budget("then: { gate: Why, options: { skip: next, stop: fail } }");
    expect(errorsOf(skip).map((problem) => problem.message)).toEqual([
      expect.stringContaining("story_budget.then.options.skip: a story that is not integrated cannot continue"),
    ]);
  });
});

describe("[WF48 C91] insert before an earlier step", () => {
  const chain = (route: string, more = "") =>
    file(
      "{}",
      `      - { id: a, agent: dev, timeout: 2h }
      - { id: b, agent: dev, timeout: 3h }
      - { id: c, agent: dev, timeout: 1h, on: { rejected: { ${route} } } }
      - { id: fix, agent: dev, spare: true, timeout: 1h }
      - { id: d, agent: dev }
${more}`,
    );

  test("is kept with its place", () => {
    expect(storiesOf(chain("insert: [fix], before: b, at_most: 2")).body[2]).toMatchObject({
      on: { rejected: { route: { to: "insert", steps: ["fix"], before: "b" }, limit: { atMost: 2 } } },
    });
    const plain = storiesOf(chain("insert: [fix], at_most: 2")).body[2];
    expect(plain && "on" in plain && plain.on.rejected?.route).toEqual({ to: "insert", steps: ["fix"] });
  });

  test.each([
    ["insert: [fix], before: c, at_most: 1", "before 'c': is the step itself", "steps[0].body[2].on.rejected.before"],
    ["insert: [fix], before: d, at_most: 1", "before 'd': comes later", "steps[0].body[2].on.rejected.before"],
    ["insert: [fix], before: fix, at_most: 1", "before 'fix': is a spare step", "steps[0].body[2].on.rejected.before"],
    ["insert: [fix], before: bb, at_most: 1", "'bb' not found", "steps[0].body[2].on.rejected.insert"],
    ["back_to: b, before: a, at_most: 1", "`before` has no effect on `back_to`", "steps[0].body[2].on.rejected.before"],
  ])("%s", (route, message, path) => {
    expectRefused(chain(route), message, path);
  });

  test("counts as going back: the round has all steps from there on, and needs a limit", () => {
    const { problems } = loadWorkflow(chain("insert: [fix], before: b, at_most: 10"), "w.yml");
    expect(problems.map((problem) => problem.message)).toEqual([
      "Step 'c': a limit of 10 may take 2d2h, at 5h for each round from fix to c",
    ]);
    const run = `pawl: 1
id: x
agents: { dev: {} }
steps:
  - { id: a, agent: dev }
  - { id: b, agent: dev, on: { rejected: { insert: [f], before: a } } }
  - { id: f, agent: dev, spare: true }
`;
    expectRefused(run, "a cycle without a limit", "steps[1].on.rejected.insert");
  });
});
