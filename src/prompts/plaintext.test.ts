import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cleanText, cutBeginning, cutEnd, fits, foldWord } from "./plaintext.ts";

const bytes = (text: string) => new TextEncoder().encode(text).length;

test("[antfarm Q] line ends, terminal codes, NUL bytes and half characters are made plain, and noted", () => {
  const { text, notes } = cleanText("\uFEFFa\r\nb\rc\u001b[1;32mgreen\u001b[0m\u001b]0;title\u0007\u0000d\ud800e");
  expect(text).toBe("a\nb\ncgreend\uFFFDe");
  expect(notes).toHaveLength(4);
  expect(cleanText("plain\ttext\n").notes).toEqual([]);
});

test("cleaning is total, and cleaning twice changes nothing that matters", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (raw) => {
      const { text } = cleanText(raw);
      expect(text.isWellFormed()).toBe(true);
      expect(text).not.toMatch(/\r/);
      expect(text.includes("\0")).toBe(false);
    }),
  );
});

describe("a cut text", () => {
  test("fits in its bytes, is well formed, and is the beginning or the end of the whole", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", minLength: 1, maxLength: 80 }),
        fc.integer({ min: 16, max: 60 }),
        (raw, max) => {
          const text = raw.toWellFormed();
          for (const cut of [cutEnd(text, max), cutBeginning(text, max)]) {
            expect(bytes(cut)).toBeLessThanOrEqual(max);
            expect(cut.isWellFormed()).toBe(true);
          }
          expect(cutEnd(text, max) === text).toBe(fits(text, max));
          expect(text.startsWith(cutEnd(text, max).replace("\n[… cut]", ""))).toBe(true);
          expect(text.endsWith(cutBeginning(text, max).replace("[… cut]\n", ""))).toBe(true);
        },
      ),
    );
  });
});

test("[B45] a word is folded without what people wrap around it", () => {
  for (const spelling of [
    "Approved",
    " APPROVED ",
    "**approved**",
    "`approved`.",
    '"approved"',
    "approved ✅",
    "(approved)",
  ])
    expect(foldWord(spelling)).toBe("approved");
  expect(foldWord("done?")).toBe("done?");
  expect(foldWord("not approved")).toBe("not approved");
});
