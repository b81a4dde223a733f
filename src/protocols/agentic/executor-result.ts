// Reads `.ai/executor-result`: lines `key: value`, with comments. A value may contain anything, also a colon.

import type { Field } from "../files/front-matter.ts";
import { reportOfValues, type SessionReport, unreadable } from "./session-report.ts";

export function readExecutorResult(source: string, steps: readonly string[] = []): SessionReport {
  const values: Record<string, Field> = Object.create(null) as Record<string, Field>;
  let last = "";
  for (const line of source.replace(/^\uFEFF/, "").split(/\r?\n/)) {
    if (line.trim() === "" || /^\s*#/.test(line) || /^---\s*$/.test(line)) continue;
    const item = /^\s*-\s+(.*)$/.exec(line);
    if (item !== null && last !== "") {
      values[last] = withItem(values[last], unquoted(item[1] ?? ""));
      continue;
    }
    const pair = /^\s*"?([A-Za-z_]+)"?\s*:(?:\s+(.*)|)$/.exec(line);
    if (pair === null) continue;
    last = (pair[1] ?? "").toLowerCase();
    if (last in values) return unreadable("executor_result", `it has "${last}" twice`);
    values[last] = valueOf(pair[2] ?? "", last);
  }
  return reportOfValues(values, "executor_result", "", steps);
}

function valueOf(text: string, key: string): Field {
  const list = /^\[(.*)\]$/.exec(text.trim());
  if (list !== null) return { kind: "list", items: (list[1] ?? "").split(",").map(unquoted) };
  // Only a summary is a sentence, in which `#` may stand for itself.
  const word = key === "summary" ? text : text.replace(/\s+#.*$/, "");
  return { kind: "word", text: unquoted(word) };
}

function withItem(value: Field | undefined, item: string): Field {
  if (value?.kind === "list") return { kind: "list", items: [...value.items, item] };
  return { kind: "list", items: value?.kind === "word" && value.text !== "" ? [value.text, item] : [item] };
}

function unquoted(text: string): string {
  const trimmed = text.trim();
  return /^(["']).*\1$/.test(trimmed) ? trimmed.slice(1, -1) : trimmed;
}
