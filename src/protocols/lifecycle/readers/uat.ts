// uat.md: an acceptance test that a person or an agent walked through. Markdown has no end, so a file that was cut short looks like a
// whole one: it counts only with a summary whose numbers fit its results, and with a list of gaps or a verdict behind it.

import { readFrontMatter } from "../../files/front-matter.ts";
import { type ResultReading, reading } from "./reading.ts";
import { type LineObjection, objectionsInLines } from "./uat-lines.ts";
import { isMild, plainWord, toneOf } from "./words.ts";

interface Result {
  readonly line: number;
  readonly word: string;
  readonly hasReason: boolean;
}

interface Gap {
  readonly line: number;
  readonly severity: string | null;
}

interface Uat {
  /** The word of the front matter, or of a verdict in the text. */
  readonly status: string | null;
  readonly tests: number;
  readonly results: readonly Result[];
  readonly numbers: ReadonlyMap<string, number>;
  /** Null: the file has no such section. `none`: it says that there are none. */
  readonly gaps: readonly Gap[] | "none" | null;
  readonly verdict: string | null;
  readonly failedCells: readonly number[];
}

export function readUat(text: string): ResultReading {
  const matter = readFrontMatter(text);
  if (matter.kind === "broken") return reading("unknown", matter.why, ["line 1"]);
  const field = matter.kind === "read" ? matter.fields["status"] : undefined;
  if (field !== undefined && field.kind !== "word") return reading("unknown", "its status is not a word", ["line 1"]);
  const skipped = text.slice(0, text.length - matter.body.length).split("\n").length - 1;
  const found = judge(parse(matter.body, skipped, field?.text ?? null));
  const [against] = found.verdict === "proceed" ? objectionsInLines(text) : [];
  return against === undefined ? found : contradicted(found, against);
}

function contradicted({ why, places }: ResultReading, against: LineObjection): ResultReading {
  const place = `line ${against.line}`;
  return reading("unknown", `it contradicts itself: ${why}, but ${against.why} in ${place}`, [...places, place]);
}

function judge(uat: Uat): ResultReading {
  const { results, numbers, status, verdict } = uat;
  const at = ({ line }: { readonly line: number }) => `line ${line}`;
  const failed = results.filter(({ word }) => toneOf(word) === "fail");
  if (failed.length > 0)
    return reading("fix", `${failed.length} of ${results.length} results did not pass`, failed.map(at));
  for (const key of ["issues", "failed"]) {
    if ((numbers.get(key) ?? 0) > 0) return reading("fix", `its summary counts ${numbers.get(key)} ${key}`);
  }
  if (uat.failedCells.length > 0)
    return reading(
      "fix",
      "a table has a failure",
      uat.failedCells.map((line) => `line ${line}`),
    );
  const listed = Array.isArray(uat.gaps) ? uat.gaps : [];
  const grave = listed.filter(({ severity }) => severity !== null && !isMild(severity));
  if (grave.length > 0) return reading("fix", "it has a gap that is more than medium", grave.map(at));
  for (const word of [status, verdict]) {
    if (word !== null && toneOf(word) === "fail") return reading("fix", `it says ${plainWord(word)}`);
  }
  if (results.length === 0) return reading("unknown", "it has no results");
  const open = results.find(({ word }) => toneOf(word) !== "pass" && word !== "skipped");
  if (open) return reading("unknown", `a result is "${open.word}"`, [at(open)]);
  const silent = results.find(({ word, hasReason }) => word === "skipped" && !hasReason);
  if (silent) return reading("unknown", "a test was skipped without a reason", [at(silent)]);
  const gapless = listed.find(({ severity }) => severity === null);
  if (gapless) return reading("unknown", "a gap has no severity", [at(gapless)]);
  return completeness(uat);
}

/** All results are good. Is it all there? */
function completeness({ results, tests, numbers, status, verdict, gaps }: Uat): ResultReading {
  const isComplete = status !== null && ["complete", "completed"].includes(plainWord(status));
  const hasVerdict = verdict !== null && toneOf(verdict) === "pass";
  if (status !== null && !isComplete && toneOf(status) !== "pass")
    return reading("unknown", `its status is ${status}`, ["line 1"]);
  if (!isComplete && !hasVerdict) return reading("unknown", "nothing says that it is complete");
  if (verdict !== null && !hasVerdict) return reading("unknown", `its verdict is ${verdict}`);
  const passed = results.filter(({ word }) => toneOf(word) === "pass").length;
  if (passed === 0) return reading("unknown", "every test was skipped");
  if (tests > results.length) return reading("unknown", "a test has no result");
  if ((numbers.get("pending") ?? 0) > 0)
    return reading("unknown", `its summary counts ${numbers.get("pending")} pending`);
  const fits = numbers.get("total") === results.length && numbers.get("passed") === passed;
  if (!fits) return reading("unknown", "it has no summary whose numbers fit its results");
  if (gaps === null && !hasVerdict) return reading("unknown", "it ends before its list of gaps");
  const skipped = results.length - passed;
  const rest = skipped > 0 ? `, ${skipped} skipped with a reason` : "";
  return reading(
    "proceed",
    `${passed} of ${results.length} results passed${rest}`,
    results.slice(0, 1).map(({ line }) => `line ${line}`),
  );
}

const numberLine = /^\W*(total|passed|issues|failed|pending|skipped)\b[^:|]*[:|]\s*(\d+)\b/i;
const resultLine = /^\s*(?:[-*]\s+)?\**result\**\s*:\s*\**\s*(.*?)\s*\**\s*$/i;
const reasonLine = /^\s*(?:[-*]\s+)?\**(?:reason|reported|notes?|evidence)\**\s*:\s*\**\s*\S/i;
const verdictLine = /^\W*verdict\W*:\W*([A-Za-z_ -]+?)\W*$/i;
const noGaps = /^\s*(?:\[\s*none(?: yet)?\s*\]|none\.?|\[\])\s*$/i;

function parse(body: string, before: number, status: string | null): Uat {
  const results: Result[] = [];
  const gaps: Gap[] = [];
  const numbers = new Map<string, number>();
  const failedCells: number[] = [];
  let section = "";
  let tests = 0;
  let sawGaps = false;
  let saysNone = false;
  let verdict: string | null = null;
  const lines = body.split(/\r?\n/);
  lines.forEach((text, index) => {
    const line = before + index + 1;
    const heading = /^(#{1,6})\s+(.*)$/.exec(text);
    if (heading !== null) {
      if (heading[1] === "##") section = (heading[2] ?? "").trim().toLowerCase();
      if (section === "gaps" && heading[1] === "##") sawGaps = true;
      if (/^\d+[.)]/.test(heading[2] ?? "")) tests += 1;
      return;
    }
    const [, word] = resultLine.exec(text) ?? [];
    if (word !== undefined) results.push({ line, word: resultWord(word), hasReason: false });
    const last = results.at(-1);
    if (last && word === undefined && reasonLine.test(text)) results[results.length - 1] = { ...last, hasReason: true };
    const [, key, count] = (section === "summary" ? numberLine.exec(text) : null) ?? [];
    if (key !== undefined) numbers.set(key.toLowerCase(), Number(count));
    verdict = verdictLine.exec(text)?.[1] ?? verdict;
    if (hasFailedCell(text, lines[index + 1] ?? "")) failedCells.push(line);
    if (section !== "gaps") return;
    if (noGaps.test(text)) saysNone = true;
    else if (/^\s*[-*]\s+\S/.test(text) && !/^\s{2,}/.test(text)) gaps.push({ line, severity: null });
    const [, severity] = /^\s*(?:[-*]\s+)?\**severity\**\s*:\s*\**\s*["']?([\w-]+)/i.exec(text) ?? [];
    const gap = gaps.at(-1);
    if (severity !== undefined && gap) gaps[gaps.length - 1] = { ...gap, severity };
    else if (severity !== undefined) gaps.push({ line, severity });
  });
  const found = gaps.length > 0 ? gaps : saysNone ? "none" : null;
  return { status, tests, results, numbers, gaps: sawGaps ? found : null, verdict, failedCells };
}

/** A row of a table with a failure. A heading (`| Passed | Failed |`) and a count (`| Failed | 0 |`) are none. */
function hasFailedCell(row: string, below: string): boolean {
  if (!row.startsWith("|") || /^\|[\s|:-]+$/.test(below)) return false;
  const cells = row.split("|").slice(1);
  return cells.some((cell, index) => isFailure(cell) && !(index === 0 && /^\W*\d+\W*$/.test(cells[1] ?? "")));
}

/** A cell that is `false` or `red` may be about anything. */
function isFailure(cell: string): boolean {
  return toneOf(cell) === "fail" && !["false", "red"].includes(plainWord(cell));
}

/** `PASS (96 % of lines)` passed; what a bracket takes back did not. */
function resultWord(text: string): string {
  const [, word = "", bracket = ""] = /^([^(]*)\(([^)]*)\)$/.exec(text) ?? [];
  const isPlain = word !== "" && !/fail|issue|block|broken|not\b|no\b|except|but\b|pending/i.test(bracket);
  const plain = plainWord(isPlain ? word : text);
  return plain === "skip" ? "skipped" : plain;
}
