import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { parseDocument } from "./document.ts";

const problemOf = (text: string) => parseDocument(text, "w.yml").problems[0];

describe("reading YAML", () => {
  test("a value is found at its line and column, whichever way its key is spelled", () => {
    const { document } = parseDocument("id: x\nsteps:\n  - id: a\n    maxRetries: 3\n", "w.yml");
    expect(document?.at(["steps", 0, "max_retries"])).toEqual({ line: 4, column: 5 });
    expect(document?.spelled(["steps", 0, "max_retries"])).toBe("maxRetries");
    expect(document?.at(["steps", 0, "nothing", "here"])).toEqual({ line: 3, column: 5 });
    expect(document?.locate(["steps", 0], "Retries")).toEqual({ line: 4, column: 8 });
  });

  test("what is not YAML is refused with its line", () => {
    expect(problemOf("id: x\nsteps: [1, 2\nname: y\n")).toMatchObject({ severity: "error", line: 3 });
    expect(problemOf("id: x\n\tname: y\n")).toMatchObject({ severity: "error", line: 2 });
  });

  test("a key that stands twice is refused at the second", () => {
    expect(problemOf("id: x\nname: a\nname: b\n")).toMatchObject({ line: 3, expected: "each key once in a map" });
  });

  test("[WF1] aliases that explode are refused", () => {
    const levels = Array.from({ length: 9 }, (_, level) =>
      level === 0
        ? "l0: &l0 [x, x]"
        : `l${level}: &l${level} [${Array(9)
            .fill(`*l${level - 1}`)
            .join(", ")}]`,
    );
    expect(problemOf(levels.join("\n"))?.message).toContain("aliases");
  });

  test("an alias that contains itself, and one without an anchor, are refused", () => {
    expect(problemOf("id: x\nsteps: &a [*a, *a]\n")).toMatchObject({ line: 2, severity: "error" });
    expect(problemOf("id: *nothing\n")?.hint).toContain("&name");
  });

  test("[WF1] a file over 1 MiB is refused", () => {
    expect(problemOf(`id: ${"x".repeat(1024 * 1024)}`)?.message).toContain("1 MiB");
    expect(problemOf(`id: ${"ü".repeat(600 * 1024)}`)?.message).toContain("1 MiB");
  });

  test.each(["- a\n", "just words\n", "42\n", "", "null\n"])("a root that is not a map is refused: %j", (text) => {
    expect(problemOf(text)).toMatchObject({ severity: "error", line: 1, expected: expect.stringContaining("a map") });
  });

  test("nesting without end, tags, YAML 1.1 and two documents are refused", () => {
    expect(problemOf("[".repeat(50_000))?.severity).toBe("error");
    expect(problemOf(`${"a: {".repeat(60)}${"}".repeat(60)}`)?.severity).toBe("error");
    expect(problemOf("id: x\nsteps: !!set {a, b}\n")).toMatchObject({ severity: "error", line: 2 });
    expect(problemOf("%YAML 1.1\n---\non: yes\n")?.message).toContain("YAML 1.1");
    expect(problemOf("a: 1\n---\nb: 2\n")?.severity).toBe("error");
  });

  test("never throws, whatever the text", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...Array.from("{}[]:-&*!|>\n\t #%@a1")) })),
        (text) => {
          expect(() => parseDocument(text, "w.yml")).not.toThrow();
        },
      ),
      { numRuns: 500 },
    );
  });

  test("every value that YAML can hold is found again at its path", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.jsonValue({ maxDepth: 3 })), (value) => {
        const { document } = parseDocument(stringify(value), "w.yml");
        expect(document?.value).toEqual(value);
        for (const key of Object.keys(value)) expect(document?.spelled([key])).toBe(key);
      }),
    );
  });
});
