// verification.json: does the work do what was planned?

import { saysNone } from "./against.ts";
import { gapLists, gapsOf, readJsonResult, topWords } from "./json-result.ts";
import { isObject, type Place, type ResultObject } from "./places.ts";
import { type ResultReading, reading } from "./reading.ts";
import { isMild } from "./words.ts";

export function readVerification(text: string): ResultReading {
  return readJsonResult(text, judge);
}

function judge(document: ResultObject): ResultReading {
  const words = topWords(document);
  const failing = words.filter(({ tone }) => tone === "fail");
  const passing = words.filter(({ tone }) => tone === "pass");
  const [odd] = words.filter(({ tone }) => tone === "other");
  const lists = gapLists(document);
  const gaps = lists.flatMap(gapsOf);
  if (failing[0] && passing[0]) return contradiction(passing[0], failing[0]);
  if (failing[0]) return reading("fix", `${said(failing[0])}${counted(gaps.length)}`, pointers(failing, gaps));
  if (odd) return reading("unknown", `${said(odd)}, which is neither a pass nor a failure`, [odd.pointer]);
  const unclear = lists.find(({ value }) => !Array.isArray(value) && !isNoGap(value));
  if (unclear) return reading("unknown", "its gaps are not a list", [unclear.pointer]);
  if (!passing[0]) {
    if (gaps.length > 0) return reading("fix", `it has no verdict${counted(gaps.length)}`, pointers(gaps));
    return reading("unknown", "it has neither a verdict nor gaps");
  }
  const isAllMild = gaps.length > 0 && gaps.every(({ value }) => isObject(value) && isMild(value["severity"]));
  const mild = isAllMild ? `, with ${gaps.length} of medium severity or below` : "";
  return reading("proceed", `${said(passing[0])}${mild}`, pointers(passing, gaps));
}

/** Words for no gaps where a list is expected. */
function isNoGap(value: unknown): boolean {
  return value === 0 || (typeof value === "string" && saysNone(value));
}

function counted(gaps: number): string {
  if (gaps === 0) return "";
  return gaps === 1 ? ", with one gap" : `, with ${gaps} gaps`;
}

export function contradiction(passing: Place, failing: Place): ResultReading {
  const sentence = `it contradicts itself: ${said(passing)}, and ${said(failing)} in ${failing.pointer}`;
  return reading("unknown", sentence, [passing.pointer, failing.pointer]);
}

export function said({ key, value }: Place): string {
  const words = Array.isArray(value) ? `${value.length} entries` : String(value).slice(0, 60);
  return `${key} is ${words}`;
}

export function pointers(...places: readonly (readonly Place[])[]): readonly string[] {
  return places.flat().map(({ pointer }) => pointer);
}
