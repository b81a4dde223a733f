import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { ResultVerdict } from "./reading.ts";
import { type ResultKind, resultReaders } from "./result-readers.ts";

type Case = readonly [what: string, file: unknown, verdict: ResultVerdict];

const gap = (severity?: string) => ({ id: "GAP-1", ...(severity === undefined ? {} : { severity }) });

const cases: Readonly<Record<Exclude<ResultKind, "uat">, readonly Case[]>> = {
  verification: [
    ["passed true", { passed: true, gaps: [] }, "proceed"],
    ["without a list of gaps", { status: "Passed" }, "proceed"],
    ["a low and a medium gap", { verdict: "PASS", gaps: [gap("low"), gap("Medium")] }, "proceed"],
    ["a high gap", { verdict: "PASS", gaps: [gap("high")] }, "unknown"],
    ["a gap that does not tell", { passed: true, gaps: [gap()] }, "unknown"],
    ["a gap as a text", { passed: true, gaps: ["the button is missing"] }, "unknown"],
    ["gaps in a part", { passed: true, layers: { nyquist: { gaps: [gap("critical")] } } }, "unknown"],
    ["gaps that are no list", { passed: true, gaps: { a: 1 } }, "unknown"],
    ["gaps: none", { passed: true, gaps: "none" }, "proceed"],
    ["passed false", { passed: false }, "fix"],
    ["gaps_found", { overall_status: "gaps_found", gaps: [] }, "fix"],
    ["no word and gaps", { gaps: [gap("low")] }, "fix"],
    ["no word and no gaps", { gaps: [] }, "unknown"],
    ["DONE", { status: "DONE" }, "unknown"],
    ["pass | fail as a template has it", { status: "pass | gaps_found" }, "unknown"],
    ["an unfilled template", { passed: true, phase: "{phase}" }, "unknown"],
    ["a part that nobody filled in", { passed: true, truths: [{ status: "<verified or failed>" }] }, "unknown"],
    ["a claim that looks like a template", { passed: true, truths: [{ claim: "<b>", status: "verified" }] }, "proceed"],
    ["a word that says both", { passed: true, status: "failed" }, "unknown"],
    ["a part that failed", { passed: true, truths: [{ status: "verified" }, { status: "FAILED" }] }, "unknown"],
    ["tests that failed", { passed: true, test_run: { failed: 2 } }, "unknown"],
    ["passed as a text", { passed: "true" }, "proceed"],
    ["a list", [{ passed: true }], "unknown"],
    ["nothing", {}, "unknown"],
  ],
  review: [
    ["PASS", { verdict: "PASS", issues: [] }, "proceed"],
    ["WARN with high findings", { verdict: "WARN", findings: [gap("high")] }, "proceed"],
    ["pass with concerns", { verdict: "pass with concerns" }, "proceed"],
    ["PASS with a critical issue", { verdict: "PASS", issues: [gap("critical")] }, "fix"],
    ["PASS with a count of criticals", { verdict: "PASS", severity_distribution: { critical: 1 } }, "fix"],
    ["BLOCK", { verdict: "BLOCK" }, "fix"],
    ["no verdict and a critical", { top_findings: [gap("Critical")] }, "fix"],
    ["FIXED with criticals", { verdict: "FIXED", findings: [gap("critical")] }, "unknown"],
    ["PASS and status failed", { verdict: "PASS", status: "failed" }, "unknown"],
    ["a reviewer who is done", { verdict: "PASS", status: "completed" }, "proceed"],
    ["no verdict", { findings: [] }, "unknown"],
  ],
  "business-test": [
    ["passed and no failures", { passed: true, failures: [] }, "proceed"],
    ["passed and failures", { passed: true, failures: [{ id: "BT-1" }] }, "fix"],
    ["failures alone", { failures: [{ id: "BT-1" }] }, "fix"],
    ["a fail word", { status: "failed", failures: [] }, "fix"],
    ["passed without a list of failures", { passed: true }, "unknown"],
    ["passed and a rule that failed", { passed: true, failures: [], rules: [{ status: "fail" }] }, "unknown"],
    ["neither", { failures: [] }, "unknown"],
    ["another word", { status: "degraded", failures: [] }, "unknown"],
  ],
  "test-results": [
    ["results that passed", { results: [{ status: "pass" }, { status: "passed" }] }, "proceed"],
    [
      "one skipped with a reason",
      { results: [{ status: "pass" }, { status: "skipped", reason: "no screen" }] },
      "proceed",
    ],
    ["one skipped without", { results: [{ status: "pass" }, { status: "skipped" }] }, "unknown"],
    ["all skipped", { results: [{ status: "skipped", reason: "no screen" }] }, "unknown"],
    ["passed and pending", { results: [{ passed: true, status: "pending" }] }, "unknown"],
    ["passed and completed", { results: [{ result: "pass", status: "completed" }] }, "proceed"],
    ["one pending", { results: [{ status: "pass" }, { status: "pending" }] }, "unknown"],
    ["an issue", { results: [{ status: "pass" }, { status: "issue" }] }, "fix"],
    ["a count of issues", { results: [{ status: "pass" }], summary: { issues: 1 } }, "fix"],
    ["PASS, and some failed", { verdict: "PASS", total: 9, passed: 8, failed: 1 }, "unknown"],
    ["numbers and a verdict", { verdict: "pass", tests: { total: 9, passed: 9, failed: 0 } }, "proceed"],
    ["numbers that do not add up", { verdict: "pass", total: 9, passed: 7, failed: 0 }, "unknown"],
    ["numbers alone", { total: 9, passed: 9, failed: 0 }, "unknown"],
    ["nothing", {}, "unknown"],
  ],
};

for (const [kind, rows] of Object.entries(cases)) {
  describe(kind, () => {
    test.each(rows)("[LR1 LR2 LR3 LR4 LR5 LR8 E77] %s", (_what, file, verdict) => {
      const found = resultReaders[kind as ResultKind](JSON.stringify(file));
      expect(found).toMatchObject({ verdict, why: expect.stringMatching(/\S/) });
    });
  });
}

test.each([
  ["nothing", ""],
  ["half of it", '{"passed": true, "gaps": ['],
  ["more behind it", '{"passed": true} {"passed": false}'],
  ["a key twice", '{"passed": false, "gaps": [], "passed": true}'],
  ["a key of a part twice", '{"passed": true, "a": {"status": "failed", "status": "ok"}}'],
  ["a text", '"passed"'],
  ["null", "null"],
])("[LR5 E64] a file with %s says nothing", (_what, text) => {
  for (const kind of ["verification", "review", "business-test", "test-results"] as const) {
    expect(resultReaders[kind](text).verdict).toBe("unknown");
  }
});

test("[LR5] a byte order mark and Windows line ends are fine; places are named", () => {
  const found = resultReaders.verification('\uFEFF{\r\n"passed": false,\r\n"gaps": [{"severity": "low"}]}\r\n');
  expect(found).toEqual({ verdict: "fix", why: "passed is false, with one gap", places: ["/passed", "/gaps/0"] });
  expect(resultReaders.verification('{"passed": true,\n  "gaps": }').why).toMatch(/^line 2:11: not valid JSON/);
});

describe("uat", () => {
  const results = ["pass", "pass"];
  const uat = (options: { status?: string; results?: readonly string[]; summary?: string; gaps?: string } = {}) => {
    const words = options.results ?? results;
    const tests = words.map((word, index) => `### ${index + 1}. It works\nexpected: yes\nresult: ${word}\n`).join("\n");
    const passed = words.filter((word) => word === "pass").length;
    const summary = options.summary ?? `total: ${words.length}\npassed: ${passed}\nissues: 0\npending: 0`;
    const { status = "complete", gaps = "[none]" } = options;
    return `---\nstatus: ${status}\n---\n\n## Tests\n\n${tests}\n## Summary\n\n${summary}\n\n## Gaps\n\n${gaps}\n`;
  };

  test.each<Case>([
    ["complete, and all passed", uat(), "proceed"],
    ["one skipped with a reason", uat({ results: ["pass", "skipped\nreason: no screen"] }), "proceed"],
    ["one skipped without", uat({ results: ["pass", "skipped"] }), "unknown"],
    ["an issue", uat({ results: ["pass", "issue"] }), "fix"],
    ["pending", uat({ results: ["pass", "[pending]"] }), "unknown"],
    ["still testing", uat({ status: "testing" }), "unknown"],
    ["failed", uat({ status: "failed" }), "fix"],
    ["a high gap", uat({ gaps: "- test: 1\n  severity: high" }), "fix"],
    [
      "a major gap behind a minor one",
      uat({ gaps: "- test: 1\n  severity: minor\n- test: 2\n  severity: major" }),
      "fix",
    ],
    ["a minor gap", uat({ gaps: "- test: 1\n  severity: minor" }), "proceed"],
    ["a gap that does not tell", uat({ gaps: "- the button is missing" }), "unknown"],
    ["an empty list of gaps", uat({ gaps: "" }), "unknown"],
    ["a summary that counts an issue", uat({ summary: "total: 2\npassed: 2\nissues: 1" }), "fix"],
    ["a summary that counts more", uat({ summary: "total: 3\npassed: 2" }), "unknown"],
    ["no summary", uat({ summary: "" }), "unknown"],
    ["a pass that is taken back", uat({ results: ["pass", "pass (but not on Windows)"] }), "unknown"],
    ["a test without a result", uat().replace("result: pass", "awaiting: user"), "unknown"],
    [
      "a test behind them without a result",
      uat({ summary: "total: 2\npassed: 2" }).replace("## Summary", "### 3. More\n\n## Summary"),
      "unknown",
    ],
    ["nothing", "", "unknown"],
    ["front matter without an end", "---\nstatus: complete\n", "unknown"],
    ["a table with a failure", uat().replace("## Tests", "| smoke | fail |\n\n## Tests"), "fix"],
    [
      "a table with a test that failed",
      uat().replace("## Tests", "| Test | Result |\n|---|---|\n| login | failed |\n\n## Tests"),
      "fix",
    ],
    [
      "a table of counts",
      uat().replace("## Tests", "| Passed | Failed |\n| --- | --- |\n| 2 | 0 |\n| Failed | 0 |\n\n## Tests"),
      "proceed",
    ],
  ])("[LR1 LR6 E41 E77] %s", (_what, text, verdict) => {
    expect(resultReaders.uat(text as string)).toMatchObject({ verdict });
  });

  test("[LR6] cut anywhere before its end it is never complete", () => {
    const whole = uat().trimEnd();
    for (let end = 0; end < whole.length; end += 1) {
      expect([end, resultReaders.uat(whole.slice(0, end)).verdict]).not.toContain("proceed");
    }
  });
});

test("[LR1 LR2 LR3 LR4 LR5 LR6 E21] every recorded file has the verdict of the table", ({ skip }) => {
  const samples = fileURLToPath(new URL("../../../../../shared/samples/maestro-flow/", import.meta.url));
  skip(!existsSync(samples), `recorded result files are not at ${samples}`);
  const page = readFileSync(new URL("../../../../docs/spec/lifecycle.md", import.meta.url), "utf8");
  const expected = [...page.matchAll(/^\| \d+ \| ([\w-]+ \d+) \| .*? \| (proceed|fix|unknown) \| /gm)].map(
    ([, row, verdict]) => [row, verdict],
  );
  const found = Object.entries(resultReaders).flatMap(([kind, read]) =>
    readdirSync(`${samples}${kind}`)
      .toSorted()
      .map((file, index) => [`${kind} ${index + 1}`, read(readFileSync(`${samples}${kind}/${file}`, "utf8")).verdict]),
  );
  expect(found).toEqual(expected);
  expect(found).toHaveLength(64);
});
