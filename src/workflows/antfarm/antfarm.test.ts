import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { AgentStep, Definition, StoriesStep } from "../../domain/definition.ts";
import type { Route } from "../../domain/route.ts";
import { loadWorkflow } from "../load.ts";

const samples = fileURLToPath(new URL("../../../../shared/samples/antfarm/", import.meta.url));
const absent = !existsSync(samples);
if (absent) console.warn(`skipped: antfarm's own files are not at ${samples}`);

const errorsOf = (text: string) =>
  loadWorkflow(text, "workflow.yml").problems.filter((problem) => problem.severity === "error");

function loadSample(path: string): Definition {
  const { definition, problems } = loadWorkflow(readFileSync(samples + path, "utf8"), path);
  expect(problems.filter((problem) => problem.severity === "error")).toEqual([]);
  if (!definition) throw new Error("no definition");
  return definition;
}

/** A route in a word or two, so that a whole chain fits into an expectation. */
function brief(route: Route | undefined): string {
  if (!route) return "-";
  if (route.to === "back_to" || route.to === "go_to") return `${route.to} ${route.step}`;
  return route.to === "gate" ? `gate ${Object.keys(route.options).join("/")}` : route.to;
}

function briefRules(step: AgentStep): string[] {
  const rules = [...Object.entries(step.on), ["error", step.onError] as const];
  return rules.map(
    ([key, rule]) =>
      `${key}: ${brief(rule?.route)}${rule?.limit ? ` ${rule.limit.atMost} then ${brief(rule.limit.then)}` : ""}`,
  );
}

describe("the bundled files of antfarm", () => {
  test.skipIf(absent)("feature-dev: the loop becomes stories with a body, and test and review go back to it", () => {
    const definition = loadSample("workflows/feature-dev/workflow.yml");
    expect(definition).toMatchObject({ dialect: "antfarm", workspace: { branch: "by_step" }, pollEveryMs: 300_000 });
    expect(definition.steps.map((step) => `${step.name} ${step.kind}`)).toEqual([
      "plan agent",
      "setup agent",
      "implement stories",
      "test agent",
      "pr agent",
      "review agent",
    ]);
    const loop = definition.steps[2] as StoriesStep;
    expect(loop).toMatchObject({
      concurrency: 1,
      onStoryFailed: "stop",
      storyBudget: { atMost: 1, then: { to: "gate" } },
    });
    expect((loop.body as AgentStep[]).map((step) => [step.name, step.agent, ...briefRules(step)])).toEqual([
      ["implement", "developer", "passed: next", "rejected: again", "error: again"],
      ["verify", "verifier", "passed: next", "rejected: back_to implement", "error: again 2 then gate again/stop"],
    ]);
    expect(briefRules(definition.steps[3] as AgentStep)).toEqual([
      "passed: next",
      "rejected: back_to implement 2 then gate continue/accept/stop",
      "error: again 2 then gate again/stop",
    ]);
    expect(briefRules(definition.steps[5] as AgentStep)[1]).toBe(
      "rejected: back_to implement 3 then gate continue/accept/stop",
    );
    expect(definition.agents).toMatchObject({
      planner: { title: "Planner", model: null, files: { "SOUL.md": "agents/planner/SOUL.md" } },
    });
  });

  test.skipIf(absent)("bug-fix: a chain of single steps, verify goes back to fix", () => {
    const definition = loadSample("workflows/bug-fix/workflow.yml");
    expect(definition.steps.map((step) => step.name)).toEqual([
      "triage",
      "investigate",
      "setup",
      "fix",
      "verify",
      "pr",
    ]);
    expect(briefRules(definition.steps[0] as AgentStep)).toEqual([
      "passed: next",
      "rejected: again 2 then gate continue/accept/stop",
      "error: again 2 then gate again/stop",
    ]);
    expect(briefRules(definition.steps[4] as AgentStep)[1]).toBe(
      "rejected: back_to fix 3 then gate continue/accept/stop",
    );
    expect(definition.knownKeys).toEqual(expect.arrayContaining(["verify_feedback", "root_cause", "task"]));
  });

  const community = absent ? [] : readdirSync(`${samples}community`);
  const conditional = community.filter((file) => file.includes("pipeline-orchestrator"));
  test.skipIf(absent).each(community.filter((file) => !conditional.includes(file)))(
    "files in use load without errors: %s",
    (file) => {
      loadSample(`community/${file}`);
    },
  );

  test.skipIf(absent)("[WF65] the one whose steps have a condition is refused, each condition at its line", () => {
    const errors = conditional.flatMap((file) => errorsOf(readFileSync(`${samples}community/${file}`, "utf8")));
    expect(errors).toHaveLength(9);
    expect(errors[0]).toMatchObject({
      line: 147,
      message: "Step 'dispatch-requirements': `condition` is not evaluated: the step would always run",
    });
  });

  test.skipIf(absent)("keys that nothing reads are warnings, said once", () => {
    const file = community.find((name) => name.includes("swarm-requirements")) ?? "";
    const { problems } = loadWorkflow(readFileSync(`${samples}community/${file}`, "utf8"), file);
    const dependsOn = problems.filter((problem) => problem.message.includes("`depends_on`"));
    expect(dependsOn).toHaveLength(1);
    expect(dependsOn[0]).toMatchObject({ severity: "warning", hint: "the order of the file is used" });
  });
});

const file = (steps: string, more = "") => `id: x\nagents: [{ id: dev }]\n${more}steps:\n${steps}`;
const verifyStep = "  - { id: v, agent: dev, input: x }\n";
const loop = (fields: string, more = "") =>
  `  - { id: l, agent: dev, input: x, type: loop, loop: { ${fields} }${more} }\n`;

describe("[WF30] what a loop must say", () => {
  test.each([
    [
      "[A53] type loop without loop",
      "  - { id: l, agent: dev, input: x, type: loop }\n",
      "Step 'l' has type loop but no loop",
    ],
    [
      "[A54] over something else than stories",
      loop("over: files"),
      'Step \'l\' loop.over must be "stories", not "files"',
    ],
    [
      "[A55] another completion",
      loop("over: stories, completion: any"),
      "Step 'l' loop.completion must be \"all_done\"",
    ],
    [
      "[A56] verify_each without verify_step is refused",
      loop("over: stories, verify_each: true"),
      "Step 'l' has loop.verify_each but no loop.verify_step",
    ],
    [
      "[A56] verify_step that does not exist",
      loop("over: stories, verify_each: true, verify_step: q"),
      "Step 'l' loop.verify_step 'q' not found",
    ],
    [
      "[A56] verify_step that is the loop itself",
      loop("over: stories, verify_each: true, verify_step: l"),
      "cannot be the loop itself",
    ],
    [
      "[A56] verify_step before the loop",
      verifyStep + loop("over: stories, verify_each: true, verify_step: v"),
      "must come after the loop",
    ],
    [
      "[A58] loop on a single step",
      "  - { id: l, agent: dev, input: x, loop: { over: stories } }\n",
      "Step 'l' has loop but its type is not loop",
    ],
    [
      "[B70] decision_key on a loop",
      loop("over: stories", ", decision_key: D"),
      "Step 'l' is a loop and cannot have decision_key",
    ],
    [
      "[B70] decision_key on the verify step of a loop",
      `${loop("over: stories, verify_each: true, verify_step: v")}  - { id: v, agent: dev, input: x, decision_key: D, on_decision: { a: { next_step: b } } }\n`,
      "Step 'v' verifies each story of 'l' and cannot have decision_key",
    ],
  ])("%s", (_, steps, message) => {
    expect(errorsOf(file(steps)).map((problem) => problem.message)).toContainEqual(expect.stringContaining(message));
    const found = errorsOf(file(steps)).find((problem) => problem.message.includes(message));
    expect(found?.line).toBeGreaterThanOrEqual(4);
  });

  test("[WF29 A18] without verify_each the verify step stays in the chain", () => {
    const { definition } = loadWorkflow(file(loop("over: stories") + verifyStep), "w.yml");
    expect(definition?.steps.map((step) => step.name)).toEqual(["l", "v"]);
    expect(definition?.steps[0]).toMatchObject({ body: [{ name: "l" }] });
  });

  test("[A57] both spellings give the same definition", () => {
    const snake = file(
      loop("over: stories, completion: all_done, verify_each: true, verify_step: v") + verifyStep,
      "cron: { interval_ms: 60000 }\n",
    );
    const camel = file(
      loop("over: stories, completion: all_done, verifyEach: true, verifyStep: v") + verifyStep,
      "cron: { intervalMs: 60000 }\n",
    );
    expect(loadWorkflow(camel, "w.yml").definition).toEqual(loadWorkflow(snake, "w.yml").definition);
    expect(loadWorkflow(snake, "w.yml").definition).not.toBeNull();
  });

  test("[WF31 A44] a story has two tries, or what the file says", () => {
    const budget = (text: string) => {
      const step = loadWorkflow(file(text), "w.yml").definition?.steps[0];
      return step?.kind === "stories" ? step.storyBudget.atMost : null;
    };
    expect(budget(loop("over: stories", ", max_retries: 7"))).toBe(1);
    expect(budget(loop("over: stories, max_retries: 4"))).toBe(3);
    expect(budget(loop("over: stories", ", story_max_retries: 3"))).toBe(2);
  });
});

describe("[WF34] who is asked when the tries of a story are used up", () => {
  const human = ", on_fail: { escalate_to: human }";
  const verified = "over: stories, verify_each: true, verify_step: v";
  const verify = (more: string) => `  - { id: v, agent: dev, input: x${more} }\n`;
  const thenOf = (steps: string) => {
    const { definition, problems } = loadWorkflow(file(steps), "w.yml");
    const [each] = definition?.steps ?? [];
    if (each?.kind !== "stories") throw new Error(JSON.stringify(problems));
    return [brief(each.storyBudget.then), ...each.body.slice(1).map((step) => briefRules(step as AgentStep)[2])];
  };

  test.each([
    ["the loop escalates", loop("over: stories", human), ["gate continue/accept/stop"]],
    [
      "its verify step does",
      loop(verified) + verify(human),
      ["gate continue/accept/stop", "error: again 2 then gate again/stop"],
    ],
    [
      "the loop does, its verify step does not",
      loop(verified, ", on_fail: escalate_to_human") + verify(""),
      ["gate continue/accept/stop", "error: again 2 then fail"],
    ],
    ["neither does", loop(verified) + verify(""), ["fail", "error: again 2 then fail"]],
  ])("%s", (_, steps, expected) => {
    expect(thenOf(steps)).toEqual(expected);
  });

  test("an escalation to no person is a warning there, too", () => {
    const slack = ", escalate_to: slack";
    const { problems } = loadWorkflow(file(loop(verified, slack) + verify(slack)), "w.yml");
    expect(problems.map(({ severity, path }) => `${severity} ${path}`)).toEqual([
      "warning steps[0].escalate_to",
      "warning steps[1].escalate_to",
    ]);
  });
});

describe("[WF65] keys that would change what the file means are errors", () => {
  const errorOf = (field: string, more = "") => errorsOf(file(`  - { id: a, agent: dev, input: x, ${field} }\n`, more));

  test.each([
    ["approval: true", /asks for a person/, /gate/],
    ["approval: required", /asks for a person/, /gate/],
    ["requiresApproval: true", /`requiresApproval` asks for a person/, /gate/],
    ["gate: deploy", /`gate` asks for a person/, /gate/],
    ["manualGate: true", /`manualGate` asks for a person/, /gate/],
    ["review_required: true", /asks for a person/, /gate/],
    ["approvers: [ann]", /asks for a person/, /gate/],
    ["confirm: true", /asks for a person/, /gate/],
    ["pause: true", /asks for a person/, /gate/],
    ["executor: manual", /an agent would do it/, /gate/],
    ["assignee: human", /an agent would do it/, /gate/],
    ["wait_for: human", /`wait_for: human` wants a person/, /gate/],
    ["execute_if: x", /would always run/, /on_decision/],
    ['condition: "x == 1"', /would always run/, /on_decision/],
    ["when: x", /would always run/, /on_decision/],
    ["enabled: false", /the step would run/, /remove the step/],
  ])("%s", (field, message, hint) => {
    expect(errorOf(field)).toMatchObject([
      { message: expect.stringMatching(message), hint: expect.stringMatching(hint), line: 4 },
    ]);
    expect(errorOf(field)[0]?.message).toMatch(/^Step 'a': /);
  });

  test("what they do not change stays a warning", () => {
    const harmless = ["approval: false", "executor: claude", "condition: true", "enabled: true", "parallel: true"];
    for (const field of [...harmless, "gate: false", "review: strict", "assignee: dev", "mode: fast"])
      expect([field, errorOf(field)]).toEqual([field, []]);
  });
});

describe("decisions", () => {
  const decided = (fields: string) =>
    file(`  - { id: a, agent: dev, input: x }
  - { id: b, agent: dev, input: x, decision_key: DECISION, on_decision: { Approved: { next_step: c }, Bad: { retry_step: a } }, ${fields} }
  - { id: c, agent: dev, input: x }
`);
  const stepOf = (fields: string) => loadWorkflow(decided(fields), "w.yml").definition?.steps[1] as AgentStep;

  test("[WF32 B43] [B45] key and values are folded; next_step is go_to, retry_step is back_to", () => {
    const step = stepOf("max_retries: 3");
    expect(step.decide).toBe("decision");
    expect(briefRules(step)).toEqual([
      "=approved: go_to c",
      "=bad: back_to a",
      "error: again 3 then gate approved/bad/again/stop",
    ]);
  });

  test("[WF12 WF32] `default` is every other value", () => {
    const text = decided("expects: x").replace("Bad:", "default:");
    const step = loadWorkflow(text, "w.yml").definition?.steps[1] as AgentStep;
    expect(briefRules(step)).toEqual([
      "=approved: go_to c",
      "=: back_to a",
      "error: again 2 then gate approved/default/again/stop",
    ]);
  });

  test("[B52] [B53] one limit for all routes back: 3 unless the file says otherwise", () => {
    expect(stepOf("expects: x").budget).toEqual({
      atMost: 3,
      then: { to: "fail", reason: "Decision retries exhausted after 3 attempts" },
    });
    expect(stepOf("on_fail: { max_retries: 5 }").budget?.atMost).toBe(5);
    expect(brief(stepOf("max_retries: 2, on_fail: { escalate_to: human }").budget?.then)).toBe(
      "gate continue/accept/stop",
    );
  });
});

describe("the decision loop: brainstorm, plan, work, review, compound", () => {
  const work = (id: string, seconds: number) =>
    `  - { id: ${id}, agent: ${id}, input: "${id}: {{task}}", expects: "STATUS: done", timeoutSeconds: ${seconds}, max_retries: 2, on_fail: { escalate_to: human } }\n`;
  const loopFile = (review: string, more = "") => `id: loop
version: 1
${more}agents: [{ id: brainstorm }, { id: plan }, { id: work }, { id: review }, { id: compound }]
steps:
${work("brainstorm", 900)}${work("plan", 900)}${work("work", 1800)}  - id: review
    agent: review
    input: "{{task}}"
    expects: "STATUS: done"
    timeoutSeconds: 1200
${review}${work("compound", 600)}`;
  const decision = (values: string, retries: number) => `    decision_key: DECISION
    on_decision:
      approved: { next_step: compound }
${values}    max_retries: ${retries}
    on_exhausted: { escalate_to: human }
`;
  const rejected = "      rejected: { retry_step: brainstorm, pass_outputs: [issues] }\n";
  const needsFixes = "      Needs_Fixes: { retry_step: work, pass_outputs: [issues] }\n";
  const load = (text: string) => {
    const { definition, problems } = loadWorkflow(text, "w.yml");
    expect(problems.filter((problem) => problem.severity === "error")).toEqual([]);
    return {
      review: definition?.steps[3] as AgentStep,
      warnings: problems.map((problem) => problem.message),
      definition,
    };
  };

  test("[WF28 WF32 B52] two ways with 50 retries: it loads, and a warning says how long they may take", () => {
    const { review, warnings } = load(loopFile(decision(rejected, 50)));
    expect(review.budget).toMatchObject({ atMost: 50, then: { to: "gate" } });
    expect(warnings).toContain(
      "Step 'review': a limit of 50 may take 2d18h, at 1h20m for each round from brainstorm to review",
    );
  });

  test("[WF32] two ways with 3 retries: no such warning, and on to the step that follows anyway", () => {
    const { review, warnings } = load(loopFile(decision(rejected, 3)));
    expect(briefRules(review).slice(0, 2)).toEqual(["=approved: go_to compound", "=rejected: back_to brainstorm"]);
    expect(warnings).toEqual(["Step 'review': unknown key `pass_outputs`; it has no effect"]);
  });

  test("[WF32 WF34 B45 B64 B75] three ways: folded, one limit for both ways back, then a person is asked", () => {
    const { review } = load(loopFile(decision(needsFixes + rejected, 3)));
    expect(briefRules(review)).toEqual([
      "=approved: go_to compound",
      "=needs_fixes: back_to work",
      "=rejected: back_to brainstorm",
      "error: again 3 then gate approved/needs_fixes/rejected/again/stop",
    ]);
    expect(review.budget?.atMost).toBe(3);
    expect(brief(review.budget?.then)).toBe("gate needs_fixes/rejected/accept/stop");
    expect(Object.values(review.on).map((rule) => rule?.limit)).toEqual([null, null, null]);
  });

  test("[WF33 WF35 B27 B30 B77 B83] linear, with routing reduced to comments and the context initialised", () => {
    const context = 'context: { task: "{{task}}", repo: "{{repo}}", review_issues: "", decision: "" }\n';
    const { definition, warnings } = load(loopFile("    # decision_key: DECISION\n    max_retries: 3\n", context));
    expect(warnings).toEqual([]);
    expect(definition?.steps.map((step) => (step as AgentStep).decide)).toEqual([null, null, null, null, null]);
    expect(definition?.context).toEqual({ task: "{{task}}", repo: "{{repo}}", review_issues: "", decision: "" });
  });

  test("[WF4 WF42 B1 B60 B61 B84] pass_outputs and required_outputs are warnings that say what to use instead", () => {
    const text = loopFile(`${decision(rejected, 3)}    required_outputs: [decision]\n`);
    const hint = expect.stringContaining("output_keys");
    expect(loadWorkflow(text, "w.yml").problems).toMatchObject([
      { severity: "warning", path: "steps[3].on_decision.rejected.pass_outputs", hint },
      { severity: "warning", path: "steps[3].required_outputs", hint },
    ]);
  });

  test("[WF34] an escalation to no person is a warning at its field, in a decision, too", () => {
    const text = loopFile(decision(rejected, 3).replace("escalate_to: human", "escalate_to: slack"));
    const found = loadWorkflow(text, "w.yml").problems.find((problem) => problem.message.includes("not a person"));
    expect(found).toMatchObject({ severity: "warning", path: "steps[3].on_exhausted" });
    expect(load(text).review.budget?.then).toMatchObject({ to: "fail" });
  });
});

describe("single steps", () => {
  const stepOf = (fields: string, more = "") =>
    loadWorkflow(file(`  - { id: a, agent: dev, input: x, ${fields} }\n`, more), "w.yml").definition
      ?.steps[0] as AgentStep;

  test("[WF33 A49] two retries, then the run fails", () => {
    expect(briefRules(stepOf("expects: y"))).toEqual([
      "passed: next",
      "rejected: again 2 then fail",
      "error: again 2 then fail",
    ]);
    expect(briefRules(stepOf("on_fail: { max_retries: 4 }"))[2]).toBe("error: again 4 then fail");
  });

  test.each([
    "on_fail: escalate_to_human",
    "on_fail: { escalate_to: main }",
    'on_fail: { escalate_to: "agent:x" }',
    "on_fail: { on_exhausted: { escalate_to: human } }",
    "escalate_to: human",
  ])("[WF34] a person is asked: %s", (fields) => {
    expect(briefRules(stepOf(fields))).toEqual([
      "passed: next",
      "rejected: again 2 then gate continue/accept/stop",
      "error: again 2 then gate again/stop",
    ]);
  });

  test("a retry_step that is the step itself means again", () => {
    expect(briefRules(stepOf("on_fail: { retry_step: a, max_retries: 1 }"))[1]).toBe("rejected: again 1 then fail");
  });

  test("time limits of the step, in seconds or minutes, before the agent's", () => {
    expect(stepOf("timeoutSeconds: 90").wallMs).toBe(90_000);
    expect(stepOf("timeout_minutes: 2").wallMs).toBe(120_000);
    const agent = `id: x\nagents: [{ id: dev, timeoutSeconds: 60 }]\nsteps: [{ id: a, agent: dev, input: x }]\n`;
    expect(loadWorkflow(agent, "w.yml").definition?.steps[0]).toMatchObject({ wallMs: 60_000 });
  });

  test("[PR36 PR7] several lines of `expects` and patterns are kept, their keys and `retry_feedback` are known", () => {
    const step = (expects: string) =>
      file(
        `  - { id: a, agent: dev, input: "Fix it: {{retry_feedback}} {{branch_name}}", expects: ${JSON.stringify(expects)} }\n`,
      );
    const expects = "STATUS: done\nregex:^BRANCH_NAME:\\s*[a-z]{1,9}, \\S+";
    const { definition, problems } = loadWorkflow(step(expects), "w.yml");
    expect(problems).toEqual([]);
    expect(definition?.steps[0]).toMatchObject({ expects });
    expect(definition?.knownKeys).toEqual(expect.arrayContaining(["retry_feedback", "branch_name"]));
    expect(errorsOf(step("regex:^STATUS: (done"))).toMatchObject([
      { message: "Step 'a': `regex:^STATUS: (done` is not a regular expression", path: "steps[0].expects" },
    ]);
  });

  test("`expects` is kept; a list of keys becomes its first; a number names the step", () => {
    expect(stepOf('expects: "STATUS: done"').expects).toBe("STATUS: done");
    expect(stepOf('expects: "STATUS: done, REPO, BRANCH"').expects).toBe("STATUS: done");
    expect(errorsOf(file("  - { id: a, agent: dev, input: x, expects: 3 }\n"))[0]?.message).toBe(
      "Step 'a': `expects` cannot be the number 3",
    );
  });

  test("[A19] a step without id, agent or input is refused", () => {
    expect(errorsOf(file("  - { id: a, agent: dev }\n"))[0]?.message).toBe("Step 'a': `input` is missing");
    expect(errorsOf(file("  - { id: a, input: x }\n"))[0]?.message).toBe("Step 'a': `agent` is missing");
    expect(errorsOf(file("  - { agent: dev, input: x }\n"))[0]).toMatchObject({ path: "steps[0].id", line: 4 });
  });

  test("a type that does not exist is refused", () => {
    expect(errorsOf(file("  - { id: a, agent: dev, input: x, type: human }\n"))[0]).toMatchObject({
      path: "steps[0].type",
      expected: "single, loop",
    });
  });
});

describe("around the steps", () => {
  const text = (more: string) => file("  - { id: a, agent: dev, input: x }\n", more);

  test("[WF35 A59] polled every five minutes, or as the file says", () => {
    expect(loadWorkflow(text(""), "w.yml").definition?.pollEveryMs).toBe(300_000);
    expect(loadWorkflow(text("cron: { interval_ms: 60000 }\n"), "w.yml").definition?.pollEveryMs).toBe(60_000);
  });

  test("context is kept as text", () => {
    expect(
      loadWorkflow(text('context: { Repo: "{{repo}}", n: 3, empty: , yes: true }\n'), "w.yml").definition?.context,
    ).toEqual({
      repo: "{{repo}}",
      n: "3",
      empty: "",
      yes: "true",
    });
  });

  test("[WF4 WF36 B1] what has no effect is said: as a warning or as a note", () => {
    const { problems, notes } = loadWorkflow(
      text("polling: { timeoutSeconds: 120 }\nnotifications: { url: http://x }\nhooks: {}\n"),
      "w.yml",
    );
    expect(problems.map((problem) => problem.path)).toEqual(["notifications.url", "hooks"]);
    expect(notes[0]).toContain("polling");
  });

  test("our own keys without `pawl: 1` say what is missing", () => {
    const { problems } = loadWorkflow(file("  - { id: a, agent: dev, input: x, on: { passed: next } }\n"), "w.yml");
    expect(problems[0]).toMatchObject({
      severity: "warning",
      path: "steps[0].on",
      hint: expect.stringContaining("`pawl: 1`"),
    });
  });

  test("[WF37] role files may lie above the workflow, but are never written outside the agent's directory", () => {
    const files = (entry: string) =>
      `id: x\nagents: [{ id: dev, workspace: { files: { ${entry} } } }]\nsteps: [{ id: a, agent: dev, input: x }]\n`;
    expect(errorsOf(files("AGENTS.md: ../../agents/shared/AGENTS.md"))).toEqual([]);
    expect(errorsOf(files("../../x: a.md"))).toHaveLength(1);
    expect(errorsOf(files("AGENTS.md: /etc/passwd"))).toHaveLength(1);
  });
});
