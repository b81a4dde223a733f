// Summaries. Owns: finding the SUMMARY section with which an agent ends its answer. What it says is handed on to the steps after it.

import { type FenceLine, readFenceLine, readKeyLine } from "./keyline.ts";
import { cleanText, cutBeginning, cutEnd, fits } from "./plaintext.ts";

interface Summary {
  readonly summary: string;
  /** What reading had to do without, in words; null when there was a SUMMARY and it fitted. */
  readonly note: string | null;
}

const maxSummaryBytes = 4_096;
const maxTailBytes = 2_048;
const maxTailLines = 20;

// A heading or a label of its own: `SUMMARY`, `## Summary`, `**SUMMARY**`, `SUMMARY: text`. Not "In summary: …".
const label = /^\s{0,3}(?:#{1,6}\s+)?[*_`]{0,3}(?:SUMMARY|Summary)[*_`]{0,3}\s*(?::[*_`]{0,3}\s*(.*))?$/;

/** What an answer says of its verdict is read from its keys; it is not a part of the summary. */
const verdictKeys = new Set(["status", "reason", "issues"]);

export function readSummary(text: string): Summary {
  const lines = cleanText(text).text.split("\n");
  const at = labelIn(lines);
  if (at === null) return tailOf(lines);
  return limited(sectionAt(lines, at));
}

/** The same text with the label of its summary as a key line: a heading ends the value of the key before it, too. */
export function labelSummary(text: string): string {
  const lines = cleanText(text).text.split("\n");
  const at = labelIn(lines);
  if (at === null) return text;
  return lines.with(at, `SUMMARY: ${label.exec(lines[at] ?? "")?.[1] ?? ""}`).join("\n");
}

export function hasSummary(text: string): boolean {
  return labelIn(cleanText(text).text.split("\n")) !== null;
}

/** The last that says something: an answer may quote what it was asked, and end there. */
function labelIn(lines: readonly string[]): number | null {
  for (let at = lines.length - 1; at >= 0; at--)
    if (label.test(lines[at] ?? "") && sectionAt(lines, at) !== "") return at;
  return null;
}

function sectionAt(lines: readonly string[], at: number): string {
  const below = lines.slice(at + 1);
  const end = below.findIndex((line) => {
    const key = readKeyLine(line);
    return key !== null && key.upper && !key.nested && verdictKeys.has(key.key);
  });
  return unwrapped([label.exec(lines[at] ?? "")?.[1] ?? "", ...(end < 0 ? below : below.slice(0, end))]);
}

function limited(summary: string): Summary {
  if (fits(summary, maxSummaryBytes)) return { summary, note: null };
  return { summary: cutEnd(summary, maxSummaryBytes), note: "the SUMMARY was cut to 4 KB" };
}

function tailOf(lines: readonly string[]): Summary {
  const end = lines.join("\n").trim();
  if (end === "") return { summary: "", note: "there was no output, so there is no SUMMARY to hand on" };
  const tail = end.split("\n").slice(-maxTailLines).join("\n");
  return {
    summary: cutBeginning(tail, maxTailBytes),
    note: "there was no SUMMARY section; the end of the output is handed on instead",
  };
}

/** Without the line under a heading, and without the end of a block that began before the SUMMARY. */
function unwrapped([same = "", ...below]: readonly string[]): string {
  const lines = same === "" && /^\s*[=-]{3,}\s*$/.test(below[0] ?? "") ? below.slice(1) : [same, ...below];
  const fences = lines.map(readFenceLine).filter((fence): fence is FenceLine => fence !== null);
  const last = lines.findLastIndex((line) => line.trim() !== "");
  const endsForeignBlock = fences.length % 2 === 1 && readFenceLine(lines[last] ?? "")?.named === false;
  return (endsForeignBlock ? lines.slice(0, last) : lines).join("\n").trim();
}
