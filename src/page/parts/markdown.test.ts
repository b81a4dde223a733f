import { expect, test } from "vitest";
import { type Block, type Inline, markdownBlocks, markdownInlines, markdownText } from "./markdown.ts";

/** As a few signs: `[strong:x]`. */
const inlineSigns = (inlines: readonly Inline[]): string =>
  inlines
    .map((inline) => {
      if (inline.kind === "text") return inline.text;
      if (inline.kind === "code") return `[code:${inline.text}]`;
      const inside = inlineSigns(inline.inside);
      return inline.kind === "link" ? `[link:${inline.href}:${inside}]` : `[${inline.kind}:${inside}]`;
    })
    .join("");
const blockSigns = (blocks: readonly Block[]): readonly unknown[] =>
  blocks.map((block) => {
    switch (block.kind) {
      case "paragraph":
        return inlineSigns(block.inside);
      case "heading":
        return `# ${inlineSigns(block.inside)}`;
      case "code":
        return { code: block.text };
      case "quote":
        return { quote: blockSigns(block.blocks) };
      case "list":
        return { [block.isOrdered ? "ol" : "ul"]: block.items.map(blockSigns) };
      case "rule":
        return "---";
    }
  });
const inline = (text: string) => inlineSigns(markdownInlines(text));

test("[PG41] blocks: paragraphs, headings, lists in lists, code, quotes and rules", () => {
  const text = `# Is it good?
Two lines
of words.

- one
  - inner
- two
  and more

1. first
2) second

\`\`\`js
if (a < b) <b>*no*</b>
\`\`\`
> said
> - so
---
end`;
  expect(blockSigns(markdownBlocks(text))).toEqual([
    "# Is it good?",
    "Two lines\nof words.",
    { ul: [["one", { ul: [["inner"]] }], ["two\nand more"]] },
    { ol: [["first"], ["second"]] },
    { code: "if (a < b) <b>*no*</b>" },
    { quote: ["said", { ul: [["so"]] }] },
    "---",
    "end",
  ]);
  expect(blockSigns(markdownBlocks("```\nnever closed"))).toEqual([{ code: "never closed" }]);
});

test("[PG41] words: code, strong and emphasis, and what has no end is text", () => {
  expect(inline("**bold `x`** and *so* and _so_, `a**b`")).toBe(
    "[strong:bold [code:x]] and [em:so] and [em:so], [code:a**b]",
  );
  expect(inline("a_snake_case_name, 2 * 3 * 4, **open, `open")).toBe("a_snake_case_name, 2 * 3 * 4, **open, `open");
  expect(markdownText("## Is **`x`** _good_, see [it](https://example.com)?")).toBe("Is x good, see it?");
  expect(inline("\\*not\\* \\`code\\`")).toBe("*not* `code`");
});

test("[PG41] only http and https are links; HTML and all other targets stay text", () => {
  expect(inline("[the story](https://example.com/x?a=1) http://example.com/y.")).toBe(
    "[link:https://example.com/x?a=1:the story] [link:http://example.com/y:http://example.com/y].",
  );
  const bad = [
    "[x](javascript:alert(1))",
    "[x](JavaScript:alert)",
    "[x](data:text/html,hi)",
    "[x](/gates/1)",
    "[x](//evil.example)",
    "[x](https://)",
    "[x](https:evil.example)",
    '<img src=x onerror="alert(1)">',
    "<script>alert(1)</script>",
    "![x](vbscript:x)",
  ];
  for (const text of bad) expect(inline(text)).toBe(text);
});

test("[PG41] a link whose words are another address says where it goes", () => {
  const said = (text: string) => /leads to ([^)]*)\)/.exec(inline(text))?.[1] ?? null;
  expect(said("[https://good.example/a](https://evil.example/b)")).toBe("https://evil.example/b");
  expect(said("[good.example](https://evil.example/)")).toBe("https://evil.example/");
  expect(said("[see www.good.example now](https://evil.example/?x#y)")).toBe("https://evil.example/?x#y");
  expect(said("[https://good.example](https://good.example/logout)")).toBe("https://good.example/logout");
  expect(said("https://good.example@evil.example/x")).toBe("https://evil.example/x");
  expect(said("[https://good.example@evil.example](https://good.example@evil.example)")).toBe("https://evil.example/");
  // The first letter is a Cyrillic one.
  expect(said("https://аpple.com/")).toBe("https://xn--pple-43d.com/");
  expect(said(`[good.example](https://evil.example/${"a".repeat(1_000)})`)?.length).toBeLessThan(210);
  const honest = [
    "[the story](https://good.example/x)",
    "[https://good.example/ä?b=1](https://good.example/ä?b=1)",
    "[good.example](https://good.example)",
    "https://Good.Example:8080/x.",
    "https://good.example/ä",
  ];
  expect(honest.filter((text) => said(text) !== null)).toEqual([]);
});

test("[PG41] a text that is made to be slow is read all the same", () => {
  const slow = ["*", "[", "`", "> ", "- ", "**a ", "_a ", "https://", "- x\n\n", "[a](", "\\"];
  for (const piece of slow) expect(markdownBlocks(piece.repeat(20_000)).length).toBeGreaterThan(0);
});

// Each of them read to the end of all would take hours: the test would not end in its time.
test("[PG41] signs in any number are read in one pass", () => {
  const [block] = markdownBlocks(`a${"`".repeat(1_000_000)} b`);
  expect(block).toMatchObject({ kind: "paragraph" });
});
