// What holds for every result file, however damaged: a reader never throws, and only what its rules allow is `proceed`.

import fc from "fast-check";
import { expect, test } from "vitest";
import { rounds } from "../../../../test/support/rounds.ts";
import { type ResultKind, resultReaders } from "./result-readers.ts";

const kinds = Object.keys(resultReaders) as ResultKind[];
const jsonKinds = kinds.filter((kind) => kind !== "uat");
const verdictOf = (kind: ResultKind, text: string) => resultReaders[kind](text).verdict;

/** Files that are `proceed`, as a reader of each kind accepts them. */
const good: Readonly<Record<ResultKind, string>> = {
  verification:
    '{"phase": 1, "status": "passed", "truths": [{"claim": "c", "status": "verified"}], "gaps": [{"severity": "low"}]}',
  review:
    '{"level": "quick", "verdict": "PASS", "findings": [{"id": "R-1", "severity": "medium"}], "files_reviewed": ["a"]}',
  "business-test": '{"passed": true, "rules": [{"id": "BR-1", "status": "pass"}], "failures": []}',
  uat: "---\nstatus: complete\n---\n\n## Tests\n\n### 1. It works\nresult: pass\n\n## Summary\n\ntotal: 1\npassed: 1\n\n## Gaps\n\n[none]",
  "test-results": '{"results": [{"id": "T-1", "status": "pass"}, {"id": "T-2", "status": "pass"}]}',
};
const passWords = /"?\b(?:passed|pass|ok|complete|true)\b"?/gi;

test("[LR1] the files that these properties damage are good ones", () => {
  expect(kinds.map((kind) => verdictOf(kind, good[kind]))).toEqual(kinds.map(() => "proceed"));
});

test("[LR5 LR1] any text at all is read without an error, and is no pass without a pass word", () => {
  const anyKind = fc.constantFrom(...kinds);
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.json(),
    fc.array(fc.constantFrom(...pieces)).map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(anyKind, text, (kind, file) => {
      const mayPass = /pass|ok|true|warn/i.test(file);
      expect(verdictOf(kind, file) === "proceed" && !mayPass).toBe(false);
    }),
    { numRuns: rounds({ usual: 1_000, all: 20_000 }) },
  );
});

const pieces = [
  "---\n",
  "status: ",
  "complete",
  "result: pass\n",
  "## Gaps\n",
  "[none]\n",
  "### 1. t\n",
  "total: 1\n",
  "## Summary\n",
  "{",
  '"passed"',
  ":",
  "true",
  ",",
  "}",
  "[",
  "]",
  "\n",
  "\u0000",
  "\uFEFF",
];

test("[LR1 LR6] cut short, or without its pass words, no file is a pass", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...kinds),
      fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
      (kind, part) => {
        const file = good[kind];
        expect(verdictOf(kind, file.slice(0, Math.floor(file.length * part)))).not.toBe("proceed");
        expect(verdictOf(kind, file.replaceAll(passWords, '"x"'))).not.toBe("proceed");
      },
    ),
    { numRuns: rounds({ usual: 1_000, all: 20_000 }) },
  );
});

test("[LR2 LR3 LR4] with a failure, a high gap or something critical anywhere, no file is a pass", () => {
  const trouble = fc.constantFrom<Record<string, unknown>>(
    { status: "failed" },
    { passed: false },
    { gaps: [{ severity: "critical" }] },
    { gaps: ["missing"] },
    { failures: [{ id: 1 }] },
    { failed: 3 },
    { severity: "critical" },
    { severity: "BLOCKER" },
    { critical: 2 },
  );
  const depth = fc.array(fc.constantFrom("list", "layers", "tasks", "details"), { maxLength: 6 });
  const nested = (value: unknown, path: readonly string[]) =>
    path.reduceRight<unknown>((inner, step) => (step === "list" ? [inner] : { [step]: inner }), value);
  fc.assert(
    fc.property(fc.constantFrom(...jsonKinds), trouble, depth, (kind, bad, path) => {
      const file = JSON.parse(good[kind]) as Record<string, unknown>;
      expect(verdictOf(kind, JSON.stringify({ ...file, extra: nested(bad, path) }))).not.toBe("proceed");
    }),
    { numRuns: rounds({ usual: 1_000, all: 20_000 }) },
  );
});

test("[LR3 LR4 LR9] under every known key, in any spelling, at any depth, a failing statement is no pass", () => {
  const spelled = (key: string) =>
    fc.constantFrom(
      key,
      key.toUpperCase(),
      key.replaceAll("_", "-"),
      key.replaceAll("_", " "),
      key.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
    );
  const of = (keys: string, values: fc.Arbitrary<unknown>) =>
    fc.tuple(fc.constantFrom(...keys.split(" ")).chain(spelled), values);
  const some = fc.oneof(
    fc.integer({ min: 1, max: 999 }),
    fc.constant("3"),
    fc.array(fc.constantFrom("x", { id: 1 }), { minLength: 1, maxLength: 3 }),
  );
  const no = fc.constantFrom<unknown>(
    false,
    ..."false,no,FAIL,failed,Failed: login,not ok,not passed,❌,❌ login,失败,未通过,不通过,blocked,rejected".split(
      ",",
    ),
  );
  const bad = fc.oneof(
    of("passed success ok approved met satisfied verified all_passed tests_passing", no),
    of(
      "status result verdict outcome conclusion overall final_result test_status",
      no.filter((each) => each !== "no"),
    ),
    of("failed failures blockers blocking critical critical_count critical_issues errors lint_errors missing", some),
    of("missing_files must_have_failures constraint_violations failed_tests unverified regressions not_passed", some),
    of("skipped_without_reason must_fix", some),
    of("has_failures is_blocked needs_rework failed blocking broken", fc.constant(true)),
    of("severity level criticality risk_level", fc.constantFrom("critical", "P0", "Blocker", "严重", "🔴")),
  );
  const open = fc.oneof(
    of("gaps open_gaps gap_count issues open_issues high_count findings bugs", some),
    of("outcome conclusion overall", fc.constantFrom("partial", "not run", "pending", "unclear", "mostly fine", "?")),
    of("score criteria_met truths_verified", fc.constantFrom("2/7", "0 of 3", "6/7 verified")),
    of("pass_rate success_rate", fc.constantFrom(0, 0.4, 40, "40%", "6/7")),
  );
  const depth = fc.array(fc.constantFrom("list", "layers", "tasks", "details"), { maxLength: 6 });
  fc.assert(
    fc.property(fc.constantFrom(...jsonKinds), fc.boolean(), bad, open, depth, (kind, isOpen, one, other, path) => {
      const [key, value] = isOpen && kind !== "review" ? other : one;
      const nested = path.reduceRight<unknown>((inner, step) => (step === "list" ? [inner] : { [step]: inner }), {
        [key]: value,
      });
      const file = { ...(JSON.parse(good[kind]) as Record<string, unknown>), extra: nested };
      expect([JSON.stringify(file), verdictOf(kind, JSON.stringify(file))]).not.toContain("proceed");
      const top = { ...(JSON.parse(good[kind]) as Record<string, unknown>), [key]: value };
      expect([JSON.stringify(top), verdictOf(kind, JSON.stringify(top))]).not.toContain("proceed");
    }),
    { numRuns: rounds({ usual: 500, all: 10_000 }) },
  );
});

test("[LR5] a good file with damaged bytes is read without an error, and says why", () => {
  const damage = fc.array(
    fc.tuple(fc.nat(), fc.constantFrom("", "{", "}", '"', ",", "\n", "false", "fail", "\u0000")),
    { minLength: 1, maxLength: 4 },
  );
  fc.assert(
    fc.property(fc.constantFrom(...kinds), damage, (kind, cuts) => {
      let file = good[kind];
      for (const [at, text] of cuts) file = file.slice(0, at % file.length) + text + file.slice((at % file.length) + 1);
      const { verdict, why } = resultReaders[kind](file);
      expect(["proceed", "fix", "unknown"]).toContain(verdict);
      expect(why).not.toBe("");
    }),
    { numRuns: rounds({ usual: 2_000, all: 40_000 }) },
  );
});

test("[LR5] files nested 20,000 deep, or of 2 MB, are read in one pass", () => {
  const deep = `{"passed": true, "a": ${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}}`;
  expect(["proceed", "unknown"]).toContain(verdictOf("verification", deep));
  const wide = JSON.stringify({
    passed: true,
    gaps: [],
    truths: Array.from({ length: 20_000 }, (_, id) => ({ id, status: "verified" })),
  });
  expect(verdictOf("verification", wide)).toBe("proceed");
});
