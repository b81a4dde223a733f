import { expect, test } from "vitest";
import type { OrchestratorAdapter, ProjectState } from "./adapter.ts";
import { firstState } from "./first-state.ts";
import { parseIntent } from "./intent.ts";
import { dispatchedText, standingText, stoppedText, stuckText, timeoutText } from "./report-text.ts";

function state(changes: Partial<ProjectState>): ProjectState {
  return { ...(JSON.parse(firstState("A")) as ProjectState), story: "US-005", ...changes };
}

const handoff = `---
story: US-006
---

# HANDOFF — US-006 contract attempt:1

## What was done this time
- Scenario 1: Payment method selection
- Scenario 2: Credit card verification failure
- Scenario 3: Clear cart after checkout

## Not yet resolved
- [NEEDS CLARIFICATION] third-party payment gateway timeout duration?

## Next session should note
- Nothing
`;

test("[PJ11 D54 D90 D104] tells the conversation of the protocol in its words", () => {
  const impl = state({ step: "impl", attempt: 3, max_attempts: 5 });
  const done = ["US-001", "US-002", "US-003", "US-004", "US-005"];
  const checkout = { id: "US-006", title: "checkout flow" };
  const told = [
    dispatchedText(impl),
    standingText({ ...impl, status: "pass", tests: { pass: 44, fail: 0, skip: 0 } }, { entering: "verify" }),
    standingText(state({ step: "verify", status: "pass" }), { entering: "update-memory" }),
    standingText(state({ step: "done", status: "pass" }), { next: checkout }),
    dispatchedText(state({ story: "US-006" })),
    standingText(state({ story: "US-006", step: "review", status: "needs_human" }), { handoff }),
    standingText(state({ story: "US-006", step: "done", status: "pass" }), {
      next: { id: "US-007", title: "order history" },
    }),
    stoppedText("A", { done: [...done, "US-006"], next: { id: "US-007", title: "order history" } }),
  ];
  expect(told.join("\n\n")).toBe(`Received. Project A executing US-005 impl (attempt 3)

US-005 impl complete ✓ All tests pass (44/44), entering verify

US-005 verify complete ✓ entering update-memory

US-005 all complete ✓
Next is US-006 checkout flow, continue?

Writing US-006 BDD scenarios

US-006 needs your review:
- Scenario 1: Payment method selection
- Scenario 2: Credit card verification failure
- Scenario 3: Clear cart after checkout
One clarification needed: third-party payment gateway timeout duration?

US-006 all complete ✓
Next is US-007 order history, continue?

OK. Project A progress:
✅ US-001 ~ US-006
⏭ Next US-007
Say "continue A" tomorrow to resume.`);
});

test("[PJ11 D12 D42 D48 D53 D90] says what is stuck, late, blocked, running or to be chosen", () => {
  const failing = state({
    step: "impl",
    attempt: 5,
    max_attempts: 5,
    status: "failing",
    reason: "test_timeout",
    tests: { pass: 42, fail: 2, skip: 1 },
    failing_tests: ["TestApplyCoupon", "TestRemoveExpired"],
    lint_pass: false,
  });
  expect(stuckText(failing)).toBe("US-005 stuck at impl (5 attempts)");
  expect(standingText(failing)).toBe(
    "US-005 stuck at impl (5 attempts)\nReason: test_timeout. 2 of 44 tests fail. Failing: TestApplyCoupon, TestRemoveExpired. Lint fails.",
  );
  const fails = (changes: Partial<ProjectState>) => standingText({ ...failing, failing_tests: [], ...changes });
  expect(fails({ tests: null, reason: null })).toBe("US-005 stuck at impl (5 attempts)\nLint fails.");
  expect(fails({ tests: { pass: 4, fail: 0, skip: 0 }, lint_pass: null })).toBe(
    "US-005 stuck at impl (5 attempts)\nReason: test_timeout.",
  );
  expect(standingText(state({ step: "impl", status: "timeout", timeout_min: 10 }))).toBe(
    "US-005's impl timed out (10 minutes)",
  );
  expect([10.4, 1, 0.02, 0].map((minutes) => timeoutText(failing, minutes))).toEqual([
    "US-005's impl timed out (10 minutes)",
    "US-005's impl timed out (1 minute)",
    "US-005's impl timed out (1 second)",
    "US-005's impl timed out (1 second)",
  ]);
  expect(standingText(state({ status: "running", step: "impl", attempt: 2 }), { minutes: 3.2 })).toBe(
    "US-005 impl is still running (attempt 2, 3 minutes).",
  );
  expect(standingText(state({ blocked_by: ["US-003"] }))).toBe("US-005 waits for US-003.");
  expect(standingText(state({ story: null }), { next: { id: "US-001", title: "cart" } })).toBe(
    "Project A: choose a story. Next is US-001 cart, continue?",
  );
  expect(standingText(state({ status: "needs_human" }), { question: "Which currency?" })).toBe(
    "US-005 bdd needs you: Which currency?",
  );
  expect(standingText(state({ status: "needs_human" }), { question: "- Which currency?" })).toBe(
    "US-005 bdd needs you: Which currency?",
  );
});

test("[PJ11 D104] a review without scenarios shows what was done, and every open question", () => {
  const review = (handoff: string) => standingText(state({ step: "review", status: "needs_human" }), { handoff });
  const done =
    "# HANDOFF\n## What was done this time\nThe contract has two new paths.\n\n## Next session should note\n- x\n";
  expect(review(done)).toBe("US-005 needs your review:\nThe contract has two new paths.");
  expect(review("Just a text about what was done.\nNothing else.")).toBe("US-005 needs your review:");
  expect(review(`${done}## Not yet resolved\n- which gateway?\n- [NEEDS CLARIFICATION] how long?\n`)).toBe(
    "US-005 needs your review:\nThe contract has two new paths.\n2 clarifications needed:\n- how long?\n- which gateway?",
  );
  expect(review(`${done}## Not yet resolved\nNone.\n`)).toBe(
    "US-005 needs your review:\nThe contract has two new paths.",
  );
});

test("[PJ11 D104] a review lists the scenarios and questions of every session, once, what the last one did, and where to look", () => {
  const bdd =
    "## What was done this time\nScenarios.\n- Scenario: pay by card\n## Not yet resolved\n- which gateway?\n";
  const contract =
    "## What was done this time\nThe contract has two new paths.\n## Scenarios\n- Scenario: pay by card\n";
  const context = { earlier: [bdd], handoff: contract, tree: "/trees/1" };
  expect(standingText(state({ step: "review", status: "needs_human" }), context)).toBe(
    [
      "US-005 needs your review:",
      "- Scenario: pay by card",
      "The contract has two new paths.",
      "One clarification needed: which gateway?",
      "The files are in /trees/1.",
    ].join("\n"),
  );
});

test("[PJ12 D86 D87] a second adapter fits the interface", async () => {
  const states = new Map<string, ProjectState>([["/cart", state({ status: "pending" })]]);
  const prompts: string[] = [];
  const bot: OrchestratorAdapter = {
    parseIntent: (message) => {
      const { action, name } = parseIntent(message.replace(/^@bot\s*/, ""));
      return { project: name, action };
    },
    readState: (root) => states.get(root) ?? state({ story: null }),
    writeState: (root, next) => void states.set(root, next),
    dispatch(root) {
      const now = states.get(root);
      if (now === undefined || now.story === null) return { type: "needs_human", message: "choose a story" };
      if (now.blocked_by.length > 0) return { type: "blocked", reason: now.blocked_by.join() };
      if (now.step === "done") return { type: "done", summary: `${now.story} done` };
      states.set(root, { ...now, status: "running" });
      return { type: "dispatched", step: now.step, attempt: now.attempt };
    },
    invokeExecutor: (_, prompt) => {
      prompts.push(prompt);
      return { ended: Promise.resolve(), stop: () => undefined };
    },
    formatReport: (now, action) => `${action}: ${standingText(now)}`,
  };
  expect(bot.parseIntent("@bot continue cart")).toEqual({ project: "cart", action: "continue" });
  expect(await bot.dispatch("/cart")).toEqual({ type: "dispatched", step: "bdd", attempt: 1 });
  expect(await bot.dispatch("/other")).toEqual({ type: "needs_human", message: "choose a story" });
  await (await bot.invokeExecutor("/cart", "write")).ended;
  expect(prompts).toEqual(["write"]);
  expect(bot.formatReport(await bot.readState("/cart"), "status")).toBe(
    "status: US-005 bdd is still running (attempt 1).",
  );
});
