import fc from "fast-check";
import { expect, test } from "vitest";
import { cellsOf } from "../../../transcript/cells.ts";
import { KeptLines } from "./kept-lines.ts";
import { emptyLogText, isError, type LogLine, rowsOf } from "./log-line.ts";
import { plainState, readSgr } from "./sgr.ts";

const line = (text: string, more: Partial<LogLine> = {}): LogLine => ({
  kind: "text",
  tone: "plain",
  text,
  ...more,
});
const part = (from: number, count: number) => ({
  from,
  next: from + count,
  lines: Array.from({ length: count }, (_, i) => line(`line ${from + i}`)),
});
const textAt = (kept: KeptLines, index: number) => kept.row(index)?.text;

test("[PG62] the newest lines are kept, and what was left out can come again, each row with its number", () => {
  const kept = new KeptLines(80, 3_000);
  for (let from = 0; from < 10_000; from += 1_000) kept.append(part(from, 1_000), true);
  expect({ count: kept.count, from: kept.from, next: kept.next, origin: kept.origin }).toEqual({
    count: 3_000,
    from: 7_000,
    next: 10_000,
    origin: 7_000,
  });
  expect(textAt(kept, 0)).toBe("line 7000");
  kept.prepend(part(6_000, 1_000));
  expect({ origin: kept.origin, from: kept.from, first: textAt(kept, 0) }).toEqual({
    origin: 6_000,
    from: 6_000,
    first: "line 6000",
  });
});

test("[PG61] while somebody reads, no line goes", () => {
  const kept = new KeptLines(80, 3_000);
  for (let from = 0; from < 5_000; from += 1_000) kept.append(part(from, 1_000), false);
  expect({ origin: kept.origin, count: kept.count, isFull: kept.isFull }).toEqual({
    origin: 0,
    count: 5_000,
    isFull: true,
  });
});

test("[PG62] a log that grows line by line is kept in few parts", () => {
  const kept = new KeptLines(80, 2_000);
  for (let from = 0; from < 5_000; from += 1) kept.append(part(from, 1), true);
  expect(kept.count).toBeLessThan(2_600);
  expect(textAt(kept, kept.count - 1)).toBe("line 4999");
  expect(textAt(kept, 0)).toBe(`line ${kept.from}`);
});

test("[PG63] words are found in whatever case, also where a line takes several rows, and after other rows went", () => {
  const kept = new KeptLines(20, 100);
  kept.append(
    { from: 0, next: 9, lines: [line("nothing"), line(`${"a word ".repeat(6)}Needle`), line("needle")] },
    true,
  );
  const found = kept.find("NEEDLE");
  expect(found).toHaveLength(2);
  expect(found[0]).toBe(1);
  expect(kept.find("")).toEqual([]);
  kept.prepend(part(-5, 5));
  expect(kept.find("needle")).toEqual(found);
});

test("[PG63] the first error is what an agent reports as failed, or a line of a program that says so", () => {
  const kept = new KeptLines(80);
  kept.append(part(0, 3), true);
  expect(kept.firstError()).toBeNull();
  kept.append({ from: 3, next: 5, lines: [line("about an error"), line("  ✗ exit code 1", { tone: "bad" })] }, true);
  expect(kept.firstError()).toBe(4);
  const printed = (text: string) => isError(line(text, { kind: "line" }));
  expect(["TypeError: x", "npm error code 1", "fatal: not a tree"].map(printed)).toEqual([true, true, true]);
  expect(["0 errors", "all is fine"].map(printed)).toEqual([false, false]);
});

test("[PG62] what is being said stands at the end until it is a line", () => {
  const kept = new KeptLines(80);
  kept.append(part(0, 2), true);
  kept.say([line("I am writ")]);
  expect({ count: kept.count, last: textAt(kept, 2) }).toEqual({ count: 3, last: "I am writ" });
  kept.say([]);
  expect(kept.count).toBe(2);
});

test("[PG62] no row is wider than the list, and no letter is lost", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), fc.integer({ min: 25, max: 80 }), (text, width) => {
      const { spans } = readSgr(text, plainState);
      const shown = spans.map((each) => each.text).join("");
      for (const each of [line(shown), line(shown, { spans })]) {
        const rows = rowsOf(each, width).map((row) => row.text);
        for (const row of rows) expect(cellsOf(row)).toBeLessThanOrEqual(width);
        expect(rows.join("").replaceAll(" ", "")).toBe(shown.replaceAll(" ", ""));
      }
    }),
  );
});

test("[PG62] another width changes the rows and keeps the lines", () => {
  const kept = new KeptLines(80);
  kept.append({ from: 0, next: 1, lines: [line("word ".repeat(30).trim())] }, true);
  const before = kept.count;
  expect(kept.setWidth(40)).toBe(true);
  expect(kept.count).toBeGreaterThan(before);
  expect(kept.setWidth(40)).toBe(false);
});

test("[PG65] a log that is gone is said, and is not one that waits or has nothing", () => {
  expect(emptyLogText({ hasLog: false, ended: true })).toContain("`pawl clean` removes the logs");
  expect(emptyLogText({ hasLog: true, ended: true })).toBe("The agent printed nothing.");
  expect(emptyLogText({ hasLog: false, ended: false })).toBe("Nothing was printed yet.");
});
