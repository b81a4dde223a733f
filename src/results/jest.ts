// Reads the JSON of jest (`--json`) and of vitest (`--reporter=json`), which has the same form. Other text may stand before and after
// it; several documents, of several packages, are added up.

import { cannotRead, mostTests, type ResultReader, type ResultsRead, Tally } from "./result.ts";
import { wholeTextReader } from "./whole-text.ts";

const begin = /\{\s*"(?:num[A-Z]\w*|openHandles|snapshot|startTime|success|testResults)"\s*:/g;

export function jestReader(): ResultReader {
  return wholeTextReader(read);
}

function read(text: string): ResultsRead {
  const tally = new Tally();
  let documents = 0;
  let from = 0;
  for (;;) {
    begin.lastIndex = from;
    const found = begin.exec(text);
    if (found === null) break;
    const end = endOfObject(text, found.index);
    if (end === null) return cannotRead("its JSON is cut off");
    from = end;
    const document = parsed(text.slice(found.index, end));
    if (document === undefined) return cannotRead("its JSON is damaged");
    if (!Array.isArray(document["testResults"]) || typeof document["numTotalTests"] !== "number") continue;
    const trouble = count(tally, document, document["testResults"]);
    if (trouble !== null) return cannotRead(trouble);
    documents += 1;
  }
  return documents === 0 ? cannotRead("it has no JSON with `numTotalTests` and `testResults`") : tally.results();
}

type Fields = Readonly<Record<string, unknown>>;

function count(tally: Tally, document: Fields, files: readonly unknown[]): string | null {
  const [before, failedBefore] = [tally.count, tally.failures];
  let broken = 0;
  for (const file of files) {
    if (!isFields(file) || !Array.isArray(file["assertionResults"])) return "a file of `testResults` has no tests";
    const failures = tally.failures;
    for (const test of file["assertionResults"]) {
      const wrong = isFields(test) ? countTest(tally, test) : "a test is not an object";
      if (wrong !== null) return wrong;
    }
    if (file["status"] === "failed" && tally.failures === failures) {
      tally.broke(textOf(file["name"]) || "a test file");
      broken += 1;
    }
  }
  if (tally.count > mostTests) return `it has more than ${mostTests} tests`;
  const counted = tally.count - before;
  const failed = tally.failures - failedBefore;
  if (document["numTotalTests"] !== counted)
    return `it says ${textOf(document["numTotalTests"])} tests and lists ${counted}`;
  if (typeof document["numFailedTests"] === "number" && document["numFailedTests"] !== failed)
    return `it says ${document["numFailedTests"]} failed tests and lists ${failed}`;
  if (document["success"] === false && failed === 0 && broken === 0) tally.broke("the run, outside of its tests");
  return null;
}

function countTest(tally: Tally, test: Fields): string | null {
  const ancestors = Array.isArray(test["ancestorTitles"]) ? test["ancestorTitles"].map(textOf) : [];
  const name = [...ancestors.filter((title) => title !== ""), textOf(test["title"])].join(" > ");
  switch (test["status"]) {
    case "passed":
      tally.passed(name || textOf(test["fullName"]));
      return null;
    case "failed":
      tally.failed(name || textOf(test["fullName"]));
      return null;
    case "pending":
    case "skipped":
    case "todo":
    case "disabled":
      tally.skipped();
      return null;
    default:
      return `a test has the status ${JSON.stringify(test["status"] ?? null).slice(0, 100)}`;
  }
}

/** The index after the object that begins there; null: it has no end. */
function endOfObject(text: string, from: number): number | null {
  const marks = /["{}]/g;
  marks.lastIndex = from;
  let depth = 0;
  for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
    if (mark[0] === '"') {
      const end = endOfString(text, marks.lastIndex);
      if (end === null) return null;
      marks.lastIndex = end;
    } else {
      depth += mark[0] === "{" ? 1 : -1;
      if (depth === 0) return marks.lastIndex;
    }
  }
  return null;
}

function endOfString(text: string, from: number): number | null {
  for (let at = text.indexOf('"', from); at !== -1; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text[at - 1 - escapes] === "\\") escapes += 1;
    if (escapes % 2 === 0) return at + 1;
  }
  return null;
}

function parsed(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
