import fc from "fast-check";
import { expect, test } from "vitest";
import { cpuMsOf } from "../../test/support/cpu.ts";
import { placeOf, spanJson } from "./json.ts";

test("[A93] the end of a value is found, whatever text follows it", () => {
  fc.assert(
    fc.property(
      fc.json({ maxDepth: 4 }),
      fc.constantFrom("", "\nSTATUS: done", " ]", "\n```", ", }"),
      (json, after) => {
        expect(spanJson(json + after, 0)).toEqual({ ok: true, end: json.length });
      },
    ),
  );
});

test("[A95] it says no to exactly what JSON.parse says no to", () => {
  const pieces = fc.constantFrom(
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    '"a"',
    '"\\n"',
    '"\\x"',
    "1",
    "01",
    "-",
    "1e5",
    "true",
    "nul",
    " ",
    "\n",
    '"',
    "\t",
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 10 }), (parts) => {
      const text = parts.join("");
      const span = spanJson(text, 0);
      const whole = span.ok && text.slice(span.end).trim() === "";
      let parses = true;
      try {
        JSON.parse(text);
      } catch {
        parses = false;
      }
      expect(whole).toBe(parses);
    }),
    { numRuns: 5_000 },
  );
});

test("[A95] a mistake has a place", () => {
  const text = '[\n  {"id": "a",}\n]';
  const span = spanJson(text, 0);
  expect(span).toMatchObject({ ok: false, expected: "a key in double quotes" });
  expect(placeOf(text, span.ok ? 0 : span.at)).toEqual({ line: 2, column: 14 });
});

test("depth is limited and length is not a problem", () => {
  expect(spanJson("[".repeat(1_000_000), 0)).toMatchObject({ ok: false, at: 100 });
  const texts = [`["${"\\n".repeat(500_000)}"]`, `[${"1,".repeat(500_000)}1]`];
  expect(cpuMsOf(() => expect(texts.every((text) => spanJson(text, 0).ok)).toBe(true))).toBeLessThan(2_000);
});
