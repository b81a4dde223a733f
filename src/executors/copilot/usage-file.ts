// Reads the tokens from Copilot's usage file: its stream has none, and `--usage-output-file` writes them at the end.

import { fieldsOf } from "../stream/fields.ts";
import { noTokens, sumOf, type Tokens, withoutCached } from "../stream/stream-state.ts";

/** Null: it is not a usage file. A killed run leaves none, or half of one. */
export function copilotTokens(text: string): Tokens | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const models = fieldsOf(value)["modelMetrics"];
  if (typeof models !== "object" || models === null) return null;
  let sum = noTokens;
  for (const model of Object.values(models)) {
    const usage = fieldsOf(fieldsOf(model)["usage"]);
    sum = sumOf(sum, withoutCached(usage["inputTokens"], usage["cacheReadTokens"], usage["outputTokens"]));
  }
  return sum;
}
