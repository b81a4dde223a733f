import { expect, test } from "vitest";
import type { Event } from "../domain/event.ts";
import { attemptId } from "../domain/ids.ts";
import { lineOf } from "./event-line.ts";

test("[RS12 D66] the line of an attempt says how many tests passed and failed", () => {
  const ended = {
    type: "attempt_ended",
    story: null,
    outcome: "completed",
    attempt: attemptId("a"),
    why: "a check is red",
    facts: { tests: { pass: 3, fail: 1, skip: 0 } },
  };
  const line = (verdict: object) => lineOf({ ...ended, verdict } as unknown as Event, new Map([["a", "impl"]]))?.text;
  expect(line({ kind: "passed" })).toBe("impl (tests: 3 passed, 1 failed)");
  expect(line({ kind: "rejected", reason: "checks" })).toBe(
    "impl rejected (checks) (tests: 3 passed, 1 failed): a check is red",
  );
});
