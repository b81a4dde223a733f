import fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import { cellsOf, column, fit, fitEnd, wrap } from "./cells.ts";

const texts: readonly (readonly [string, number])[] = [
  ["", 0],
  ["plain", 5],
  ["größer", 6],
  ["漢字", 4],
  ["한글", 4],
  ["ＡＢ", 4],
  ["e\u0301", 1],
  ["🎉", 2],
  ["👩‍👩‍👧‍👦", 2],
  ["❤️", 2],
  ["🇩🇪", 2],
  ["a\u200bb", 2],
  ["✓ ● …", 5],
  ["✔ ✗ ■ ◼", 7],
  ["✔️", 2],
  ["◽✅✨", 6],
];

test.each(texts)("[TE6] %j takes %d cells", (text, cells) => {
  expect(cellsOf(text)).toBe(cells);
});

test("[TE6] a text is cut between characters, and says that it was", () => {
  expect(fit("漢字漢字", 5)).toBe("漢字…");
  expect(fit("漢字漢字", 4)).toBe("漢…");
  expect(fit("👩‍👩‍👧‍👦👩‍👩‍👧‍👦", 3)).toBe("👩‍👩‍👧‍👦…");
  expect([fit("abc", 3), fit("abcd", 3), fit("abc", 1), fit("abc", 0)]).toEqual(["abc", "ab…", "…", ""]);
  expect([fitEnd("src/a/b.ts", 6), fitEnd("漢字", 3), fitEnd("ab", 2)]).toEqual(["…/b.ts", "…字", "ab"]);
  expect(column("漢", 4)).toBe("漢  ");
});

const anyText = fc.string({ unit: "grapheme", maxLength: 60 });

test("[TE6] whatever the text, what is cut, padded or wrapped keeps to its width", () => {
  fc.assert(
    fc.property(anyText, fc.integer({ min: 2, max: 40 }), (text, width) => {
      expect(cellsOf(fit(text, width))).toBeLessThanOrEqual(width);
      expect(cellsOf(fitEnd(text, width))).toBeLessThanOrEqual(width);
      expect(cellsOf(column(text, width))).toBe(width);
      const lines = wrap(text, width);
      for (const line of lines) expect(cellsOf(line)).toBeLessThanOrEqual(width);
      expect(lines.join("").replaceAll(" ", "")).toBe(text.replaceAll(" ", ""));
    }),
  );
});

test("[TE6] text is wrapped at spaces, and a long word anywhere", () => {
  expect(wrap("one two three four", 9)).toEqual(["one two", "three", "four"]);
  expect(wrap("abcdefghij", 4)).toEqual(["abcd", "efgh", "ij"]);
  expect(wrap("漢字漢字", 5)).toEqual(["漢字", "漢字"]);
  expect(wrap("as long as it is", Number.POSITIVE_INFINITY)).toEqual(["as long as it is"]);
});

test("[TE6] a segmenter, which takes long to make, is made for the first text that needs one", async () => {
  const made = vi.spyOn(Intl, "Segmenter");
  onTestFinished(() => made.mockRestore());
  vi.resetModules();
  const fresh = await import("./cells.ts");
  expect(fresh.column("✓ plain", 9)).toBe("✓ plain  ");
  expect(made).not.toHaveBeenCalled();
  expect(fresh.cellsOf("漢字")).toBe(4);
  expect(made).toHaveBeenCalledOnce();
});
