// business-test-results.json: does the work do what the business asked for?

import { failedParts, readJsonResult, topWords } from "./json-result.ts";
import type { ResultObject } from "./places.ts";
import { type ResultReading, reading } from "./reading.ts";
import { contradiction, pointers, said } from "./verification.ts";

export function readBusinessTest(text: string): ResultReading {
  return readJsonResult(text, judge);
}

function judge(document: ResultObject): ResultReading {
  const words = topWords(document);
  const failing = words.filter(({ tone }) => tone === "fail");
  const passing = words.filter(({ tone }) => tone === "pass");
  const odd = words.find(({ tone }) => tone === "other");
  const failed = failedParts(document);
  if (failing[0] && passing[0]) return contradiction(passing[0], failing[0]);
  if (failing[0]) return reading("fix", said(failing[0]), pointers(failing, failed));
  if (passing[0] && failed[0]) {
    const listed = failed.find(({ key }) => key === "failures");
    if (listed) return reading("fix", `${said(listed)}, whatever its verdict says`, pointers([listed], passing));
    return contradiction(passing[0], failed[0]);
  }
  if (failed[0]) return reading("fix", said(failed[0]), pointers(failed));
  if (odd) return reading("unknown", `${said(odd)}, which is neither a pass nor a failure`, [odd.pointer]);
  if (!passing[0]) return reading("unknown", "it has neither a verdict nor failures");
  if (!Array.isArray(document["failures"]))
    return reading("unknown", `${said(passing[0])}, but it has no list of failures`, pointers(passing));
  return reading("proceed", `${said(passing[0])}, and the list of failures is empty`, pointers(passing));
}
