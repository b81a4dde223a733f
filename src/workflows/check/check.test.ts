import { describe, expect, test } from "vitest";
import { loadWorkflow } from "../load.ts";

const own = (steps: string) => `pawl: 1\nid: x\nagents: { dev: {}, rev: {} }\nsteps:\n${steps}`;
const antfarm = (steps: string) => `id: x\nagents: [{ id: dev }]\nsteps:\n${steps}`;
const errorsOf = (text: string) =>
  loadWorkflow(text, "w.yml").problems.filter((problem) => problem.severity === "error");
const warningsOf = (text: string) =>
  loadWorkflow(text, "w.yml").problems.filter((problem) => problem.severity === "warning");

/** Every problem says where, what instead, and what to do. */
function expectRefused(text: string, message: string, line: number): void {
  expect(errorsOf(text).map((problem) => problem.message)).toContainEqual(expect.stringContaining(message));
  const found = errorsOf(text).find((problem) => problem.message.includes(message));
  expect(found?.line).toBe(line);
  expect(found?.expected).not.toBe("");
  expect(found?.hint).not.toBe("");
  expect(loadWorkflow(text, "w.yml").definition).toBeNull();
}

describe("a verdict without a route", () => {
  test("[WF20] decide without on", () => {
    expectRefused(own("  - { id: a, agent: dev, decide: d }\n"), "Step 'a' has decide but no on", 5);
  });

  test("[B65] decision_key without on_decision, and the other way round", () => {
    expectRefused(
      antfarm("  - { id: a, agent: dev, input: x, decision_key: D }\n"),
      "Step 'a' has decision_key but no on_decision",
      4,
    );
    const other =
      "  - { id: a, agent: dev, input: x, on_decision: { ok: { next_step: b } } }\n  - { id: b, agent: dev, input: x }\n";
    expectRefused(antfarm(other), "Step 'a' has on_decision but no decision_key", 4);
  });

  test("[WF20 B56] a decision that leads nowhere or to two places", () => {
    const step = (route: string) =>
      `  - { id: a, agent: dev, input: x }\n  - { id: b, agent: dev, input: x, decision_key: D, on_decision: { v: ${route} } }\n`;
    expectRefused(antfarm(step("{}")), "Route for decision 'v' has no next_step or retry_step", 5);
    expectRefused(antfarm(step("{ next_step: c, retry_step: a }")), "Route for decision 'v' has both", 5);
    expectRefused(
      antfarm("  - { id: a, agent: dev, input: x, decision_key: D, on_decision: {} }\n"),
      "without values",
      4,
    );
  });
});

test("[WF106 D4] nothing can be awaited where no protocol finds reports", () => {
  const agents = (dev: string, more = "") =>
    `pawl: 1\nid: x\n${more}agents:\n  dev: { ${dev} }\nsteps:\n  - { id: a, agent: dev }\n`;
  expectRefused(agents("executor: await"), "Agent 'dev': the executor `await` waits for reports in files", 4);
  expectRefused(agents("executors: [claude, await]"), "waits for reports in files", 4);
  const toy = { name: "toy", templateKeys: [], takesEdits: false, needsStories: false, canAwait: true };
  const text = agents("executor: await", "protocol: toy\n");
  expect(loadWorkflow(text, "w.yml", [toy]).problems).toEqual([]);
  expect(loadWorkflow(text, "w.yml", [{ ...toy, canAwait: false }]).problems).toMatchObject([
    { message: expect.stringContaining("`protocol: toy` has none") },
  ]);
});

describe("a cycle without a limit", () => {
  test.each([
    ["on: { rejected: again }", "on.rejected"],
    ["on: { rejected: { back_to: a } }", "on.rejected.back_to"],
    ["on: { rejected: { insert: [a] } }", "on.rejected.insert"],
    ["on_error: again", "on_error"],
    ["on_unreadable: again, budget: { at_most: 2 }", "on_unreadable"],
    ["on_error: again, budget: { at_most: 2 }", "on_error"],
    ["decide: d, on: { ok: next, no: { back_to: a } }", "on.no.back_to"],
  ])("at run level: %s", (fields, label) => {
    expectRefused(
      own(`  - { id: a, agent: dev }\n  - { id: b, agent: dev, ${fields} }\n`),
      `Step 'b' ${label}: a cycle without a limit`,
      6,
    );
  });

  test("[WF21] what follows a limit must not repeat", () => {
    const steps =
      "  - { id: a, agent: dev }\n  - { id: b, agent: dev, on: { rejected: { again, at_most: 1, then: { back_to: a } } } }\n";
    expectRefused(own(steps), "repeats without a limit", 6);
  });

  test("[WF21] a budget of the step, a story's budget and a person are limits", () => {
    const steps = `  - { id: a, agent: dev }
  - { id: b, agent: dev, budget: { at_most: 2, then: gate }, on: { rejected: { back_to: a } } }
  - { id: s, stories: {}, body: [{ id: s, agent: dev, on_error: again, on: { rejected: again } }] }
  - { id: g, gate: "Good?", options: { yes: next, no: { back_to: a } } }
`;
    expect(errorsOf(own(steps))).toEqual([]);
  });
});

describe("targets", () => {
  const decided = (route: string) =>
    antfarm(`  - { id: a, agent: dev, input: x }
  - { id: b, agent: dev, input: x, decision_key: D, on_decision: { ok: { next_step: c }, v: ${route} } }
  - { id: c, agent: dev, input: x }
`);

  test("[B66] next_step must exist and come after", () => {
    expectRefused(decided("{ next_step: cc }"), "Step 'b' on_decision.v.next_step 'cc' not found", 5);
    expectRefused(decided("{ next_step: a }"), "Step 'b' on_decision.v.next_step 'a' must be after current step", 5);
  });

  test("[B67] retry_step must exist", () => {
    expectRefused(decided("{ retry_step: nobody }"), "Step 'b' on_decision.v.retry_step 'nobody' not found", 5);
  });

  test("[B68] retry_step cannot be the step itself", () => {
    expectRefused(
      decided("{ retry_step: b }"),
      "Step 'b' on_decision.v.retry_step cannot target itself (use on_fail for same-step retry)",
      5,
    );
  });

  test("[B69] retry_step must be before", () => {
    expectRefused(decided("{ retry_step: c }"), "Step 'b' on_decision.v.retry_step 'c' must be before current step", 5);
  });

  test("[WF22] the same holds for our own routes, also for the options of a gate", () => {
    const step = (route: string) =>
      own(
        `  - { id: a, agent: dev }\n  - { id: b, agent: dev, on: { rejected: ${route} } }\n  - { id: c, agent: dev }\n`,
      );
    expectRefused(
      step("{ back_to: c, at_most: 1 }"),
      "Step 'b' on.rejected.back_to 'c' must be before current step",
      6,
    );
    expectRefused(step("{ back_to: b, at_most: 1 }"), "cannot target itself", 6);
    expectRefused(step("{ go_to: a }"), "'a' must be after current step", 6);
    expectRefused(step("{ go_to: b }"), "Step 'b' on.rejected.go_to cannot target itself (use again for", 6);
    expectRefused(step("{ insert: [b], at_most: 1 }"), "cannot target itself", 6);
    expectRefused(step("{ insert: [q], at_most: 1 }"), "'q' not found", 6);
    expectRefused(
      step("{ gate: Why, options: { yes: next, no: { back_to: q } } }"),
      "on.rejected.options.no.back_to 'q' not found",
      6,
    );
  });

  test("[B67] on_fail.retry_step must exist", () => {
    expectRefused(
      antfarm("  - { id: a, agent: dev, input: x, on_fail: { retry_step: q } }\n"),
      "Step 'a' on_fail.retry_step 'q' not found",
      4,
    );
  });

  test("[WF23] a step of a body leads to its own body only", () => {
    const steps = `  - { id: a, agent: dev }\n  - { id: s, stories: {}, body: [{ id: s, agent: dev }, { id: v, agent: dev, on: { rejected: { back_to: a } } }] }\n`;
    expectRefused(
      own(steps),
      "Step 'v' on.rejected.back_to 'a' not found in the body of 's': it is a step of the run's own chain",
      6,
    );
  });

  test("[WF23] not to the body of other stories, and no answer leads out of a body", () => {
    const two = (on: string) =>
      own(
        `  - { id: s, stories: {}, body: [{ id: one, agent: dev }] }\n  - { id: t, stories: {}, body: [{ id: two, agent: dev, ${on} }] }\n`,
      );
    expectRefused(two("on: { rejected: { back_to: one } }"), "in the body of 't': it is a step of the body of 's'", 6);
    expectRefused(two("on: { rejected: { gate: Why, options: { up: { back_to: s } } } }"), "of the run's own chain", 6);
    expectRefused(two("on: { passed: { go_to: t } }"), "of the run's own chain", 6);
  });

  test("[WF23 B67] a decision of an antfarm file cannot go back to the verify step of a loop", () => {
    const steps = `  - { id: l, agent: dev, input: x, type: loop, loop: { over: stories, verify_each: true, verify_step: v } }
  - { id: v, agent: dev, input: x }
  - { id: r, agent: dev, input: x, decision_key: D, on_decision: { no: { retry_step: v } } }
`;
    const message =
      "Step 'r' on_decision.no.retry_step 'v' not found in the run's own chain: it is a step of the body of 'l'";
    expectRefused(antfarm(steps), message, 6);
  });

  test("[WF23] a step in a body is not reached from outside; the hint names its stories step", () => {
    const steps =
      "  - { id: s, stories: {}, body: [{ id: s, agent: dev }, { id: verify, agent: dev }] }\n  - { id: t, agent: dev, on: { rejected: { back_to: verify, at_most: 1 } } }\n";
    expect(errorsOf(own(steps))[0]?.hint).toContain("go to 's'");
  });
});

describe("steps", () => {
  test("[WF24] one that nothing reaches is refused in our own files", () => {
    const steps =
      "  - { id: a, agent: dev, decide: d, on: { ok: { go_to: c } }, on_error: fail }\n  - { id: b, agent: dev }\n  - { id: c, agent: dev }\n";
    expectRefused(own(steps), "Step 'b' is reached by no route", 6);
  });

  test("[B48] and a warning in antfarm's, where a decision may jump over a step", () => {
    const steps = `  - { id: a, agent: dev, input: x }
  - { id: review, agent: dev, input: x, decision_key: D, on_decision: { approved: { next_step: c }, bad: { retry_step: a } } }
  - { id: x, agent: dev, input: x }
  - { id: c, agent: dev, input: x }
`;
    expect(errorsOf(antfarm(steps))).toEqual([]);
    expect(warningsOf(antfarm(steps))[0]).toMatchObject({ line: 6, message: "Step 'x' is reached by no route" });
  });

  test("[WF25] an agent that does not exist, with the one that was meant", () => {
    expectRefused(own("  - { id: a, agent: dve }\n"), "there is no agent 'dve'", 5);
    expect(errorsOf(own("  - { id: a, agent: dve }\n"))[0]?.hint).toBe("did you mean `dev`?");
    expectRefused(own("  - { id: a, agent: constructor }\n"), "there is no agent", 5);
  });

  test("[WF26] an id that stands twice in its chain; a stories step and its first step may share one", () => {
    expectRefused(own("  - { id: a, agent: dev }\n  - { id: a, agent: rev }\n"), "Step 'a' exists twice", 6);
    expect(errorsOf(own("  - { id: s, stories: {}, body: [{ id: s, agent: dev }] }\n"))).toEqual([]);
  });

  test.each(["a/b", "../x", "a b", "x.lock"])("an id that is unsafe in a path: %s", (id) => {
    expectRefused(own(`  - { id: "${id}", agent: dev }\n`), "cannot be used in paths", 5);
    expectRefused(`pawl: 1\nid: "${id}"\nsteps: [{ id: a, command: x }]\n`, "the workflow id", 2);
    expectRefused(`pawl: 1\nid: x\nagents: { "${id}": {} }\nsteps: [{ id: a, command: x }]\n`, "the agent id", 3);
  });

  test("[WF9] no kind, two kinds, and fields that a kind does not have", () => {
    expectRefused(own("  - { id: a, input: x }\n"), "Step 'a' has nothing to do", 5);
    expectRefused(own("  - { id: a, agent: dev, command: x }\n"), "agent and command at once", 5);
    expectRefused(own("  - { id: a, gate: Why, checks: [x] }\n"), "`checks` has no effect on a gate step", 5);
    expectRefused(own("  - { id: a, stories: {} }\n"), "stories but no body", 5);
    expectRefused(own("  - { id: a, gate: }\n"), "asks nothing", 5);
  });
});

describe("[WF46 B74] keys with two authors", () => {
  const keyed = (first: string, second: string) =>
    own(`  - { id: a, agent: dev, ${first} }\n  - { id: b, agent: rev, ${second} }\n`);

  test("are refused in our own files, whatever the case", () => {
    const text = keyed("produces: [summary, x]", "produces: [y, Summary]");
    expectRefused(text, "Step 'b': the key 'summary' is produced by 'a' already", 6);
    expect(errorsOf(text)[0]).toMatchObject({ path: "steps[1].produces", hint: "name it after its step: `b_summary`" });
  });

  test("are a warning in antfarm's", () => {
    const steps =
      "  - { id: a, agent: dev, input: x, output_keys: [SUMMARY] }\n  - { id: b, agent: dev, input: x, output_keys: [SUMMARY] }\n";
    expect(errorsOf(antfarm(steps))).toEqual([]);
    expect(warningsOf(antfarm(steps))).toMatchObject([
      { line: 5, path: "steps[1].output_keys", message: "Step 'b': the key 'summary' is produced by 'a' already" },
    ]);
  });

  test("STATUS and what decides are each step's own", () => {
    const decides = "produces: [status, decision], decide: decision, on: { ok: next, no: fail }";
    expect(errorsOf(keyed(decides, decides))).toEqual([]);
    expectRefused(keyed("produces: [decision]", "produces: [decision]"), "'decision' is produced by 'a' already", 6);
  });

  test("a pair of a body of which one sends back to the other may share them; others in the body may not", () => {
    const body = (steps: string) => own(`  - { id: s, stories: {}, body: [${steps}] }\n`);
    const code = "{ id: code, agent: dev, produces: [changes] }";
    const verify = "{ id: verify, agent: rev, produces: [changes], on: { rejected: { back_to: code } } }";
    expect(errorsOf(body(`${code}, ${verify}`))).toEqual([]);
    expectRefused(body(`${code}, { id: tell, agent: rev, produces: [changes] }`), "produced by 'code' already", 5);
    expectRefused(
      `${body(`${code}, ${verify}`)}  - { id: end, agent: dev, produces: [changes] }\n`,
      "Step 'end': the key 'changes' is produced by 'code' already",
      6,
    );
  });
});

describe("stories", () => {
  test("[WF27] several at a time need a worktree each", () => {
    expectRefused(
      own("  - { id: s, stories: { concurrency: 3 }, body: [{ id: s, agent: dev }] }\n"),
      "needs a worktree per story",
      5,
    );
  });

  test("[WF27] stories inside stories are refused; one after the other is fine", () => {
    expectRefused(
      own("  - { id: s, stories: {}, body: [{ id: t, stories: {}, body: [{ id: u, agent: dev }] }] }\n"),
      "stories inside the body",
      5,
    );
    const two =
      "  - { id: s, stories: {}, body: [{ id: s, agent: dev }] }\n  - { id: t, stories: {}, body: [{ id: t, agent: dev }] }\n";
    expect(errorsOf(own(two))).toEqual([]);
  });

  test("[WF27] a story's budget cannot lead on", () => {
    expectRefused(
      own("  - { id: s, stories: {}, body: [{ id: s, agent: dev }], story_budget: { at_most: 1, then: next } }\n"),
      "cannot lead to `next`",
      5,
    );
  });
});

describe("warnings", () => {
  test("[WF28] a limit of 0, and one that may take days", () => {
    const step = (limit: number) =>
      own(`  - { id: a, agent: dev, timeout: 45m, on: { rejected: { again, at_most: ${limit} } } }\n`);
    expect(warningsOf(step(0))[0]?.message).toContain("never taken");
    expect(warningsOf(step(100))[0]?.message).toContain("a limit of 100 may take 3d3h, at 45m for each attempt");
    expect(warningsOf(step(50))).toEqual([]);
  });

  test("[WF28] how long a limit may take is that of all steps that run again", () => {
    const text = (limit: string) =>
      own(`  - { id: a, agent: dev, timeout: 2h }
  - { id: g, gate: "Continue?" }
  - { id: s, stories: {}, body: [{ id: s, agent: dev, timeout: 1h }] }
  - { id: b, agent: dev, ${limit} }
`);
    const message = (limit: string) => warningsOf(text(limit)).map((problem) => problem.message);
    const round = "at 3h30m for each round from a to b";
    expect(message("on: { rejected: { back_to: a, at_most: 10000 } }")).toEqual([
      `Step 'b': a limit of 10000 may take 1458d8h, ${round}`,
    ]);
    expect(message("decide: d, on: { x: again, y: { back_to: a } }, budget: { at_most: 14 }")).toEqual([
      `Step 'b': a limit of 14 may take 2d1h, ${round}`,
    ]);
    expect(message("on: { rejected: { insert: [a], at_most: 20 } }")).toEqual([
      "Step 'b': a limit of 20 may take 2d2h, at 2h30m for each round from a to b",
    ]);
    expect(message("on: { rejected: { back_to: a, at_most: 13 } }")).toEqual([]);
    expect(message("on: { rejected: { back_to: a, at_most: 0 } }")).toEqual([
      "Step 'b': a limit of 0: the route is never taken",
    ]);
  });

  test("[WF28] the tries of a story count its whole body", () => {
    const text = own(
      "  - { id: s, stories: {}, story_budget: { at_most: 60 }, body: [{ id: s, agent: dev, timeout: 1h }, { id: v, agent: dev }] }\n",
    );
    expect(warningsOf(text)[0]).toMatchObject({
      path: "steps[0].story_budget",
      message: "Step 's': a limit of 60 may take 3d18h, at 1h30m for each round from s to v",
    });
  });

  test("[WF28] one number that limits two routes is told once", () => {
    expect(warningsOf(antfarm("  - { id: a, agent: dev, input: x, max_retries: 99 }\n"))).toHaveLength(1);
  });

  test("a key that nobody sets, at its line in the input, once", () => {
    const text = own(
      "  - id: a\n    agent: dev\n    input: |\n      {{task}} and {{ Tsak }}\n      CHANGES: {{changes}}\n      {{tsak}} {{ progress }}\n",
    );
    expect(warningsOf(text)).toMatchObject([
      { line: 8, column: 20, message: "Step 'a': `{{tsak}}` is never set", hint: "did you mean `{{task}}`?" },
    ]);
  });

  test("[WF28] where a step may print the key, the hint says how the file tells so", () => {
    const text = (input: string) =>
      own(`  - { id: a, agent: dev, input: ${JSON.stringify(input)} }\n  - { id: b, gate: "Ship {{plan}}?" }\n`);
    expect(warningsOf(text("Plan it."))).toMatchObject([
      { hint: expect.stringMatching(/in its input, as a line `PLAN: …`/) },
    ]);
    expect(warningsOf(text("Plan it.\nPLAN: …"))).toEqual([]);
    expect(warningsOf(text("{{a-b.c}}\nPLAN: x"))[0]?.hint).toMatch(/^it will read/);
  });

  test("[WF66] a question of a gate is a template, at a step and at a route", () => {
    const text = own(
      '  - { id: a, agent: dev, on: { rejected: { again, at_most: 1, then: { gate: "Why {{isues}}?" } } } }\n  - { id: b, gate: "Ship {{taks}} for {{task}}?" }\n',
    );
    expect(warningsOf(text).map(({ path, message }) => `${path}: ${message}`)).toEqual([
      "steps[0].on.rejected.then.gate: Step 'a': `{{isues}}` is never set",
      "steps[1].gate: Step 'b': `{{taks}}` is never set",
    ]);
  });

  test("[WF66] escapes and what is not a placeholder need no key; other languages are named", () => {
    const input = (text: string) => warningsOf(own(`  - { id: a, agent: dev, input: '${text}' }\n`));
    expect(input('\\{{x}} {{.Names}} {{ color: "red" }} {{y | default: "z"}} {{json .}}')).toEqual([]);
    expect(input("${{ secrets.X }}")[0]).toMatchObject({
      message: "Step 'a': `{{secrets.x}}` is never set",
      hint: "to keep it as typed, write `\\{{ secrets.X }}`",
    });
    for (const text of ["{{ task | upper }}", "{{#if x}}", "{{task", "{{task}"]) {
      const [problem] = input(`${text} and more`);
      expect([text, problem?.message]).toEqual([
        text,
        `Step 'a': \`${text}\` is not a placeholder and stays as it is typed`,
      ]);
    }
  });

  test("[WF66 PR42] in antfarm's files what looks like another language is not warned about", () => {
    const input = (text: string) => warningsOf(antfarm(`  - { id: a, agent: dev, input: '${text}' }\n`));
    expect(input("${{ secrets.X }} {{end}} style={{color}} {{#if x}}")).toEqual([]);
    expect(input("{{nope}}")).toHaveLength(1);
  });

  test("[WF28] a used-up limit that goes on as if nothing had happened", () => {
    expect(
      warningsOf(own("  - { id: a, agent: dev, on: { rejected: { again, at_most: 1, then: next } } }\n"))[0]?.message,
    ).toContain("as if the step had passed");
  });
});
