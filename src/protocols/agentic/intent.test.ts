import fc from "fast-check";
import { expect, test } from "vitest";
import { parseIntent } from "./intent.ts";

test.each([
  ["Continue A", "continue", "A"],
  ["Continue", "continue", null],
  ["OK, continue US-006 please.", "continue", "US-006"],
  ["go on", "continue", null],
  ["Stop for today", "stop", null],
  ["status", "status", null],
  ["Where are we?", "status", null],
  ["status cart-app", "status", "cart-app"],
  ["continue bandit", "continue", "bandit"],
  ["retry", "retry", null],
  ["try again!", "retry", null],
  ["skip this step", "skip", null],
  ["abort", "abort", null],
  ["stop", "abort", null],
  ["Stop A", "abort", "A"],
])("[PJ10 D88] understands %j", (message, action, name) => {
  expect(parseIntent(message)).toMatchObject({ action, name });
});

test("[PJ10 D88] takes an approval and a rejection with their note and reason", () => {
  expect(parseIntent("approve: 30 seconds, others OK")).toMatchObject({
    action: "approve",
    note: "30 seconds, others OK",
  });
  expect(parseIntent("reject scope_warning: no coupons")).toEqual({
    action: "reject",
    name: null,
    reason: "scope_warning",
    note: "no coupons",
  });
  expect(parseIntent("reject default")).toMatchObject({ action: "reject", reason: "default" });
  expect(parseIntent("approve: 30 seconds, not 60")).toMatchObject({ action: "approve", note: "30 seconds, not 60" });
  // Which step comes next is decided by the reason; none is never taken for one.
  expect(parseIntent("Reject.")).toMatchObject({ action: "reject", reason: null });
});

test.each([
  "30 seconds, others OK",
  "do not continue",
  "continue with the old API and then stop",
  "never retry",
  "do not reject",
  "I would reject needs_clarification",
  "skip the tests for now, they are slow",
  "don't abort",
  "I would approve if it was shorter",
  "looks good, but use 5 seconds",
  "approved, if the tests pass",
  "looks good, don't ship it",
  "approved. Wait for Bob",
  "lgtm. Not the second scenario though",
  "abort?",
  "skip?",
  "continue?",
  "continue it tomorrow",
  "continue later",
  "",
])("[PJ10 D88] makes no action of %j", (message) => {
  expect(parseIntent(message).action).toBe("unknown");
});

test("[PJ10 D88] a sentence around a verb is no action", () => {
  const word = fc.constantFrom("not", "if", "unless", "maybe", "we", "should", "the", "tests", "old");
  fc.assert(
    fc.property(
      fc.array(word, { minLength: 1, maxLength: 4 }),
      fc.constantFrom("continue", "retry", "skip", "abort", "stop"),
      fc.array(word, { minLength: 2, maxLength: 4 }),
      (before, verb, after) => {
        expect(parseIntent([...before, verb, ...after].join(" ")).action).toBe("unknown");
      },
    ),
  );
});
