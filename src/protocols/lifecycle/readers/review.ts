// review.json: may the work stay as it is?

import { criticals, readJsonResult, topWords } from "./json-result.ts";
import type { ResultObject } from "./places.ts";
import { type ResultReading, reading } from "./reading.ts";
import { contradiction, pointers, said } from "./verification.ts";
import { plainWord } from "./words.ts";

const acceptable = new Set([
  "pass",
  "passed",
  "ok",
  "warn",
  "warning",
  "pass_with_concerns",
  "pass_with_warnings",
  "true",
]);
const blocking = new Set(["block", "blocked", "fail", "failed", "rejected", "false"]);

export function readReview(text: string): ResultReading {
  return readJsonResult(text, judge, { findings: true });
}

function judge(document: ResultObject): ResultReading {
  const words = topWords(document);
  const good = words.filter(({ value }) => value === true || isIn(acceptable, value));
  const bad = words.filter(({ value }) => value === false || isIn(blocking, value));
  const odd = words.find((word) => !good.includes(word) && !bad.includes(word) && !isLifeCycle(word.key, word.value));
  const critical = criticals(document);
  if (good[0] && bad[0]) return contradiction(good[0], bad[0]);
  if (odd) return reading("unknown", `${said(odd)}, which is no verdict of a review`, [odd.pointer]);
  if (bad[0]) return reading("fix", said(bad[0]), pointers(bad, critical));
  if (critical[0]) return reading("fix", "it has a critical finding", pointers(critical));
  if (!good[0]) return reading("unknown", "it has no verdict");
  return reading("proceed", `${said(good[0])}, and nothing is critical`, pointers(good));
}

function isIn(words: ReadonlySet<string>, value: unknown): boolean {
  return typeof value === "string" && words.has(plainWord(value));
}

/** That the reviewer is done says nothing about the work. */
function isLifeCycle(key: string, value: unknown): boolean {
  return key === "status" && isIn(new Set(["complete", "completed", "done"]), value);
}
