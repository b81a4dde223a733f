// The contract of a reader of test results. Every reader passes it: what it does not understand is never a pass, whatever is cut
// off, damaged or added.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ResultForm } from "../domain/check.ts";
import { resultReader } from "./readers.ts";
import { cleanName, type ResultsRead } from "./result.ts";

interface SampleTest {
  readonly name: string;
  readonly end: "pass" | "fail" | "skip";
}

export interface Sample {
  readonly form: ResultForm;
  /** The text that a tool of this form prints for these tests. */
  render(tests: readonly SampleTest[]): string;
  /** The name under which a test is reported. */
  nameOf(name: string): string;
  /** Names that this form can write. */
  readonly names: fc.Arbitrary<string>;
}

export function readText(form: ResultForm, text: string, size = text.length || 1): ResultsRead {
  const reader = resultReader(form);
  for (let at = 0; at < text.length; at += size) reader.add(text.slice(at, at + size));
  return reader.end();
}

export function describeReader({ form, render, nameOf, names }: Sample): void {
  const tests = fc.uniqueArray(fc.record({ name: names, end: fc.constantFrom("pass", "fail", "skip") }), {
    selector: ({ name }) => name,
    maxLength: 8,
  }) as fc.Arbitrary<readonly SampleTest[]>;
  const some = tests.filter((list) => list.length > 0);
  const isGreen = (reading: ResultsRead) =>
    reading.kind === "results" && reading.fail === 0 && reading.broken.length === 0 && reading.pass > 0;

  describe(`[RS1 RS2 D63] ${form}`, () => {
    test("counts tests and names those that fail, in whatever pieces the text comes", () => {
      fc.assert(
        fc.property(some, fc.integer({ min: 1, max: 50 }), (list, size) => {
          const named = (end: string) =>
            list.filter((each) => each.end === end).map(({ name }) => cleanName(nameOf(name)));
          expect(readText(form, render(list), size)).toMatchObject({
            kind: "results",
            pass: named("pass").length,
            fail: named("fail").length,
            skip: named("skip").length,
            failing: named("fail"),
            passing: named("pass"),
            broken: [],
          });
        }),
      );
    });

    test("a text that is cut off is unreadable, or its failures are all there", () => {
      fc.assert(
        fc.property(some, fc.nat(), (list, at) => {
          const text = render(list);
          const reading = readText(form, text.slice(0, at % text.length));
          const failures = list.filter(({ end }) => end === "fail").length;
          expect(reading.kind === "results" ? reading.fail : failures).toBeGreaterThanOrEqual(failures);
        }),
      );
    });

    test("other lines before and after it change nothing", () => {
      fc.assert(
        fc.property(
          some,
          fc.array(fc.constantFrom("$ make test", "", "{ warning }", "a < b", "100% done", "❯ ok?")),
          (list, noise) => {
            const lines = noise.map((line) => `${line}\n`).join("");
            expect(readText(form, `${lines}${render(list)}\n${lines}`)).toEqual(readText(form, render(list)));
          },
        ),
      );
    });

    test("what is not of this form is unreadable or has no test that passed; nothing throws", () => {
      fc.assert(
        fc.property(fc.string({ unit: "binary" }), (text) => {
          expect(isGreen(readText(form, text))).toBe(false);
        }),
      );
      expect(readText(form, "").kind).toBe("unreadable");
      expect(readText(form, "all good\n").kind).toBe("unreadable");
    });

    test("a damaged text is never green where the whole one is not", () => {
      fc.assert(
        fc.property(some, fc.nat(), fc.string({ maxLength: 4 }), (list, at, put) => {
          fc.pre(list.some(({ end }) => end === "fail"));
          const text = render(list);
          const place = at % text.length;
          // A character lost or added may turn one test into another; it cannot lose all failures.
          const reading = readText(form, text.slice(0, place) + put);
          expect(isGreen(reading)).toBe(false);
        }),
      );
    });

    test("no test at all is a result without tests", () => {
      expect(readText(form, render([]))).toMatchObject({ kind: "results", pass: 0, fail: 0, skip: 0 });
    });
  });
}
