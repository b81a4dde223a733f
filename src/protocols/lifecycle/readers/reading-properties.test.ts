// What holds for every result file, however damaged: a reader never throws, and only what its rules allow is `proceed`.

import fc from "fast-check";
import { expect, test } from "vitest";
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
    { numRuns: 20_000 },
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
    { numRuns: 20_000 },
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
    { numRuns: 20_000 },
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
    { numRuns: 40_000 },
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
