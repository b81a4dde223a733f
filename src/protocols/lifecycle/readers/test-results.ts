// test-results.json: how each test of an acceptance test ended, one by one or in numbers.

import { hasReason } from "./against.ts";
import { failedParts, readJsonResult, topWords } from "./json-result.ts";
import { isObject, type Place, type ResultObject } from "./places.ts";
import { type ResultReading, reading } from "./reading.ts";
import { contradiction, pointers, said } from "./verification.ts";
import { plainWord, toneOf } from "./words.ts";

/** The keys under which a list of results was seen. */
const listKeys = ["results", "scenarios", "tests"];

export function readTestResults(text: string): ResultReading {
  return readJsonResult(text, judge, { skipped: true });
}

function judge(document: ResultObject): ResultReading {
  const words = topWords(document);
  const passing = words.filter(({ tone }) => tone === "pass");
  const failing = words.filter(({ tone }) => tone === "fail");
  const [failed] = [...failing, ...failedParts(document), ...issueCounts(document)];
  if (failed) return passing[0] ? contradiction(passing[0], failed) : reading("fix", said(failed), [failed.pointer]);
  const odd = words.find(({ key, value, tone }) => tone === "other" && !(key === "status" && isDone(value)));
  if (odd) return reading("unknown", `${said(odd)}, which is neither a pass nor a failure`, [odd.pointer]);
  const results = listKeys.flatMap((key) => entriesOf(document[key], `/${key}`));
  const counted = totalOf(document);
  if (results.length > 0 && counted !== null && Number(counted.value) > results.length)
    return reading("unknown", `${said(counted)}, and it has ${results.length} results`, [counted.pointer]);
  if (results.length > 0) return ofResults(results);
  if (!passing[0]) return reading("unknown", "it has neither results nor a verdict");
  return ofNumbers(document);
}

function ofResults(results: readonly Place[]): ResultReading {
  const open = results.find(({ value }) => !isObject(value) || !(didPass(value) || wasSkipped(value)));
  if (open) return reading("unknown", "a result is neither passed nor skipped", [open.pointer]);
  const silent = results.find(({ value }) => isObject(value) && wasSkipped(value) && !hasReason(value));
  if (silent) return reading("unknown", "a test was skipped without a reason", [silent.pointer]);
  const passed = results.filter(({ value }) => isObject(value) && didPass(value));
  if (!passed[0]) return reading("unknown", "every test was skipped", pointers(results));
  const skipped = results.length - passed.length;
  const rest = skipped > 0 ? `, ${skipped} skipped with a reason` : "";
  return reading("proceed", `${passed.length} of ${results.length} tests passed${rest}`, [passed[0].pointer]);
}

/** Numbers alone: at the top, or in the first object that has them. They must add up. */
function ofNumbers(document: ResultObject): ResultReading {
  const found = [
    { value: document as unknown, pointer: "" },
    ...listKeys.concat("summary").map((key) => ({ value: document[key], pointer: `/${key}` })),
  ];
  const place = found.find(({ value }) => isObject(value) && typeof value["total"] === "number");
  if (!place || !isObject(place.value)) return reading("unknown", "it has no results");
  const { total, passed, failed, skipped = 0 } = place.value;
  const where = [`${place.pointer}/total`, `${place.pointer}/passed`];
  if (typeof passed !== "number" || failed !== 0)
    return reading("unknown", "its numbers do not say that nothing failed", where);
  if (passed === 0 || total !== passed + Number(skipped)) return reading("unknown", "its numbers do not add up", where);
  return reading("proceed", `${passed} of ${total} tests passed, none failed`, where);
}

/** How many tests there are, where the file counts them and does not say beside it how many passed: its numbers must fit then. */
function totalOf(document: ResultObject): Place | null {
  const found = [
    { value: document as unknown, pointer: "" },
    { value: document["summary"], pointer: "/summary" },
  ];
  for (const { value, pointer } of found)
    if (isObject(value) && typeof value["total"] === "number" && typeof value["passed"] !== "number")
      return { key: "total", value: value["total"], pointer: `${pointer}/total` };
  return null;
}

function entriesOf(list: unknown, pointer: string): readonly Place[] {
  if (!Array.isArray(list)) return [];
  return list.map((value: unknown, index) => ({ key: "result", value, pointer: `${pointer}/${index}` }));
}

function issueCounts(document: ResultObject): readonly Place[] {
  const summary = document["summary"];
  if (!isObject(summary)) return [];
  const count = summary["issues"];
  return typeof count === "number" && count > 0 ? [{ key: "issues", value: count, pointer: "/summary/issues" }] : [];
}

/** Every word that it has for its end must be a good one: `{ "passed": true, "status": "pending" }` did not pass yet. */
function didPass(result: ResultObject): boolean {
  const words = ["status", "result", "passed", "outcome"]
    .map((key) => result[key])
    .filter((word) => (typeof word === "string" || typeof word === "boolean") && !isDone(word));
  return words.length > 0 && words.every((word) => toneOf(word) === "pass");
}

function wasSkipped(result: ResultObject): boolean {
  const { status } = result;
  return typeof status === "string" && ["skipped", "skip"].includes(plainWord(status));
}

function isDone(value: unknown): boolean {
  return typeof value === "string" && ["complete", "completed", "done"].includes(plainWord(value));
}
