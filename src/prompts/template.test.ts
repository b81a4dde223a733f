import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cpuMsOf } from "../../test/support/cpu.ts";
import { renderTemplate, templateKeys } from "./template.ts";

describe("rendering", () => {
  test("[B5] a key is replaced by its value, an unknown one by [missing: key], and nothing throws", () => {
    const { text, missing } = renderTemplate("a {{task}} b {{nope}} {{nope}} {{Also.Not}}", { task: "T" }, []);
    expect(text).toBe("a T b [missing: nope] [missing: nope] [missing: Also.Not]");
    expect(missing).toEqual(["nope", "Also.Not"]);
  });

  test("[PR1 B6] a value that contains a placeholder stays text", () => {
    const values = { review_notes: "Check the {{branch}} variable", branch: "main" };
    expect(renderTemplate("{{review_notes}}", values, []).text).toBe("Check the {{branch}} variable");
  });

  test("[B5] characters that mean something to a replacement are only text", () => {
    expect(renderTemplate("<{{x}}>", { x: "$& $1 $$ $<key>" }, []).text).toBe("<$& $1 $$ $<key>>");
  });

  test("[PR2] [antfarm Q] inner spaces, hyphens, points and digits are part of the syntax", () => {
    const values = { "steps.set-up.summary2": "ok" };
    expect(renderTemplate("{{ steps.set-up.summary2 }}{{\tsteps.set-up.summary2}}", values, []).text).toBe("okok");
  });

  test("[PR2 A33] a key is looked up exactly, then in lower case", () => {
    expect(renderTemplate("{{Changes}} {{CHANGES}}", { changes: "low", CHANGES: "exact" }, []).text).toBe("low exact");
  });

  test("[PR3 A30] a known key without a value is empty, in any case, and not missing", () => {
    const rendered = renderTemplate("[{{verify_feedback}}{{Progress}}]", {}, ["Verify_Feedback", "progress"]);
    expect(rendered).toEqual({ text: "[]", missing: [] });
  });

  test("[PR4] a default stands in for a missing or empty value, and wins over being known", () => {
    const template = `{{ url | default: "none" }} {{url|default:''}} {{ a | default: "x" }} {{ b | default: "x" }}`;
    expect(renderTemplate(template, { a: "A", b: "" }, ["url"])).toEqual({ text: "none  A x", missing: [] });
  });

  test("names that every object has are keys like any other", () => {
    expect(renderTemplate("{{constructor}} {{__proto__}}", {}, []).missing).toEqual(["constructor", "__proto__"]);
  });

  test("what is not a placeholder is left alone", () => {
    const text = "{{}} {{ }} {{a b}} {{a|upper}} {a} {{{a}} }}";
    expect(renderTemplate(text, {}, ["a"]).text).toBe("{{}} {{ }} {{a b}} {{a|upper}} {a} { }}");
  });

  test("[PR41] a backslash keeps braces as typed, two stand for one, and elsewhere they are text", () => {
    const render = (template: string) => renderTemplate(template, { a: "A" }, []).text;
    expect(render("\\{{a}} \\\\{{a}} \\\\\\{{ a }}")).toBe("{{a}} \\A \\{{ a }}");
    expect(render("C:\\dir \\{{.Names}} \\n")).toBe("C:\\dir \\{{.Names}} \\n");
    expect(templateKeys("\\{{a}} {{b}}")).toEqual(["b"]);
  });

  test("[PR2] a key is a word, or words with points between; all else between braces is text", () => {
    const text = '{{.Names}} {{json .}} {{- end -}} {{ color: "red" }} {{a.}} {{a..b}} {{#if a}} {{ "x" }}';
    expect(renderTemplate(text, { a: "A" }, [])).toEqual({ text, missing: [] });
    expect(renderTemplate("{{ steps.set-up.x }}{{each.*.verdict}}", {}, []).missing).toHaveLength(2);
  });

  test("[PR42] in a file of another system what looks like another language stays, unless the key is known", () => {
    const text = "${{ secrets.X }} {{range .}}{{end}} <p style={{color}}> {{nope}} branch={{branch}} ${{branch}}";
    expect(renderTemplate(text, { branch: "main" }, [], { keepsForeign: true })).toEqual({
      text: "${{ secrets.X }} {{range .}}{{end}} <p style={{color}}> [missing: nope] branch=main $main",
      missing: ["nope"],
    });
    expect(renderTemplate(text, { branch: "main" }, []).missing).toEqual(["secrets.X", "end", "color", "nope"]);
  });

  const key = fc.constantFrom("a", "B", "c-d", "e.f", "constructor");
  const piece = fc.oneof(
    key.map((name) => `{{${name}}}`),
    key.map((name) => `{{ ${name} | default: "{{a}}" }}`),
    fc.constantFrom("{{", "}}", "$&", "\u0000", "\ud800", " | default: ", '"'),
    fc.string(),
  );
  const wild = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));

  test("[B6] never throws and never expands twice, whatever template and values contain", () => {
    fc.assert(
      fc.property(wild, fc.dictionary(key, wild), fc.array(key), (template, values, known) => {
        // Values made of characters that no template has: each must arrive whole, and what is between must stay.
        const marked = Object.fromEntries(
          Object.keys(values).map((name, index) => [name, `\u{E000}{{a}}${index}\u{E001}`]),
        );
        const { text } = renderTemplate(template, marked, known);
        for (const part of text.match(/\u{E000}.*?\u{E001}/gu) ?? [])
          expect(part).toMatch(/\u{E000}\{\{a\}\}\d+\u{E001}/u);
        renderTemplate(template, values, known);
      }),
    );
  });

  test("a long text of half placeholders takes linear time", () => {
    for (const unit of ["{{", "{{ ", '{{a|default:"', "{{a ", "{{a|default:'x' ", "\\", "\\{{a}}", "{{a-", "{{a."]) {
      expect(cpuMsOf(() => void renderTemplate(unit.repeat(100_000), {}, []))).toBeLessThan(2_000);
    }
  });
});

test("templateKeys lists the keys that are named, each once, as they are spelt", () => {
  expect(templateKeys(`{{task}} {{ a-b }} {{task}} {{Task}} {{ url | default: "" }} {{no no}}`)).toEqual([
    "task",
    "a-b",
    "Task",
    "url",
  ]);
});
