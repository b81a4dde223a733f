import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readSummary } from "./summary.ts";

const said = "Added the column.\nTwo tests are red.";

describe("where a summary begins", () => {
  const forms: Record<string, string> = {
    "a bare line": `I worked.\n\nSUMMARY\n${said}`,
    "a heading": `I worked.\n\n## Summary\n\n${said}\n`,
    "a bold heading": `I worked.\n\n### **SUMMARY**\n${said}`,
    "a bold label": `I worked.\n\n**SUMMARY:**\n${said}`,
    "a label with text behind it": `I worked.\nSUMMARY: ${said}`,
    "a bold label with text behind it": `I worked.\n**Summary:** ${said}`,
    "a heading that is underlined": `I worked.\n\nSummary\n=======\n${said}`,
    "Windows line ends": `I worked.\n\nSUMMARY\n${said}`.replaceAll("\n", "\r\n"),
    "a block around it": `\`\`\`\nSUMMARY\n${said}\n\`\`\``,
  };
  for (const [name, text] of Object.entries(forms))
    test(`[RA23 C74] ${name}`, () => expect(readSummary(text)).toEqual({ summary: said, note: null }));

  test("[RA23 C74] the last one counts, and the instructions that an answer quotes do not", () => {
    expect(readSummary("## Summary\nold\n\n## Summary\nnew\n### Files\na.ts").summary).toBe("new\n### Files\na.ts");
    expect(readSummary("SUMMARY\nreal\n\nEnd with:\nSUMMARY\n").summary).toBe("real\n\nEnd with:\nSUMMARY");
  });

  test("[RA23] a sentence that mentions a summary is not the beginning of one", () => {
    const text = "In summary: nothing.\nThe summary of it\nsummary: x\nSUMMARY_OF: y";
    expect(readSummary(text)).toEqual({ summary: text, note: expect.stringContaining("no SUMMARY") as string });
  });

  test("[RA23] a block inside a summary stays whole", () => {
    const block = "see\n```ts\nconst a = 1;\n```";
    expect(readSummary(`SUMMARY\n${block}`).summary).toBe(block);
  });
});

describe("without a summary", () => {
  test("[RA24 C74] the end of the output is handed on, with a note", () => {
    const lines = Array.from({ length: 100 }, (_, n) => `line ${n}`);
    const { summary, note } = readSummary(lines.join("\n"));
    expect(summary.split("\n")).toEqual(lines.slice(-20));
    expect(note).toContain("no SUMMARY");
  });

  test("[RA24] a heading with nothing below it is none", () => {
    expect(readSummary("did a\ndid b\nSUMMARY:\n")).toMatchObject({ summary: "did a\ndid b\nSUMMARY:" });
  });

  test("[RA24 C74] no output hands on nothing, and says so", () => {
    expect(readSummary(" \n\n")).toEqual({ summary: "", note: expect.stringContaining("no output") as string });
  });
});

test("[RA25] a summary has at most 4 KB and an end of the output 2 KB, whatever is printed", () => {
  const bytes = (text: string) => Buffer.byteLength(text);
  const long = readSummary(`SUMMARY\n${"ü".repeat(9_000)}`);
  expect(bytes(long.summary)).toBeLessThanOrEqual(4_096);
  expect(long.note).toContain("cut");
  expect(bytes(readSummary("ü".repeat(9_000)).summary)).toBeLessThanOrEqual(2_048);
  fc.assert(
    fc.property(fc.array(fc.constantFrom("SUMMARY", "## Summary", "```", "x".repeat(900), "", "🙂", "\0")), (parts) => {
      expect(bytes(readSummary(parts.join("\n")).summary)).toBeLessThanOrEqual(4_096);
    }),
  );
});
