import { describe, expect, test } from "vitest";
import { known } from "../../../test/support/protocols.ts";
import type { StoriesStep } from "../../domain/definition.ts";
import { loadWorkflow } from "../load.ts";

const run = (steps: string) => `pawl: 1\nid: x\nagents: { dev: {} }\nsteps:\n${steps}`;
const story = (body: string, head = "protocol: ralph\n") =>
  `pawl: 1\n${head}id: x\nagents: { dev: {} }\nsteps:\n  - id: s\n    stories: {}\n    body:\n${body}`;
const problemsOf = (text: string) => loadWorkflow(text, "w.yml", known).problems;

function bodyOf(text: string): StoriesStep["body"] {
  const { definition, problems } = loadWorkflow(text, "w.yml", known);
  expect(problems).toEqual([]);
  const [step] = definition?.steps ?? [];
  return step?.kind === "stories" ? step.body : [];
}

function expectRefused(text: string, message: string, path: string): void {
  const errors = problemsOf(text).filter((problem) => problem.severity === "error");
  expect(errors.map((problem) => problem.message)).toContainEqual(expect.stringContaining(message));
  const found = errors.find((problem) => problem.message.includes(message));
  expect(found?.path).toBe(path);
  expect([found?.expected, found?.hint]).not.toContain("");
}

describe("flags", () => {
  test("[WF49 WF54] are kept where they are set, and only there", () => {
    const [plan, code, lint, end] = bodyOf(
      story(`      - { id: plan, agent: dev, summary: true, editable: true }
      - { id: code, agent: dev, summary: false, editable: false, mandatory: false, last: false, spare: false }
      - { id: lint, command: make lint, mandatory: true, follows: [code, plan] }
      - { id: end, agent: dev, mandatory: true, last: true }
`),
    );
    expect(plan).toMatchObject({ summary: true, editable: true, produces: [] });
    for (const flag of ["summary", "editable", "mandatory", "last", "spare", "follows"])
      expect(code).not.toHaveProperty(flag);
    expect(lint).toMatchObject({ mandatory: true, follows: ["code", "plan"] });
    expect(end).toMatchObject({ mandatory: true, last: true });
  });

  test.each([
    ["spare: true, mandatory: true", "`mandatory` has no effect beside `spare`", "mandatory"],
    ["spare: true, last: true", "`last` has no effect beside `spare`", "last"],
  ])("[WF50] %s", (fields, message, path) => {
    expectRefused(story(`      - { id: a, agent: dev, ${fields} }\n`), message, `steps[0].body[0].${path}`);
  });

  test("[WF49] a step that ends with a summary can reject, decide, expect and produce as any other", () => {
    const [step, other] = bodyOf(
      story(`      - { id: a, agent: dev, summary: true, expects: "STATUS: done", produces: [X], on: { rejected: { again, at_most: 1 } } }
      - { id: b, agent: dev, summary: true, decide: d, on: { ok: next, bad: { back_to: a } }, budget: { at_most: 1 } }
`),
    );
    expect(step).toMatchObject({ on: { rejected: { route: { to: "again" }, limit: { atMost: 1 } } }, produces: ["x"] });
    expect(other).toMatchObject({ decide: "d", produces: [] });
  });

  test.each([
    ["{ id: a, command: make, summary: true }", "`summary` has no effect on a command step"],
    ["{ id: a, command: make, editable: true }", "`editable` has no effect on a command step"],
    ["{ id: a, gate: Why, mandatory: true }", "`mandatory` has no effect on a gate step"],
  ])("[WF9] a kind without them: %s", (step, message) => {
    const [problem] = problemsOf(story(`      - ${step}\n`));
    expect(problem?.message).toContain(message);
  });
});

describe("[WF53] spare steps", () => {
  const chain = (a: string, more = "") =>
    run(
      `  - { id: a, agent: dev, ${a} }\n  - { id: fix, agent: dev, spare: true }\n  - { id: b, agent: dev${more} }\n`,
    );

  test("are reached by a route that inserts them, and by nothing else", () => {
    expect(problemsOf(chain("on: { rejected: { insert: [fix], at_most: 2 } }"))).toEqual([]);
    expectRefused(chain("timeout: 5m"), "Step 'fix' is reached by no route", "steps[1]");
    expect(problemsOf(chain("timeout: 5m"))[0]?.hint).toContain("`insert: [fix]`");
    expectRefused(chain("on: { passed: { go_to: fix } }"), "'fix' is a spare step", "steps[0].on.passed.go_to");
    const back = chain("timeout: 5m", ", on: { rejected: { back_to: fix, at_most: 1 } }");
    expectRefused(back, "'fix' is a spare step", "steps[2].on.rejected.back_to");
  });

  test("are not the way from one step to the next", () => {
    // Without the jump over `fix` the step after it would count as reached only through it.
    const text = run(`  - { id: fix, agent: dev, spare: true }
  - { id: a, agent: dev, on: { rejected: { insert: [fix], at_most: 1 } } }
`);
    expect(problemsOf(text)).toEqual([]);
    expectRefused(run("  - { id: fix, agent: dev, spare: true }\n"), "is reached by no route", "steps[0]");
  });

  test.each([
    ["on: { rejected: { back_to: a } }, budget: { at_most: 1 }", "on.rejected.back_to: a spare step stands wherever"],
    ["on: { passed: { go_to: b } }", "on.passed.go_to: a spare step stands wherever"],
    ["on: { rejected: { insert: [b], before: a, at_most: 1 } }", "on.rejected.insert: a spare step stands wherever"],
  ])("name no place before or after themselves: %s", (fields, message) => {
    const text = run(
      `  - { id: a, agent: dev, on: { rejected: { insert: [fix], at_most: 1 } } }\n  - { id: fix, agent: dev, spare: true, ${fields} }\n  - { id: b, agent: dev }\n`,
    );
    expect(problemsOf(text).map((problem) => problem.message)).toContainEqual(expect.stringContaining(message));
  });

  test("[WF45] a question of a spare step leads out where its chain goes on", () => {
    const text = (options: string) =>
      run(`  - { id: a, agent: dev, on: { rejected: { insert: [ask], at_most: 1 } } }
  - { id: ask, gate: Why, spare: true, options: ${options} }
`);
    expect(problemsOf(text("{ on: next }"))).toEqual([]);
    expectRefused(text("{ once_more: again }"), "every answer only comes back", "steps[1]");
    const round = run(`  - { id: a, gate: Why, options: { look: { insert: [ask] } } }
  - { id: ask, gate: What, spare: true, options: { on: next } }
`);
    expectRefused(round, "every answer only comes back", "steps[0]");
  });

  test("an integration and stories cannot be inserted", () => {
    const text = `pawl: 1
id: x
agents: { dev: {} }
steps:
  - id: s
    stories: { workspace: worktree }
    body:
      - { id: a, agent: dev, on: { rejected: { insert: [i] } } }
      - { id: i, integrate: true }
`;
    expectRefused(text, "'i' is an integrate step", "steps[0].body[0].on.rejected.insert");
  });
});

describe("[WF54] what edits must leave alone", () => {
  test("one step of a chain is the last, and only an integration or a spare step stands behind it", () => {
    const two = story("      - { id: a, agent: dev, last: true }\n      - { id: b, agent: dev, last: true }\n");
    expectRefused(two, "'a' is the last step already", "steps[0].body[1].last");
    const behind = story("      - { id: a, agent: dev, last: true }\n      - { id: b, agent: dev }\n");
    expectRefused(behind, "Step 'a' is the last one, and 'b' comes after it", "steps[0].body[0].last");
    const fine = story(
      "      - { id: a, agent: dev, last: true, on: { rejected: { insert: [f] } } }\n      - { id: f, agent: dev, spare: true }\n",
    );
    expect(problemsOf(fine)).toEqual([]);
  });

  test.each([
    ["[b]", "follows 'b': is the step itself"],
    ["[c]", "follows 'c': comes later"],
    ["[f]", "follows 'f': is a spare step"],
    ["[q]", "follows 'q': not found"],
  ])("a step follows steps before it: %s", (follows, message) => {
    const text = story(`      - { id: a, agent: dev, on: { rejected: { insert: [f] } } }
      - { id: f, agent: dev, spare: true }
      - { id: b, agent: dev, follows: ${follows} }
      - { id: c, agent: dev }
`);
    expectRefused(text, message, "steps[0].body[2].follows[0]");
  });

  test("agents ask for edits in the files of a protocol, and those belong to a story", () => {
    const body = "      - { id: a, agent: dev, editable: true }\n";
    expectRefused(story(body, ""), "`editable` has no effect: the file has no `protocol`", "steps[0].body[0].editable");
    const own = `${story(body)}  - { id: z, agent: dev, editable: true }\n`;
    expectRefused(own, "`editable` has no effect: it is not a step of a story", "steps[1].editable");
    expectRefused(
      run("  - { id: a, agent: dev }\n").replace("id: x", "id: x\nprotocol: ralph"),
      "has no stories step",
      "protocol",
    );
  });
});

describe("who performs a step, and how", () => {
  const withAgent = (agent: string, step = "") =>
    `pawl: 1\nid: x\nagents: { dev: ${agent} }\nsteps:\n  - { id: a, agent: dev }\n  - { id: b, agent: dev${step} }\n`;
  const loaded = (text: string) => {
    const { definition, problems } = loadWorkflow(text, "w.yml", known);
    expect(problems).toEqual([]);
    return definition;
  };

  test("[WF63] several executors are one and those who go on after it", () => {
    const agentOf = (text: string) => Object.values(loaded(withAgent(text))?.agents ?? {})[0];
    expect(agentOf("{ executors: [claude, codex, gemini] }")).toMatchObject({
      executor: "claude",
      fallbacks: ["codex", "gemini"],
    });
    expect(agentOf("{ executors: [claude] }")).not.toHaveProperty("fallbacks");
    expect(agentOf("{}")).toMatchObject({ executor: null });
    expectRefused(
      withAgent("{ executor: claude, executors: [codex] }"),
      "`executor` and `executors` are both given",
      "agents.dev.executors",
    );
  });

  test("[WF63] an agent may only read where its file says so", () => {
    const [reader] = Object.values(loaded(withAgent("{ access: read }"))?.agents ?? {});
    expect(reader).toMatchObject({ access: "read" });
    const [writer] = Object.values(loaded(withAgent("{ access: write }"))?.agents ?? {});
    expect(writer).not.toHaveProperty("access");
  });

  test("[WF64] a session is fresh, or that of this step or one before it", () => {
    const second = (step: string) => loaded(withAgent("{}", step))?.steps[1];
    expect(second(", session: { same_as: a }")).toMatchObject({ session: "a" });
    expect(second(", session: { same_as: b }")).toMatchObject({ session: "b" });
    expect(second(", session: fresh")).not.toHaveProperty("session");
    const path = "steps[1].session.same_as";
    expectRefused(withAgent("{}", ", session: { same_as: c }"), "continues the session of 'c': not found", path);
    const later = run("  - { id: a, agent: dev, session: { same_as: b } }\n  - { id: b, agent: dev }\n");
    expectRefused(later, "continues the session of 'b': comes later", "steps[0].session.same_as");
    const command = run("  - { id: a, command: make }\n  - { id: b, agent: dev, session: { same_as: a } }\n");
    expectRefused(command, "continues the session of 'a': is a command step", path);
    expectRefused(
      run("  - { id: a, command: make, session: fresh }\n"),
      "no effect on a command step",
      "steps[0].session",
    );
  });
});

test("[PO1] a protocol that is not known is refused with its place and the names that there are", () => {
  const text = "pawl: 1\nprotocol: ralhp\nid: x\nsteps: [{ id: a, command: make }]\n";
  expect(loadWorkflow(text, "w.yml", known)).toMatchObject({
    definition: null,
    problems: [
      {
        line: 2,
        path: "protocol",
        message: "there is no protocol `ralhp`",
        expected: `one of: ${known.map(({ name }) => name).join(", ")}`,
        hint: "did you mean ralph?",
      },
    ],
  });
  const [alone] = loadWorkflow(text, "w.yml").problems;
  expect(alone).toMatchObject({ message: "there is no protocol `ralhp`", expected: "no `protocol`" });
});
