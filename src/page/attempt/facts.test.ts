import { expect, test } from "vitest";
import { standingOf } from "./attempt-status.ts";
import { shownFacts } from "./facts.ts";

test("[PG64] facts are shown by what they are, and others as they are", () => {
  const shown = shownFacts({
    checks: [{ run: "npm test", passed: false }, "no check"],
    tests: { pass: 3, fail: 1, skip: 0 },
    failing_tests: ["adds"],
    files: ["a.ts", "b\u001b[2J.ts"],
    said: "I could not",
    outputs: { changes: "a page" },
    lint_pass: true,
    evidence: { file: "STATE.json" },
  });
  expect(shown).toMatchObject({
    checks: [{ run: "npm test", passed: false }],
    tests: { pass: 3, fail: 1 },
    failing: ["adds"],
    files: ["a.ts", "b\\u001b[2J.ts"],
    said: "I could not",
    reported: { changes: "a page" },
  });
  expect(shown.more).toEqual([
    { name: "lint_pass", text: "true" },
    { name: "evidence", text: '{\n  "file": "STATE.json"\n}' },
  ]);
  expect(shownFacts({ checks: "x", tests: 4, files: null })).toMatchObject({ checks: [], tests: null, files: [] });
});

test("[PG60] an attempt stands as its verdict says, or as it ended", () => {
  const ended = { phase: "ended", outcome: "completed" } as const;
  expect(standingOf({ ...ended, verdict: { kind: "passed" } })).toEqual({ status: "done", word: "passed" });
  expect(standingOf({ ...ended, verdict: { kind: "rejected", reason: "checks" } })).toEqual({
    status: "rejected",
    word: "rejected: checks",
  });
  expect(standingOf({ phase: "ended", outcome: "timed_out", verdict: null })).toEqual({
    status: "failed",
    word: "timed out",
  });
  expect(standingOf({ phase: "started", outcome: null, verdict: null })).toEqual({
    status: "running",
    word: "running",
  });
});
