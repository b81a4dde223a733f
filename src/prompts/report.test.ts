import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AgentStep, CommandStep } from "../domain/definition.ts";
import { agentName, stepName } from "../domain/ids.ts";
import { readGiven, readReport } from "./report.ts";

const base = {
  name: stepName("verify"),
  title: "",
  input: "",
  produces: null,
  decide: null,
  expects: null,
  on: {},
  onError: { route: { to: "again" }, limit: null },
  budget: null,
  checks: [],
  wallMs: null,
  quietMs: null,
} as const;
const agent = (more: Partial<AgentStep> = {}): AgentStep => ({
  ...base,
  kind: "agent",
  agent: agentName("a"),
  ...more,
});
const command = (more: Partial<CommandStep> = {}): CommandStep => ({ ...base, kind: "command", command: "x", ...more });
const next = { route: { to: "next" }, limit: null } as const;
const reviewer = agent({ decide: "decision", on: { "=approved": next, "=needs_fixes": next, "=rejected": next } });

const verdictOf = (text: string, step: AgentStep | CommandStep = agent()) => {
  const report = readReport(step, text, []);
  return report.outcome === "completed" ? report.verdict : report.outcome;
};
const whyOf = (text: string, step: AgentStep | CommandStep = agent()) => {
  const report = readReport(step, text, []);
  return report.outcome === "completed" ? "" : report.why;
};
const passed = { kind: "passed" };
const rejected = { kind: "rejected", reason: null };

describe("STATUS", () => {
  test("[PR16 A46] it is compared trimmed and in any case", () => {
    for (const text of [
      "STATUS: done",
      "STATUS:  DONE  ",
      "Status: Done.",
      "**STATUS:** `done`",
      "STATUS: completed ✅",
    ])
      expect([text, verdictOf(text)]).toEqual([text, passed]);
    for (const text of [
      "STATUS: RETRY",
      "status: retry",
      "STATUS: needs fixes",
      "STATUS: Changes-requested",
      "STATUS: fail",
    ])
      expect([text, verdictOf(text)]).toEqual([text, rejected]);
  });

  test("[B13] retry is a verdict of its own, with the reason that was given", () => {
    expect(verdictOf("STATUS: retry\nREASON: Constitution_Violation.")).toEqual({
      kind: "rejected",
      reason: "constitution_violation",
    });
    const step = agent({ on: { "rejected:missing_tests": next } });
    expect(verdictOf("STATUS: rejected\nISSUES: x\nREASON: missing tests\nmore", step)).toEqual({
      kind: "rejected",
      reason: "missing_tests",
    });
  });

  test("[antfarm D] prose between STATUS: retry and ISSUES does not turn it into a pass", () => {
    const report = readReport(agent(), "STATUS: retry\nI looked at it.\nISSUES:\n- no tests", []);
    expect(report).toMatchObject({ outcome: "completed", verdict: rejected, feedback: "- no tests" });
  });

  test("[PR17] failed, error and blocked are no verdict but an attempt that failed, with its reason", () => {
    for (const word of ["failed", "ERROR", "Blocked"]) expect(verdictOf(`STATUS: ${word}`)).toBe("failed");
    expect(whyOf("STATUS: failed\nERROR: no network\nISSUES: i")).toBe("no network");
    expect(whyOf("STATUS: blocked\nISSUES: i")).toBe("i");
    expect(whyOf("I tried.\nSTATUS: blocked")).toBe("I tried.\nSTATUS: blocked");
  });

  test("[PR18] [antfarm B] an empty output is not a pass", () => {
    for (const text of ["", "  \n\r\n", "\0", "\uFEFF"]) expect(verdictOf(text)).toBe("invalid_output");
    expect(whyOf("")).toMatch(/^the output is empty: reply with `STATUS: done`/);
  });

  test("[PR18] [antfarm E] [A46] an output without STATUS is not a pass, and is told what to print", () => {
    expect(verdictOf("Everything is verified.")).toBe("invalid_output");
    expect(whyOf("Everything is verified.")).toMatch(/^no STATUS line: reply with `STATUS: done` on a line of its own/);
  });

  test("[PR18 B8] an unknown word is not a pass and is named", () => {
    for (const word of ["oops", "nearly done", "done?", "done | retry", "almost done", "done with errors", ""])
      expect([word, verdictOf(`STATUS: ${word}`)]).toEqual([word, "invalid_output"]);
    expect(whyOf("STATUS: oops")).toMatch(/^unknown STATUS "oops": reply with/);
  });

  test("a command that ended well needs no STATUS; what it prints still counts", () => {
    expect(verdictOf("12 tests passed", command())).toEqual(passed);
    expect(verdictOf("", command())).toEqual(passed);
    expect(verdictOf("STATUS: retry", command())).toEqual(rejected);
    expect(verdictOf("12 tests passed", command({ expects: "0 warnings" }))).toBe("invalid_output");
  });
});

describe("two verdicts", () => {
  test("the same one twice is one", () => {
    expect(verdictOf("STATUS: done\nmore work\nSTATUS: passed")).toEqual(passed);
  });

  test("[PR19] done and retry on lines of their own are none, in either order", () => {
    expect(whyOf("STATUS: done\nSTATUS: retry")).toBe(
      'two verdicts: STATUS is given as "done" and as "retry"; give it once',
    );
    expect(verdictOf("**STATUS:** retry\ntext\nStatus: done")).toBe("invalid_output");
    expect(verdictOf("STATUS: failed\nSTATUS: done")).toBe("invalid_output");
  });

  test("words that mean nothing do not contradict: the last one counts", () => {
    expect(verdictOf("STATUS: in progress\nSTATUS: done")).toEqual(passed);
    expect(verdictOf("STATUS: done\nSTATUS: in progress")).toBe("invalid_output");
  });

  test("[PR19] a no with words of its own contradicts as well, in every form, before and behind a yes", () => {
    for (const no of [
      "STATUS: rejected (tests are red)",
      "STATUS: Not done: one of three",
      "**Status**: rejected (tests are red)",
      "**Status:** Rejected — tests are red",
      "**STATUS: Rejected — tests are red**",
      "Status: failed, see below",
    ]) {
      expect([no, verdictOf(`${no}\n\nFormat:\nSTATUS: done`)]).toEqual([no, "invalid_output"]);
      expect([no, verdictOf(`STATUS: done\n${no}`)]).toEqual([no, "invalid_output"]);
      expect([no, verdictOf(no)]).toEqual([no, "invalid_output"]);
      expect([no, verdictOf(`SUMMARY\nx\n\n${no}`, agent({ summary: true }))]).toEqual([no, "invalid_output"]);
    }
    expect(verdictOf("Status: failed tests were fixed\nSTATUS: done")).toEqual(passed);
  });

  test("[PR19] a no in a line of prose contradicts a yes before it, and ends a summary without one", () => {
    for (const no of [
      "On second thought: STATUS: retry",
      "> STATUS: retry",
      "The tests are red though, so my verdict is **STATUS: retry**.",
      "| STATUS: failed |",
    ]) {
      expect([no, whyOf(`STATUS: done\n${no}`)]).toEqual([no, expect.stringMatching(/^two verdicts: STATUS/)]);
      expect([no, verdictOf(`${no}\nFixed.\nSTATUS: done`)]).toEqual([no, passed]);
      const summarised = `SUMMARY\nfoo\n${no}`;
      expect([no, whyOf(summarised, agent({ summary: true }))]).toEqual([
        no,
        expect.stringMatching(/^STATUS "\w+" is part/),
      ]);
      expect([no, verdictOf(`${summarised}\nThat was before.`, agent({ summary: true }))]).toEqual([no, passed]);
    }
    expect(verdictOf("STATUS: done\nCHANGES: the verifier may say STATUS: retry\nand then STATUS: retry")).toEqual(
      passed,
    );
    expect(verdictOf("STATUS: done\nSTATUS: retry is what I would say of red tests.")).toBe("invalid_output");
    expect(verdictOf("STATUS: done\n```\nand STATUS: retry\n```")).toEqual(passed);
  });

  test("what a block quotes does not contradict what is said after it", () => {
    expect(verdictOf("It said:\n```\nSTATUS: retry\n```\nFixed now.\nSTATUS: done")).toEqual(passed);
    expect(verdictOf("Asked for:\n```\nSTATUS: done\n```\nSTATUS: retry")).toEqual(rejected);
  });

  test("[PR19] a block at the end can reject but not pass what was rejected outside of it", () => {
    expect(verdictOf("Reply with\nSTATUS: done\n\n```\nSTATUS: retry\n```")).toEqual(rejected);
    expect(verdictOf("STATUS: retry\n\nIt should print\n```\nSTATUS: done\n```")).toBe("invalid_output");
  });

  test("a report that an issue quotes is a part of the issue", () => {
    const report = readReport(agent(), "STATUS: retry\nISSUES: it prints\n```\nSTATUS: done\n```\ntoo early", []);
    expect(report).toMatchObject({ verdict: rejected, feedback: "it prints\n```\nSTATUS: done\n```\ntoo early" });
  });
});

describe("[PR36] several lines of `expects`, and patterns", () => {
  const merging = agent({
    expects: "regex:^STATUS:\\s*(done|retry)\\s*$\nregex:^REBASED:\\s*(true|false)\\s*$\nMERGED_TREE:",
  });

  test("each is met, in the forms that agents print", () => {
    for (const text of [
      "STATUS: done\nREBASED: false\nMERGED_TREE: 12ab",
      "**STATUS:** completed\n- **REBASED:** True\n\n`MERGED_TREE:` 12ab".replace("- ", ""),
    ])
      expect([text, verdictOf(text, merging)]).toEqual([text, passed]);
    expect(verdictOf("STATUS: retry\nISSUES: x", merging)).toEqual(rejected);
  });

  test("what is missing is named, and what to print", () => {
    expect(whyOf("STATUS: done\nREBASED: perhaps\nMERGED_TREE: 1", merging)).toBe(
      "the output does not contain a line that matches ^REBASED:\\s*(true|false)\\s*$, which was expected",
    );
    expect(whyOf("REBASED: true", merging)).toContain(
      '(and a line that matches ^REBASED:\\s*(true|false)\\s*$ and "MERGED_TREE:"',
    );
    expect(whyOf("STATUS: done", agent({ expects: "STATUS: done\nCHANGES:" }))).toContain('"CHANGES:"');
  });

  test("a STATUS word that only the workflow knows is one", () => {
    const step = agent({ expects: "regex:^STATUS:\\s*(planned|shipped)$" });
    expect(verdictOf("STATUS: shipped", step)).toEqual(passed);
    expect(verdictOf("STATUS: lost", step)).toBe("invalid_output");
  });
});

test("[PR38] where no word is named, a STATUS that the input asks for word by word passes, and nothing else", () => {
  const input =
    "If nothing matches, output STATUS: skipped — no findings. If it is missing, report STATUS: failed REASON: missing.";
  const step = agent({ input, expects: "STATUS:" });
  expect(verdictOf("STATUS: skipped — no findings.", step)).toEqual(passed);
  expect(verdictOf("STATUS: done", step)).toEqual(passed);
  for (const text of ["STATUS: skipped because I am tired", "STATUS: perhaps", "STATUS: failed REASON: missing"])
    expect([text, verdictOf(text, step)]).not.toEqual([text, passed]);
  expect(verdictOf("STATUS: skipped — no findings.", agent({ input, expects: "STATUS: done" }))).toBe("invalid_output");
});

describe("[B8] expects", () => {
  const done = agent({ expects: "STATUS: done" });

  test("[PR20] an expected STATUS line is met by any word of the same meaning, marked up or not", () => {
    for (const text of ["STATUS: done", "**Status:** done", "STATUS: passed"])
      expect(verdictOf(text, done)).toEqual(passed);
    expect(verdictOf("STATUS: retry", done)).toEqual(rejected);
    expect(verdictOf("STATUS: oops", done)).toBe("invalid_output");
  });

  test("a word of the workflow's own is a pass where it is expected, and only there", () => {
    expect(verdictOf("STATUS: Planned", agent({ expects: "STATUS: planned" }))).toEqual(passed);
    expect(verdictOf("STATUS: planned", done)).toBe("invalid_output");
    expect(whyOf("x", agent({ expects: "STATUS: planned" }))).toContain("`STATUS: planned`");
    expect(verdictOf("STATUS: failed", agent({ expects: "STATUS: planned" }))).toBe("failed");
  });

  test("without a STATUS line, the text as a sentence of its own passes with a note; speaking of it does not", () => {
    const report = readReport(done, "All tests are green. **STATUS: done**", []);
    expect(report).toMatchObject({ verdict: passed, notes: ['no STATUS line; the output contains "STATUS: done"'] });
    for (const text of [
      "I cannot report STATUS: done",
      "> STATUS: done",
      "> All is well. STATUS: done",
      "Then print. STATUS: done if it works",
    ])
      expect([text, verdictOf(text, done)]).toEqual([text, "invalid_output"]);
  });

  test("[PR20] another text must be there, in any case and marking", () => {
    const step = agent({ expects: "All checks green" });
    expect(verdictOf("STATUS: done\n**ALL  checks** green!", step)).toEqual(passed);
    expect(verdictOf("all checks green", step)).toEqual(passed);
    expect(whyOf("STATUS: done", step)).toBe('the output does not contain "All checks green", which was expected');
    expect(whyOf("nothing", step)).toContain('"All checks green" somewhere in the output');
    expect(verdictOf("STATUS: retry", step)).toEqual(rejected);
  });
});

describe("a deciding key", () => {
  const value = (text: string) => ({ kind: "value", value: text });

  test("[PR21 B45] its value is folded", () => {
    for (const text of ["Approved", "APPROVED", "approved", "**approved**", "`Approved`.", '"approved"'])
      expect([text, verdictOf(`STATUS: done\nDECISION: ${text}`, reviewer)]).toEqual([text, value("approved")]);
    expect(verdictOf("STATUS: done\n**Decision:** Needs fixes", reviewer)).toBe("invalid_output");
    expect(verdictOf("STATUS: done\n**DECISION:** Needs fixes", reviewer)).toEqual(value("needs_fixes"));
  });

  test("[B46] without it the output cannot be read", () => {
    expect(whyOf("STATUS: done", reviewer)).toBe("Decision key 'DECISION' not found in step output");
  });

  test("[PR21 B47] a value without a route is named with those that have one", () => {
    expect(whyOf("STATUS: done\nDECISION: maybe", reviewer)).toBe(
      "Unknown decision value: 'maybe' for key 'DECISION'; expected one of: approved, needs_fixes, rejected",
    );
    for (const text of ["not approved", "approved | needs_fixes | rejected", "approved?", "", "constructor"])
      expect([text, verdictOf(`STATUS: done\nDECISION: ${text}`, reviewer)]).toEqual([text, "invalid_output"]);
  });

  test("[PR21] with a default any word counts, but not the form that a prompt shows", () => {
    const open = {
      ...reviewer,
      on: { ...reviewer.on, "=": { route: { to: "next" }, limit: null } },
    } as typeof reviewer;
    expect(verdictOf("DECISION: Escalate to legal", open)).toEqual(value("escalate to legal"));
    expect(verdictOf("DECISION: Needs fixes", open)).toEqual(value("needs_fixes"));
    for (const text of ["", "approved | needs_fixes", "<approved or rejected>"])
      expect([text, verdictOf(`STATUS: done\nDECISION: ${text}`, open)]).toEqual([text, "invalid_output"]);
  });

  test("[PR22 B12] STATUS says whether it ran, the key what it decided", () => {
    const report = readReport(reviewer, "STATUS: retry\nDECISION: needs_fixes\nREVIEW_ISSUES: x", []);
    expect(report).toMatchObject({ verdict: value("needs_fixes"), feedback: "x" });
    expect(report.notes).toContain("STATUS asks to try again, but DECISION decides");
    expect(verdictOf("STATUS: failed\nDECISION: approved", reviewer)).toBe("failed");
    expect(whyOf("STATUS: retry\nDECISION: approved", reviewer)).toMatch(/^two verdicts: .* DECISION is "approved"/);
    expect(verdictOf("STATUS: oops\nDECISION: approved", reviewer)).toBe("invalid_output");
  });

  test("[B8] STATUS may be left out where it is not expected", () => {
    expect(verdictOf("DECISION: approved", reviewer)).toEqual(value("approved"));
    expect(verdictOf("DECISION: approved", { ...reviewer, expects: "STATUS: done" })).toBe("invalid_output");
    expect(verdictOf("STATUS: retry\nDECISION: rejected", { ...reviewer, expects: "STATUS: done" })).toEqual(
      value("rejected"),
    );
  });

  test("two decisions are none; an echoed list of options is not a decision", () => {
    expect(whyOf("DECISION: rejected\nDECISION: approved", reviewer)).toMatch(/^two verdicts: DECISION/);
    expect(verdictOf("DECISION: approved | rejected\n\nDECISION: approved", reviewer)).toEqual(value("approved"));
    expect(verdictOf("```\nDECISION: rejected\n```\nDECISION: approved", reviewer)).toEqual(value("approved"));
  });

  test("any key can decide, STATUS too", () => {
    const gatekeeper = agent({ decide: "outcome", on: { "=ship": next } });
    expect(verdictOf("STATUS: done\nNOTES: n\nOutcome: Ship\nprose", gatekeeper)).toEqual(value("ship"));
    const report = readReport(agent({ decide: "status", on: { "=failed": next } }), "STATUS: failed", []);
    expect(report).toMatchObject({ verdict: value("failed"), outputs: { status: "failed" } });
  });
});

describe("what a report carries", () => {
  test("[PR24 A33] [B72] all keys but STATUS and STORIES_JSON, and the deciding key", () => {
    const text =
      "STATUS: done\nDECISION: approved\nCHANGES: c\nTASK: mine\nSTORIES_JSON: " +
      '[{"id":"a","title":"t","description":"d","acceptanceCriteria":["x"]}]';
    const report = readReport({ ...reviewer, produces: ["changes"] }, text, ["task"]);
    expect(report).toMatchObject({ outcome: "completed", stories: [{ id: "a" }] });
    expect(report.outcome === "completed" && report.outputs).toEqual({
      decision: "approved",
      changes: "c",
      task: "mine",
    });
  });

  test("[A95] [antfarm F] stories that cannot be used make the output unreadable", () => {
    expect(whyOf("STATUS: done\nSTORIES_JSON: [")).toMatch(/^STORIES_JSON is not valid JSON at line 2/);
    expect(verdictOf("STATUS: done\nSTORIES_JSON: []")).toBe("invalid_output");
  });

  test("[A34] a step that plans nothing has no stories", () => {
    expect(readReport(agent(), "STATUS: done", [])).toMatchObject({ stories: null });
  });

  test("[PR23 A46] the feedback is the issues, else the whole text", () => {
    const feedbackOf = (text: string) => {
      const report = readReport(agent(), text, []);
      return report.outcome === "completed" ? report.feedback : null;
    };
    expect(feedbackOf("STATUS: retry\nISSUES:\nFAILURES: f\nFEEDBACK: b")).toBe("f");
    expect(feedbackOf("STATUS: retry\nREVIEW_ISSUES: r\nISSUES: i")).toBe("i");
    expect(feedbackOf("\nNo tests at all.\nSTATUS: RETRY\n")).toBe("No tests at all.\nSTATUS: RETRY");
    const long = feedbackOf(`${"x".repeat(50_000)}\nthe end\nSTATUS: retry`) ?? "";
    expect(long.length).toBeLessThanOrEqual(16 * 1024);
    expect(long).toMatch(/the end\nSTATUS: retry$/);
  });

  test("[antfarm Q] notes say what was read differently from how it was written", () => {
    expect(readReport(agent(), "**STATUS:** done", []).notes).toEqual(["read `**STATUS:**` as STATUS"]);
  });
});

const status = fc.constantFrom("done", "retry", "failed", "oops", "Done.", "needs fixes", "", "done?");
const line = fc.oneof(
  status.map((word) => `STATUS: ${word}`),
  status.map((word) => `- **Status:** ${word}`),
  fc.constantFrom(
    "DECISION: approved",
    "DECISION: maybe",
    "ISSUES: x",
    "```",
    "STORIES_JSON: [",
    "prose",
    "> STATUS: done",
    "\0",
  ),
  fc.string({ unit: "binary", maxLength: 10 }),
);

test("[A46] reading is total, and passes nothing that did not say so last", () => {
  fc.assert(
    fc.property(
      fc.array(line, { maxLength: 8 }),
      fc.constantFrom(agent(), agent({ expects: "STATUS: done" }), reviewer),
      (lines, step) => {
        const report = readReport(step, lines.join("\n"), []);
        const said = report.outcome === "completed" ? report.verdict.kind : report.why;
        expect(said).not.toBe("");
        const isDone = (text: string) => /^(?:- \*\*)?status:(?:\*\*)? done\.?$/i.test(text);
        const isDenied = (text: string) => /^STATUS: (retry|needs fixes|failed)$/.test(text);
        expect(said === "passed" && !lines.some(isDone)).toBe(false);
        expect(said === "passed" && !lines.includes("```") && lines.some(isDenied)).toBe(false);
        expect(said === "value" && !lines.includes("DECISION: approved")).toBe(false);
      },
    ),
    { numRuns: 3_000 },
  );
});

describe("[PR32] a step that ends with a summary", () => {
  const summing = agent({ summary: true, produces: [], on: { "rejected:checks": next } });
  const say = (text: string, step = summing) => readReport(step, text, []);

  test.each([
    "STATUS: failed\nREASON: criterion 1 is not met\nSUMMARY: NOT DONE. Do not merge this.",
    "I looked at it.\n\n## Summary\nNOT DONE. Do not merge this.\n\nSTATUS: failed\nREASON: criterion 1 is not met",
    "SUMMARY\nNOT DONE.\n**STATUS:** blocked\nREASON: criterion 1 is not met",
  ])("a no before, after or in the summary is a no: %#", (text) => {
    expect(say(text)).toMatchObject({ outcome: "failed", why: "criterion 1 is not met" });
  });

  test("a rejection sends the work back with its issues, and the summary is no part of them", () => {
    for (const text of [
      "STATUS: retry\nISSUES:\n- no filter\n\n## SUMMARY\nNot good.",
      "SUMMARY: Not good.\nSTATUS: retry\nISSUES: - no filter",
    ])
      expect(say(text)).toMatchObject({ verdict: rejected, feedback: "- no filter", summary: "Not good." });
  });

  test("without a verdict it has passed, and its prose sets no keys", () => {
    const text = "NOTES: this is prose\n\nSUMMARY\nBuilt.\nTESTS: 3 passed";
    expect(say(text)).toMatchObject({ verdict: passed, outputs: {}, summary: "Built.\nTESTS: 3 passed" });
    expect(say("SUMMARY\nBuilt.\nSTATUS: done")).toMatchObject({ verdict: passed, summary: "Built." });
  });

  test("[RA24] without a word, with an unknown word, or with two verdicts it has not", () => {
    for (const text of ["", "  \n", "SUMMARY: x\nSTATUS: perhaps", "STATUS: done\nSUMMARY: x\nSTATUS: failed"])
      expect([text, say(text).outcome]).toEqual([text, "invalid_output"]);
  });

  test("it may have to say its verdict, decide, and produce", () => {
    expect(say("SUMMARY\nfine", { ...summing, expects: "STATUS: done" }).outcome).toBe("invalid_output");
    const deciding = { ...reviewer, summary: true, produces: ["area"] };
    expect(say("SUMMARY\nfine\nSTATUS: done\nDECISION: approved\nAREA: api\nOTHER: x", deciding)).toMatchObject({
      verdict: { kind: "value", value: "approved" },
      outputs: { decision: "approved", area: "api" },
    });
  });

  test("by tool it is the same: an outcome, or what its summary says; both must agree", () => {
    const give = (given: object) => readGiven(summing, given, []);
    expect(give({ summary: "Built." })).toMatchObject({ verdict: passed, summary: "Built.", outputs: {} });
    expect(give({ summary: "Not done.", outcome: "retry" })).toMatchObject({
      verdict: rejected,
      feedback: "Not done.",
    });
    expect(give({ summary: "NOT DONE.\nSTATUS: failed" }).outcome).toBe("failed");
    expect(give({ summary: "NOT DONE.\nSTATUS: failed", outcome: "done" }).outcome).toBe("invalid_output");
  });
});
