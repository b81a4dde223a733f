// Files whose verdict is a pass and that say otherwise somewhere: in the words and under the keys that agents use.

import { describe, expect, test } from "vitest";
import { type ResultKind, resultReaders } from "./result-readers.ts";

const verdictOf = (kind: ResultKind, file: unknown) => resultReaders[kind](JSON.stringify(file)).verdict;
const whyOf = (kind: ResultKind, file: unknown) => resultReaders[kind](JSON.stringify(file)).why;

/** A part of a file that speaks against it, whatever it is about. */
const failing: readonly Readonly<Record<string, unknown>>[] = [
  { overall: "FAIL" },
  { conclusion: "failed" },
  { outcome: "not ok" },
  { success: false },
  { approved: false },
  { ok: "no" },
  { must_haves: [{ met: false }] },
  { truths: [{ status: "❌" }] },
  { truths: [{ status: "失败" }] },
  { login: "未通过" },
  { build: "FAIL" },
  { checks: ["pass", "failed"] },
  { notes: "FAILED: 3 of 7 truths" },
  { 结论: "不通过" },
  { failed: 3 },
  { Failed: "3" },
  { failedCount: 1 },
  { tests_failed: 2 },
  { failures: { unit: 2 } },
  { blockers: ["x"] },
  { blocking: ["x"] },
  { blocking: true },
  { critical_count: 2 },
  { criticalIssues: ["x"] },
  { number_of_critical_findings: 1 },
  { p0: 1 },
  { errors: ["boom"] },
  { lint_errors: 4 },
  { missing: ["login"] },
  { missing_files: 1 },
  { unverified: 2 },
  { not_passed: 1 },
  { no_errors: false },
  { needs_rework: true },
  { skipped_without_reason: 1 },
  { exit_code: 1 },
  { exceptions: ["boom"] },
  { timed_out: true },
  { veto: true },
  { lgtm: false },
  { ready_to_ship: false },
  { 说明: "测试未通过" },
  { issues: [{ level: "critical" }] },
  { issues: [{ severity: "P0" }] },
  { issues: ["CRITICAL: no login"] },
  { findings: [{ severity: "严重" }] },
];

/** What a review may list, and nothing else may. */
const found: readonly Readonly<Record<string, unknown>>[] = [
  { gap_count: 4 },
  { open_gaps: ["x"] },
  { openGaps: 1 },
  { high_count: 2 },
  { issues: [{ summary: "x" }] },
  { severity: "major" },
  { truths: [{ status: "not verified" }] },
  { truths: [{ status: "partial", note: "no login" }] },
  { truths: [{ status: "who knows" }] },
  { truths: [] },
  { scenarios: [{ status: "not run" }] },
  { scenarios: [{ status: "待验证" }] },
  { scenarios: [] },
  { score: "2/7" },
  { score: "0/0" },
  { criteria_met: "5 of 6" },
  { pass_rate: 40 },
  { verified: 0, total: 7 },
  { tests: { total: 9, passed: 8 } },
  { tests: { total: 9, passed: 10 } },
  { tests_passed: 0 },
  { outcome: "partial" },
  { tests: "12 passed, 3 failed" },
  { lint: "4 errors" },
  { must_haves: { login: false, cart: true } },
  { goal_achieved: false },
  { goalAchieved: "no" },
  { whatever_nobody_knows: false },
  { requirements: [{ id: "R1", implemented: "partially" }] },
  { tests: "not run" },
  { not_implemented: ["login"] },
  { needs_human: true },
  { dry_run: true },
  { checks: [{ name: "build", returncode: -9 }] },
];

/** What a test may be, and nothing else. */
const skipped: readonly Readonly<Record<string, unknown>>[] = [
  { truths: [{ status: "skipped", reason: "no time" }] },
  { scenarios: [{ status: "SKIPPED", details: "no screen" }] },
];

const good: Readonly<Record<Exclude<ResultKind, "uat">, Readonly<Record<string, unknown>>>> = {
  verification: { passed: true, gaps: [] },
  review: { verdict: "PASS", findings: [] },
  "business-test": { passed: true, failures: [] },
  "test-results": { results: [{ id: "T-1", status: "pass" }] },
};

describe.each(Object.entries(good) as [ResultKind, Readonly<Record<string, unknown>>][])("%s", (kind, file) => {
  const objections = kind === "review" ? failing : [...failing, ...found, ...(kind === "test-results" ? [] : skipped)];
  test.each(objections.map((each) => [JSON.stringify(each), each] as const))(
    "[LR3 LR4 LR9 E77] passed, and says %s: at its top and in a part, no pass",
    (_text, each) => {
      expect(verdictOf(kind, file)).toBe("proceed");
      const top = { ...file, ...each };
      expect([whyOf(kind, top), verdictOf(kind, top)]).not.toContain("proceed");
      const part = { ...file, layers: { one: [each] } };
      expect([whyOf(kind, part), verdictOf(kind, part)]).not.toContain("proceed");
    },
  );
});

test.each<[kind: ResultKind, more: Readonly<Record<string, unknown>>]>([
  ["verification", { errors: [], failed: 0, blockers: "none", missing: "none found", gap_count: "0", open_gaps: [] }],
  ["verification", { no_errors: true, has_failures: false, blocking: false, exit_code: 0, issues: ["none"] }],
  ["verification", { typecheck: { result: "0 errors" }, suite: { result: "2 files, 150 passed, no failures" } }],
  ["verification", { truths: [{ status: "VERIFIED" }, { status: "已验证" }, { status: "✅" }, { status: "wired" }] }],
  ["verification", { score: "7/7", pass_rate: "836/836 (100%)", tests: { total: 9, passed: 7, skipped: 2 } }],
  ["verification", { pre_existing_failures: [{ test: "a" }], preexisting_errors: 2, prior_verdict: "BLOCK" }],
  ["verification", { tasks: [{ priority: "P0", status: "completed", error_class: "timeout", expected: "failed" }] }],
  ["verification", { issues: [{ severity: "low" }], claims: [{ type: "error", name: "Failed login: a message" }] }],
  ["verification", { needs_migration: false, skipped: false, isBreaking: false, no_gaps: true, stale: false }],
  ["review", { high_count: 3, issues: [{ severity: "high", status: "open" }], score: "8/10", remaining_gaps: ["x"] }],
  ["review", { critical: 0, critical_files: ["a.ts"], blocking: [], previous_verdict: "BLOCK" }],
  ["test-results", { summary: { total: 6, passed: 1, skipped: 5, issues: 0 } }],
])("[LR3 LR4 LR9] %s: what is empty, zero, over, or a name speaks against nothing: %j", (kind, more) => {
  expect({ ...resultReaders[kind](JSON.stringify({ ...good[kind as "review"], ...more })) }).toMatchObject({
    verdict: "proceed",
  });
});

test.each([
  { dimensions: { security: { verdict: "REQUEST_CHANGES" } } },
  { issues: [{ category: "CRITICAL", title: "x" }] },
  { issues: [{ severity: "sev-1" }] },
  { files_reviewed: [] },
])("[LR3 LR4] a review that passed and says %j is no pass", (more) => {
  expect(verdictOf("review", { verdict: "PASS", ...more })).not.toBe("proceed");
});

test("[LR9] results that are fewer than the total that the file names are no pass", () => {
  const results = [{ status: "pass" }];
  expect(verdictOf("test-results", { results, summary: { total: 5 } })).toBe("unknown");
  expect(verdictOf("test-results", { results, total: 1 })).toBe("proceed");
});

test.each<[file: Readonly<Record<string, unknown>>, why: string]>([
  [{ gap_count: 4 }, "it contradicts itself: passed is true, but gap_count is 4 in /gap_count"],
  [{ gaps: [{ id: 1 }] }, "it contradicts itself: passed is true, but an entry of gaps has no severity in /gaps/0"],
  [{ gaps: [{ severity: "high" }] }, "it contradicts itself: passed is true, but an entry of gaps is high in /gaps/0"],
  [{ verified: 0, total: 7 }, "it contradicts itself: passed is true, but verified is 0 in /verified"],
])("[LR2 LR3] %j: the sentence names what it says, and where", (more, why) => {
  expect(whyOf("verification", { passed: true, ...more })).toBe(why);
});

test("[LR1] true and false are the words that they are, as texts too", () => {
  expect(verdictOf("verification", { passed: "true" })).toBe("proceed");
  expect(verdictOf("verification", { passed: "False" })).toBe("fix");
  expect(verdictOf("review", { passed: "false" })).toBe("fix");
});

describe("uat", () => {
  const uat = (more: string) =>
    `---\nstatus: complete\n---\n## Tests\n### 1. It works\nresult: pass\n## Summary\ntotal: 1\npassed: 1\n## Gaps\n[none]\n${more}\n`;

  test.each([
    "## Notes\n- severity: critical, payment fails",
    "## Notes\n- Payment fails (severity: high)",
    "## Notes\n- **Critical**: payment fails",
    "## Notes\n- P0: payment fails",
    "## Notes\nBlockers: 2",
    "## Notes\nfailures: payment",
    "## Notes\n**Overall:** FAIL",
    "**Status**: 未通过",
    "## Notes\n❌ payment",
    "## Notes\n- [ ] pay by card",
    "## Known issues\n- payment fails",
    "## Blockers\n1. payment",
    "| What | Count |\n|---|---|\n| Failed | 2 |",
    "Verdict: FAIL\n\nVerdict: PASS",
  ])("[LR3 LR6 E41] all passed, and then %j: no pass", (more) => {
    expect(resultReaders.uat(uat("")).verdict).toBe("proceed");
    expect(resultReaders.uat(uat(more))).not.toMatchObject({ verdict: "proceed" });
  });

  test.each([
    "## Notes\n- severity: minor\n- the error page was shown",
    "## Issues\n- none",
    "## Known issues\n\nNone.",
    "| Failed | 0 |\n| Blockers | 0 |",
    "## Notes\nErrors: none\nfailed: 0\n- [x] pay by card",
  ])("[LR3 LR6] %j speaks against nothing", (more) => {
    expect(resultReaders.uat(uat(more))).toMatchObject({ verdict: "proceed" });
  });

  test("[LR3 LR6] the sentence names the line", () => {
    expect(resultReaders.uat(uat("## Notes\n- severity: critical, payment fails")).why).toBe(
      "it contradicts itself: 1 of 1 results passed, but severity is critical, payment fails in line 13",
    );
  });
});
