import { expect, test } from "vitest";
import { type LineComment, placeComments, placeOf, sentComment } from "./line-comment.ts";
import { linesIn } from "./unified-diff.ts";

const lines = (text: string) => linesIn(text);
const before = lines("@@ -1,3 +1,3 @@\n one\n-two\n+zwei\n three\n");
const [onAdded, onRemoved, onSame] = [3, 2, 4].map((i): LineComment => {
  const line = before[i];
  if (line === undefined) throw new Error("no line");
  const place = placeOf("a.ts", line);
  if (place === null) throw new Error("no place");
  return { ...place, text: `about ${line.text}`, quote: line.text };
}) as [LineComment, LineComment, LineComment];
const placed = (text: string) =>
  placeComments([onAdded, onRemoved, onSame], (path) => (path === "a.ts" ? lines(text) : null)).map(({ line }) => line);

test("[PG48] a comment stays at its line, follows it to another place, and is kept when the line is gone", () => {
  expect([onAdded.line, onRemoved, onSame.line]).toMatchObject([2, { side: "old", line: 2 }, 3]);
  expect(placed("@@ -1,3 +1,3 @@\n one\n-two\n+zwei\n three\n")).toEqual([2, 2, 3]);
  expect(placed("@@ -1,3 +1,6 @@\n+zero\n one\n-two\n+zwei\n+more\n three\n")).toEqual([3, 2, 5]);
  expect(placed("@@ -1,3 +1,3 @@\n one\n two\n+drei\n")).toEqual([null, null, null]);
  // Of several lines with the same words, the nearest.
  expect(placed("@@ -1,1 +1,6 @@\n+zwei\n+a\n+b\n+c\n+zwei\n")[0]).toBe(1);
  expect(placeComments([{ ...onAdded, path: "gone.ts" }], () => null)).toMatchObject([{ line: null }]);
});

test("[PG46 PG48] 10,000 comments on a file of 10,000 equal lines are placed, and each line is read once", () => {
  let reads = 0;
  const many = Array.from({ length: 10_000 }, (_, i) => ({
    kind: "added" as const,
    oldLine: null,
    newLine: i + 1,
    get text() {
      reads += 1;
      return i % 2 === 0 ? "even" : "odd";
    },
  }));
  const comments = many.map(({ newLine }): LineComment => ({ ...onAdded, line: newLine, quote: "odd" }));
  const found = placeComments(comments, () => many).map(({ line }) => line);
  expect([found[0], found[1], found[2], found[3], found.at(-1)]).toEqual([2, 2, 2, 4, 10_000]);
  expect(reads).toBe(many.length);
});

test("[PG49] a comment is sent with its path and the line that it has by now; of a removed line with what it said", () => {
  expect(sentComment({ comment: onAdded, line: 9 })).toEqual({ path: "a.ts", line: 9, text: "about zwei" });
  expect(sentComment({ comment: onRemoved, line: 2 })).toEqual({
    path: "a.ts",
    line: 2,
    text: '(about the removed line "two") about two',
  });
  expect(sentComment({ comment: onAdded, line: null })).toEqual({
    path: "a.ts",
    line: 2,
    text: '(about the line that was "zwei") about zwei',
  });
  expect(sentComment({ comment: { ...onAdded, path: "a\nb\u202E" }, line: 1 }).path).toBe("a\\nbU+202E");
});
