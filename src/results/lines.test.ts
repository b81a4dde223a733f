import { expect, test } from "vitest";
import { LineSplitter, type TextLine } from "./lines.ts";
import { namedIn } from "./new-tests.ts";

function linesOf(...pieces: readonly string[]): readonly TextLine[] {
  const lines: TextLine[] = [];
  const splitter = new LineSplitter((line) => lines.push(line));
  for (const piece of pieces) splitter.add(piece);
  splitter.end();
  return lines;
}

test("[RS2] lines are whole wherever the text is cut into pieces, with either kind of line end", () => {
  expect(linesOf("a\r", "\nbc", "d\n\nlast\r")).toEqual(["a", "bcd", "last"].map((text) => ({ text, isCut: false })));
});

test("[RS2] of a line without end the beginning is kept, and it is said that there was more", () => {
  const most = 1024 * 1024;
  const long = `begin${"x".repeat(most)}`;
  expect(linesOf(long.slice(0, 9), long.slice(9), "end\nnext\n")).toEqual([
    { text: long.slice(0, most), isCut: true },
    { text: "next", isCut: false },
  ]);
  expect(linesOf("y".repeat(most)).map(({ isCut }) => isCut)).toEqual([false]);
});

test.each([
  ["m.TestCart/empty/by_coupon", 't.Run("by coupon", func', true],
  ["m.TestCart/empty/by_coupon", 't.Run("empty", func', false],
  ["m.TestCart", "func TestCart(t *testing.T) {", true],
  ["m.TestCart", "func TestCartIsFull(t *testing.T) {", false],
  ["cart > adds [2 items]", 'test("adds [%s]"', true],
  ["cart.test_ok", "def test_ok():", true],
  ["cart > ok", 'test("ok", () => {', true],
  ["cart > x", 'test("x", () => {', false],
])("[RS5] %s is a test of a step that added %s: %s", (name, added, isNew) => {
  expect(namedIn(added)(name)).toBe(isNew);
});
