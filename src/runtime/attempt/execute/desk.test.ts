import { describe, expect, test } from "vitest";
import { deskFor, deskIn, deskOf, editingDesk } from "../../../../test/support/desks.ts";
import { Driver } from "../../../../test/support/engine/driver.ts";
import { agent, atMost, backTo, decider, featureDev, next, ralph } from "../../../../test/support/engine/workflow.ts";
import { noUsage } from "../../../domain/attempt.ts";
import type { AgentStep } from "../../../domain/definition.ts";
import type { Report } from "../../../domain/report.ts";
import { readReport } from "../../../prompts/report.ts";

const reviewer = decider("review", { approved: next, needs_fixes: next });
const plan = [
  { id: "US-001", title: "One", description: "First", acceptanceCriteria: ["It works"] },
  { id: "US-002", title: "Two", description: "Then", acceptanceCriteria: ["It works"], dependsOn: ["US-001"] },
];

/** What the same words come to as text, and what they come to at the desk. */
function bothWays(step: AgentStep, text: string, given: Parameters<ReturnType<typeof deskFor>["desk"]["complete"]>[0]) {
  const { desk } = deskFor(step);
  const reply = desk.complete(given);
  const printed = readReport(step, text, []);
  const essence = (report: typeof printed | null) =>
    report?.outcome === "completed"
      ? { verdict: report.verdict, outputs: report.outputs, stories: report.stories, feedback: report.feedback }
      : report && { outcome: report.outcome, why: report.why };
  return { reply, printed: essence(printed), given: essence(desk.report) };
}

describe("complete", () => {
  test.each([
    [agent("work"), "PR: 12\nSTATUS: done", { outcome: "done", outputs: { pr: 12 } }],
    [
      agent("work"),
      "ISSUES: two tests are red\nSTATUS: retry",
      { outcome: "retry", outputs: { issues: "two tests are red" } },
    ],
    [reviewer, "STATUS: done\nDECISION: needs_fixes\nISSUES: x", { outcome: "needs_fixes", outputs: { issues: "x" } }],
    [
      agent("work", { on: { "rejected:unclear": next } }),
      "REASON: unclear\nISSUES: which one?\nSTATUS: retry",
      { outcome: "retry", reason: "unclear", outputs: { issues: "which one?" } },
    ],
    [agent("work", { expects: "STATUS: shipped" }), "STATUS: shipped", { outcome: "shipped" }],
  ])("[MC1] $name: a tool call becomes the same report as text", (step, text, given) => {
    const { reply, printed, given: reported } = bothWays(step, text, given);
    expect(reply.accepted).toBe(true);
    expect(reported).toEqual(printed);
  });

  test("[MC1] whoever sends work back says in its summary why", () => {
    const { desk } = deskFor(agent("work"));
    desk.complete({ outcome: "retry", summary: "Two tests are red" });
    expect(desk.report).toMatchObject({ verdict: { kind: "rejected", reason: null }, feedback: "Two tests are red" });
  });

  test("[MC1] a plan is the same whether it is printed or given, as values or as JSON", () => {
    const text = `STORIES_JSON: ${JSON.stringify(plan)}\nSTATUS: done`;
    const { printed } = bothWays(agent("plan"), text, { outcome: "done", stories: plan });
    for (const stories of [plan, JSON.stringify(plan)]) {
      const { desk } = deskIn(featureDev(), "plan");
      expect(desk.complete({ outcome: "done", stories }).accepted).toBe(true);
      expect(desk.report).toMatchObject({ stories: (printed as { stories: unknown }).stories });
    }
  });

  test("[MC1] a step that ends with a summary hands it on, as its text would", () => {
    const step = agent("work", { summary: true });
    const { desk } = deskFor(step);
    expect(desk.outcomes).toEqual(["done", "retry"]);
    expect(desk.complete({ summary: "It is built.\nSee api.ts" }).accepted).toBe(true);
    expect(desk.report).toEqual(readReport(step, "SUMMARY:\nIt is built.\nSee api.ts", []));
    expect(desk.complete({ summary: "  " })).toMatchObject({
      accepted: false,
      text: expect.stringContaining("summary"),
    });
  });

  test.each([
    [agent("work"), { outcome: "maybe" }, /unknown STATUS "maybe".*one of: done, retry/s],
    [reviewer, { outcome: "perhaps" }, /one of: approved, needs_fixes/],
    [agent("work"), { outcome: "done", outputs: { status: "retry" } }, /two verdicts/],
    [agent("work"), {}, /empty.*one of: done, retry/s],
    [agent("work", { expects: "TESTS: green" }), { outcome: "done" }, /TESTS: green/],
    [agent("work"), { outcome: "retry" }, /what has to change/],
    [agent("work"), { outcome: "done", stories: [{ id: "../x", title: "t" }] }, /STORIES_JSON\[0\]/],
    [agent("work"), { outcome: "done", stories: "[{" }, /not valid JSON/],
  ])("[MC2] %#: what cannot count is refused with the reason and what is allowed", (step, given, why) => {
    const { desk } = deskFor(step);
    const reply = desk.complete(given);
    expect(reply).toEqual({ accepted: false, text: expect.stringMatching(why) });
    expect(desk.report).toBeNull();
  });

  test("[MC2] a step without a way back cannot send back, and is not offered to", () => {
    const { on, ...rest } = agent("work");
    const step: AgentStep = { ...rest, on: { passed: on.passed ?? { route: next, limit: null } } };
    const { desk } = deskFor(step);
    expect(desk.outcomes).toEqual(["done"]);
    expect(desk.complete({ outcome: "retry", summary: "no" })).toMatchObject({ accepted: false });
  });

  test("[MC3] the last report that was accepted counts; a refused one changes nothing", () => {
    const { desk } = deskFor(agent("work"));
    desk.complete({ outcome: "done", outputs: { pr: "1" } });
    desk.complete({ outcome: "done", outputs: { pr: "2" } });
    desk.complete({ outcome: "maybe" });
    expect(desk.report).toMatchObject({ outputs: { pr: "2" } });
    expect(desk.fail({ reason: "the disk is full" }).text).toContain("in place of");
    expect(desk.report).toMatchObject({ outcome: "failed", why: "the disk is full" });
  });

  test("[MC4] values are cleaned and cut as printed ones are, and odd keys are left out", () => {
    const { desk } = deskFor(agent("work"));
    const outputs = { "My Key": "a\u0000b", long: "x".repeat(70_000), list: ["a", 1], "no key!": "x", none: null };
    expect(desk.complete({ outcome: "done", outputs }).text).toContain("cut to 64 KiB");
    const report = desk.report as { outputs: Record<string, string>; notes: readonly string[] };
    expect(report.outputs).toMatchObject({ my_key: "ab", list: '["a",1]' });
    expect(Object.keys(report.outputs).toSorted()).toEqual(["list", "long", "my_key"]);
    expect(Buffer.byteLength(report.outputs["long"] ?? "")).toBeLessThanOrEqual(64 * 1024);
    expect(report.notes.join()).toContain('left out "no key!"');
  });

  test("[MC4] of a step that declares what it produces, the summary is no output", () => {
    const { desk } = deskFor(agent("work", { produces: ["pr"] }));
    desk.complete({ outcome: "done", summary: "all good", outputs: { pr: 3 } });
    expect(desk.report).toMatchObject({ outputs: { pr: "3" } });
    expect(desk.report).not.toHaveProperty("outputs.summary");
  });
});

describe("fail", () => {
  test("[MC5] it is a failed attempt with its reason; who is blocked asks a person", () => {
    const { desk } = deskFor(agent("work"));
    desk.fail({ reason: "two tests are flaky" });
    expect(desk.report).toEqual({ outcome: "failed", why: "two tests are flaky", retryAt: null, notes: [] });
    for (const given of [{ kind: "blocked" }, { retryable: false }] as const) {
      desk.fail({ reason: "no access to the repository", ...given });
      expect(desk.report).toMatchObject({ outcome: "failed", asks: expect.stringContaining("no access") });
    }
    expect(desk.fail({ reason: " " }).accepted).toBe(false);
  });
});

describe("ask_human", () => {
  test("[MC6] it returns at once, the step is held, and its next attempt is told question and answer", () => {
    const driver = new Driver(featureDev());
    const { desk } = deskOf(driver, "plan");
    const reply = desk.ask({
      question: "Which database?",
      options: ["sqlite", "postgres"],
      context: "Both are there.",
    });
    expect(reply).toMatchObject({ accepted: true, text: expect.stringContaining("End your turn now") });
    driver.finish("plan", { ...(desk.report as Report), usage: noUsage, session: null, tree: null });
    const gate = driver.openGate("plan");
    expect(gate.question).toBe("Which database?\n\nBoth are there.");
    expect(Object.keys(gate.options)).toEqual(expect.arrayContaining(["sqlite", "postgres"]));
    driver.answer("plan", "postgres");
    expect(driver.step("plan")).toMatchObject({
      state: { status: "ready" },
      feedback: expect.stringContaining("postgres"),
    });
  });

  test("[MC6] a second question joins the first; a report after it takes its place", () => {
    const { desk } = deskFor(agent("work"));
    desk.ask({ question: "Which database?", options: ["sqlite", "postgres"] });
    desk.ask({ question: "Which port?" });
    expect(desk.report).toMatchObject({
      asked: { question: "Which database? (sqlite, postgres)\n\nWhich port?", options: [] },
    });
    desk.complete({ outcome: "done" });
    expect(desk.report).toMatchObject({ outcome: "completed" });
  });

  test.each([[["a: b"]], [["a\nb"]], [["x".repeat(81)]], [[""]], [Array.from({ length: 11 }, (_, at) => `o${at}`)]])(
    "[MC7] options that a gate cannot have are refused: %#",
    (options) => {
      const { desk } = deskFor(agent("work"));
      expect(desk.ask({ question: "Which?", options })).toMatchObject({ accepted: false });
      expect(desk.report).toBeNull();
    },
  );
});

describe("progress and get_context", () => {
  test("[MC8] every call is a sign of life and a line in the log", () => {
    const { desk, lines, signs } = deskFor(agent("work"));
    desk.progress({ message: "half of it\nand more", percent: 50.4 });
    desk.complete({ outcome: "done" });
    desk.context();
    expect(signs()).toBe(3);
    expect(lines).toEqual(["progress: 50 % half of it", expect.stringMatching(/^complete: Recorded: passed/)]);
    expect(deskFor(agent("work")).desk.report).toBeNull();
  });

  test("[MC9] the context says where the agent is, what it may report, and what others left", () => {
    const driver = new Driver(featureDev(), { context: { ticket: "ABC-1" } });
    driver.plan("plan", "US-1", "US-2");
    driver.claim("US-1/implement");
    driver.pass("US-1/implement", { outputs: { changes: "api.ts" } });
    const context = deskOf(driver, "US-1/verify").desk.context();
    expect(context).toMatchObject({
      run: { id: "run-1", number: 7, workflow: "test", task: "the task" },
      story: { id: "US-1", title: "US-1" },
      step: { id: "verify", name: "verify", attempt: 1 },
      input: "Do it.",
      context: { ticket: "ABC-1", changes: "api.ts" },
      outcomes: ["done", "retry"],
      mayEdit: false,
      steps: [
        { id: "implement", status: "done" },
        { id: "verify", status: "running" },
      ],
    });
    expect(JSON.stringify(context)).not.toContain("t1");
  });
});

describe("edit_workflow", () => {
  const insert = {
    operation: "add_after",
    target_step_id: "step-002",
    new_steps: [{ type: "coding", description: "First the parser" }],
    reason: "it is two things",
  };

  test("[MC10] what is possible is shown at once and is applied when the attempt completes", () => {
    const { desk, driver } = editingDesk();
    const before = driver.ids("US-1");
    const reply = desk.edit({ operations: [insert] });
    expect(reply).toMatchObject({ accepted: true, text: expect.stringMatching(/step-\d+ coding \(waiting\)/) });
    expect(driver.ids("US-1")).toEqual(before);
    desk.complete({ outcome: "done" });
    driver.finish("US-1/step-002", { ...(desk.report as Report), usage: noUsage, session: null, tree: null });
    expect(driver.ids("US-1")).toHaveLength(before.length + 1);
    expect(driver.happened("chain_edited")).toHaveLength(1);
  });

  test("[MC10] calls add up, each seen on what the ones before it left; an empty list takes all back", () => {
    const { desk } = editingDesk();
    desk.edit({ operations: [insert] });
    desk.edit({ operations: [{ operation: "skip", target_step_id: "step-003", reason: "small" }] });
    expect(desk.edits).toMatchObject({ operations: [{ op: "insert" }, { op: "skip" }] });
    expect(
      desk.edit({ operations: [{ operation: "skip", target_step_id: "step-003", reason: "small" }] }),
    ).toMatchObject({
      accepted: false,
      text: expect.stringContaining("step-003 is skipped"),
    });
    expect(desk.edits).toMatchObject({ operations: [{ op: "insert" }, { op: "skip" }] });
    desk.edit({ operations: [] });
    expect(desk.edits).toBeUndefined();
  });

  test.each([
    [{ operation: "skip", target_step_id: "step-006", reason: "x" }, /never skipped/],
    [{ operation: "skip", target_step_id: "step-099", reason: "x" }, /there is no step step-099/],
    [{ operation: "explode" }, /not an operation/],
    [
      { operation: "add_after", target_step_id: "step-002", new_steps: [{ type: "magic" }], reason: "x" },
      /no step type/,
    ],
  ])("[MC11] what is not possible is refused with the reason: %#", (operation, why) => {
    const { desk } = editingDesk();
    expect(desk.edit({ operations: [operation] })).toEqual({ accepted: false, text: expect.stringMatching(why) });
    expect(desk.edits).toBeUndefined();
  });

  test("[MC11] a step that may not edit is refused", () => {
    const { desk } = deskIn(ralph(), "US-1/step-001", { stories: ["US-1"] });
    expect(desk.edit({ operations: [insert] })).toMatchObject({
      accepted: false,
      text: expect.stringContaining("may not"),
    });
  });
});

test("[MC12] a closed desk takes nothing any more, and keeps what it had", () => {
  const { desk, lines } = deskFor(agent("work"));
  desk.complete({ outcome: "done" });
  desk.close();
  expect(desk.fail({ reason: "too late" })).toMatchObject({ accepted: false });
  expect(desk.ask({ question: "Really?" })).toMatchObject({ accepted: false });
  expect(desk.report).toMatchObject({ outcome: "completed" });
  expect(lines).toHaveLength(1);
});

test("[MC13] only a step before stories that have not begun may plan", () => {
  expect(deskIn(featureDev(), "plan").desk.mayPlan).toBe(true);
  expect(deskFor(agent("work")).desk.mayPlan).toBe(false);
  const driver = new Driver(featureDev());
  driver.plan("plan", "US-1");
  expect(deskOf(driver, "US-1/implement").desk.mayPlan).toBe(false);
  expect(deskFor(agent("work", { on: { rejected: atMost(1, backTo("work")) } })).desk.outcomes).toEqual([
    "done",
    "retry",
  ]);
});
