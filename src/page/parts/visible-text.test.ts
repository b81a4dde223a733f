import { expect, test } from "vitest";
import { visiblePieces, visibleText } from "./visible-text.ts";

test("[PG47] characters that act without being seen are shown as words, and all others stay as they are", () => {
  expect(visibleText("a\u202Eb\u2066c\u200Bd\u{E0041}e\uFEFF")).toBe("aU+202EbU+2066cU+200BdU+E0041eU+FEFF");
  expect(visibleText("\u001B[31mred\u0007 \u007F\u0085")).toBe("\\x1b[31mred\\x07 \\x7fU+0085");
  expect(visibleText("half \uD83D of one")).toBe("half U+D83D of one");
  expect(visiblePieces("ab\rc")).toEqual([
    { text: "ab", isMark: false },
    { text: "\\r", isMark: true },
    { text: "c", isMark: false },
  ]);
  const plain = "\tGrüße, 你好, שלום, 👩‍👩‍👧 <script>";
  expect(visiblePieces(plain)).toEqual([{ text: plain, isMark: false }]);
  expect(visiblePieces("")).toEqual([]);
  expect(visibleText("a\tb\n")).toBe("a\\tb\\n");
});
