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

test("[PG47] no character that a font may leave out is unseen, but an emoji stays whole", () => {
  for (const unseen of ["\u{e0101}", "\ufe01", "\u200c", "\u034f", "\u3164", "\uffa0", "\u115f", "\u2800", "\u200d"])
    expect(visibleText(`a${unseen}b`)).toMatch(/^aU\+[0-9A-F]+b$/);
  expect(visibleText('"admin\u200d"')).toBe('"adminU+200D"');
  expect(visibleText("\u{1f469}\u200d\u{1f680} \u2764\ufe0f")).toBe("\u{1f469}\u200d\u{1f680} \u2764\ufe0f");
  expect(visibleText("\u2764\ufe0f\ufe0f\ufe0f")).toBe("\u2764\ufe0fU+FE0FU+FE0F");
});
