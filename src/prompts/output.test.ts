import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readEntries, readKeys } from "./output.ts";

const valuesOf = (text: string, known: readonly string[] = []) => Object.fromEntries(readKeys(text, known).values);

describe("plain keys", () => {
  test("[PR8 A33] keys are folded to lower case and values trimmed", () => {
    expect(valuesOf("STATUS: done\nCHANGES:   x  \nTESTS: y", ["changes", "tests"])).toEqual({
      status: "done",
      changes: "x",
      tests: "y",
    });
  });

  test("[PR8 B3] a value goes on until the next key line", () => {
    const text = "STATUS: done\nREVIEW_ISSUES:\n- one\n\n- two: with a colon\nREVIEW_NOTES: fine";
    expect(valuesOf(text, ["review_notes"])).toEqual({
      status: "done",
      review_issues: "- one\n\n- two: with a colon",
      review_notes: "fine",
    });
  });

  test("[PR9 B3] a key needs white space or the end of the line after its colon", () => {
    expect(valuesOf("CHANGES: see\nURL:x\nhttps://x", ["changes", "url"])).toEqual({
      changes: "see\nURL:x\nhttps://x",
    });
  });

  test("[PR9] the verdict counts also without that space, with a note", () => {
    const read = readKeys("STATUS:done", []);
    expect(read.values.get("status")).toBe("done");
    expect(read.notes).toEqual(["read STATUS without a space after its colon"]);
  });

  test("[antfarm Q] digits after the first character are part of a key", () => {
    expect(valuesOf("PHASE2_RESULT: ok\n")).toEqual({ phase2_result: "ok" });
    expect(valuesOf("2ND: no")).toEqual({});
  });

  test("text without any key, and no text, give nothing", () => {
    expect(valuesOf("")).toEqual({});
    expect(valuesOf("All done.\nI think: yes")).toEqual({});
  });

  test("a plain output is read without notes", () => {
    expect(readKeys("STATUS: done\nCHANGES: x", ["changes"]).notes).toEqual([]);
  });
});

describe("[antfarm Q] the forms that agents print", () => {
  const forms = [
    "**STATUS:** done",
    "**STATUS**: done",
    "**STATUS: done**",
    "***STATUS:*** done",
    "Status: done",
    "status: done",
    "- STATUS: done",
    "* **Status:** done",
    "1. STATUS: done",
    "`STATUS: done`",
    "`STATUS`: done",
    "## STATUS: done",
    "### **Status:** done",
    "  STATUS: done",
    "STATUS : done",
    "STATUS:\u00a0done",
    "\u00a0STATUS: done",
    "STATUS: **done**",
    "STATUS: `done`",
    "\uFEFFSTATUS: done",
    "\u001b[32mSTATUS: done\u001b[0m",
    "STATUS: done\r",
    "STA\u0000TUS: done",
    "```\nSTATUS: done\n```",
    "```text\nSTATUS: done\n```\n",
    "~~~\nSTATUS: done\n~~~",
    "```\nSTATUS: done",
  ];
  for (const form of forms)
    test(JSON.stringify(form), () => {
      const read = readKeys(`Here is my report.\n\n${form}\nBye.`, []);
      expect(Object.fromEntries(read.values)).toEqual({ status: "done" });
      expect(read.notes.length > 0).toBe(!/```|~~~/.test(form));
    });

  test("[PR10] a note says what was read as what", () => {
    expect(readKeys("**STATUS:** done", []).notes).toEqual(["read `**STATUS:**` as STATUS"]);
  });

  test("[PR11] other spellings than upper case count only for known keys", () => {
    expect(valuesOf("Summary: s\nNext steps: none\nplan_file: p", ["plan_file"])).toEqual({ plan_file: "p" });
  });

  test("a whole report with Windows line ends in a block, marked up", () => {
    const text = "Done!\r\n\r\n```\r\n**STATUS:** retry\r\n**ISSUES:**\r\n- a\r\n- b\r\n```\r\nLet me know.\r\n";
    expect(valuesOf(text)).toEqual({ status: "retry", issues: "- a\n- b" });
  });

  test("a report as a list", () => {
    const text = "- STATUS: done\n- CHANGES: a\n  and b\n- TESTS: c";
    expect(valuesOf(text, ["changes", "tests"])).toEqual({ status: "done", changes: "a\n  and b", tests: "c" });
  });

  test("[PR12] a quotation is not a key line", () => {
    expect(valuesOf("> STATUS: done")).toEqual({});
  });
});

describe("[antfarm R] what looks like a key inside of a value", () => {
  test("[PR12] lines of a value that begin with words of their own belong to it", () => {
    const text = "STATUS: done\nFINDINGS:\nSQL: injection in a.ts\nXSS: in b.ts\n**CSRF:** in c.ts\nSEVERITY: high";
    expect(valuesOf(text, ["severity"])).toEqual({
      status: "done",
      findings: "SQL: injection in a.ts\nXSS: in b.ts\n**CSRF:** in c.ts",
      severity: "high",
    });
  });

  test("[PR34] a key that nobody declared ends the value before it, and is one of its own", () => {
    const text =
      "STATUS: done\nTEST_CMD: npm test\nCI_NOTES: there is no CI\nCHANGES: two files\nand a test\nNOTE: the API stays\nas it was";
    expect(valuesOf(text, ["test_cmd", "changes"])).toEqual({
      status: "done",
      test_cmd: "npm test",
      ci_notes: "there is no CI",
      changes: "two files\nand a test",
      note: "the API stays\nas it was",
    });
  });

  test("[PR34] it ends a list and a value that is empty; an item, an indented line and a block stay what they are", () => {
    const text =
      "RESULTS:\n- a\n  B: b\n- C: c\n```\nD: d\n```\nNOTES: e\nBUILD_CMD:\nNEXT: f\nFINDINGS:\nSQL: g\nCI_NOTES: h";
    expect(valuesOf(text, ["results", "build_cmd"])).toEqual({
      results: "- a\n  B: b\n- C: c\n```\nD: d\n```",
      notes: "e",
      build_cmd: "",
      next: "f",
      findings: "SQL: g",
      ci_notes: "h",
    });
  });

  test("after a key of one line, or at the beginning, it is a key of its own", () => {
    expect(valuesOf("SQL: a\nSTATUS: done\nXSS: b")).toEqual({ sql: "a", status: "done", xss: "b" });
  });

  test("a log in FAILURES keeps its `Error:`, `ERROR:` and `Reason:` lines", () => {
    const text = "STATUS: retry\nFAILURES:\nError: boom\n    at x\nERROR: exit 1\nReason: unknown\nProblems: 2";
    expect(valuesOf(text)["failures"]).toBe(text.split("FAILURES:\n")[1]);
  });

  test("an item of a list is a part of the value, also when its first word is a known key", () => {
    const text =
      "STATUS: retry\nISSUES:\n- Tests: 3 are red\n- Status: done is never shown\n- Branch: main\n  STATUS: done";
    expect(valuesOf(text, ["tests"])).toMatchObject({ status: "retry", issues: text.split("ISSUES:\n")[1] });
  });

  test("a block in the value is a part of it, also when it shows a report", () => {
    const text = "STATUS: retry\nISSUES: it prints\n```\nSTATUS: done\nISSUES: none\n```\nwhich is wrong";
    expect(valuesOf(text)).toEqual({ status: "retry", issues: text.slice(text.indexOf("it prints")) });
  });

  test("a block with the report itself ends the value before it", () => {
    const text = "SUMMARY: all is well\n```\nSTATUS: done\nCHANGES: c\n```\nbye";
    expect(valuesOf(text, ["summary", "changes"])).toEqual({ summary: "all is well", status: "done", changes: "c" });
  });

  test("a block inside of a report that stands in a block does not end it", () => {
    const text = "```\nSTATUS: retry\nISSUES: see\n```ts\ncode()\n```\nand more\n```\nbye";
    expect(valuesOf(text)["issues"]).toBe("see\n```ts\ncode()\n```\nand more");
  });
});

describe("keys of one line", () => {
  test("[antfarm D] prose after STATUS is not part of it", () => {
    const text = "STATUS: retry\nI looked at everything.\n\nISSUES: no tests";
    expect(valuesOf(text)).toEqual({ status: "retry", issues: "no tests" });
  });

  test("[PR13] repo, branch, pr and pr_url take the rest of their line", () => {
    const text = "REPO: /a b\nprose\nBRANCH: `f/x`\nprose\nPR: 12\nprose\nPR_URL: https://x/1\nprose";
    expect(valuesOf(text)).toEqual({ repo: "/a b", branch: "f/x", pr: "12", pr_url: "https://x/1" });
  });

  test("[B45] the deciding key of a step takes one line, in any case", () => {
    const { entries } = readEntries("Outcome: ship\nprose", [], "outcome");
    expect(entries).toEqual([{ key: "outcome", value: "ship", fenced: false }]);
  });

  test("[A46] `Status` in prose is a status only with a word that is one", () => {
    expect(valuesOf("Status: the field is missing\nStatus page: ok")).toEqual({});
    expect(valuesOf("STATUS: oops")).toEqual({ status: "oops" });
  });
});

describe("repetition and limits", () => {
  test("[PR14] [antfarm E] the last occurrence counts, so that an echoed prompt does not win", () => {
    const read = readKeys("Reply with:\nSTATUS: done\nCHANGES: <what>\n\nSTATUS: retry\nCHANGES: real", ["changes"]);
    expect(Object.fromEntries(read.values)).toEqual({ status: "retry", changes: "real" });
    expect(read.notes).toContain("CHANGES was given more than once; the last one counts");
  });

  test("[A99] STORIES_JSON is never among the values, and a key line after it is read", () => {
    const text = 'STORIES_JSON: [\n {"id": "a"}\n]\nREPO: /r\nSTORIES_JSON:\n```json\n[]\n```\nEXTRA: x\nSTATUS: done';
    expect(valuesOf(text)).toEqual({ repo: "/r", extra: "x", status: "done" });
    expect(valuesOf("**Stories_JSON:** []")).toEqual({});
  });

  test("[PR15] a value is cut to 64 KiB, with a note", () => {
    const read = readKeys(`ISSUES: ${"é".repeat(70_000)}`, []);
    const value = read.values.get("issues") ?? "";
    expect(new TextEncoder().encode(value).length).toBeLessThanOrEqual(64 * 1024);
    expect(value.startsWith("ééé")).toBe(true);
    expect(read.notes).toEqual(["ISSUES was cut to 64 KiB"]);
  });

  test("[PR15] at most 200 keys are read, the known ones first", () => {
    const noise = Array.from({ length: 300 }, (_, index) => `STATUS: done\nK${index}: x`).join("\n");
    const read = readKeys(`${noise}\nWANTED: y`, ["wanted"]);
    expect(read.values.size).toBe(200);
    expect(read.values.get("wanted")).toBe("y");
    expect(read.values.get("status")).toBe("done");
    expect(read.notes).toContain("left out 102 keys: at most 200 are read");
  });

  test("a key cannot become a prototype", () => {
    expect(valuesOf("__PROTO__: x\nSTATUS: done")).toEqual({ status: "done" });
    expect(valuesOf("CONSTRUCTOR: x")).toEqual({ constructor: "x" });
  });
});

const line = fc.oneof(
  fc.constantFrom(
    "STATUS: done",
    "**Status:** retry",
    "ISSUES:",
    "- SQL: x",
    "```",
    "```json",
    "~~~",
    "STORIES_JSON: [",
    "]",
  ),
  fc.constantFrom("\0", "\ud800", "\r", "K1: v", "   ", "**", "`", "## ", "__PROTO__: x", "A:", ":"),
  fc.string({ unit: "binary", maxLength: 20 }),
);
const output = fc.array(line, { maxLength: 30 }).map((lines) => lines.join("\n"));

test("[PR15] reading is total, and what it gives is trimmed, well formed and folded", () => {
  fc.assert(
    fc.property(output, fc.array(fc.constantFrom("k1", "A", "issues")), (text, known) => {
      const { values, notes } = readKeys(text, known);
      for (const [key, value] of values) {
        expect(key).toMatch(/^[a-z_][a-z0-9_]*$/);
        expect(key).not.toMatch(/^stories_json/);
        expect(value).toBe(value.trim());
        expect(value.isWellFormed()).toBe(true);
        expect(value.includes("\0")).toBe(false);
      }
      for (const note of notes) expect(note.length).toBeLessThan(300);
    }),
    { numRuns: 1_000 },
  );
});

test("keys that are printed plainly come back as they are, whatever the values contain", () => {
  const word = fc.stringMatching(/^[a-z(<"{][ -~]{0,30}[a-z)]$/).filter((text) => !/^\s*[A-Za-z_]\w*\s?:|`/.test(text));
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), word, (lines, notes) => {
      const text = `STATUS: retry\nISSUES: ${lines.join("\n")}\nNOTES: ${notes}`;
      expect(valuesOf(text, ["notes"])).toEqual({ status: "retry", issues: lines.join("\n"), notes });
    }),
  );
});

test("a megabyte takes little time, whatever it is made of", () => {
  for (const unit of [
    "x",
    " ",
    "\n",
    "a: ",
    "STATUS",
    "*",
    "`",
    "- ",
    "```\n",
    "A:\n",
    "STATUS: done\n",
    "\ud800",
    "\0",
    "\u001b]",
  ]) {
    const text = unit.repeat(Math.ceil(1_000_000 / unit.length));
    const before = process.cpuUsage();
    readKeys(text, ["a"]);
    expect({ unit, slow: cpuMs(before) > 3_000 }).toEqual({ unit, slow: false });
  }
});

/** Of this process: a busy machine makes nobody slow. */
function cpuMs(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
