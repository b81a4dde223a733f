// What attempts used, as documents say it. What no agent reported is unknown: a sum without a report is null, and never zero.

import type { RunDocument } from "../../contracts/run-documents.ts";
import { isZero, type Usage } from "../../domain/attempt.ts";

export type Used = RunDocument["usage"];

/** `usage` is the sum of what was reported, `unreported` the number of attempts that it does not contain. */
export function used(usage: Usage, unreported: number): Used {
  if (unreported > 0 && isZero(usage)) return { ...unknown, unreported };
  const { costUsd, estimatedUsd = 0, inputTokens, cacheReadTokens = 0, outputTokens } = usage;
  return {
    costUsd: usd(costUsd),
    estimatedUsd: usd(estimatedUsd),
    inputTokens,
    cacheReadTokens,
    outputTokens,
    unreported,
  };
}

const unknown = {
  costUsd: null,
  estimatedUsd: null,
  inputTokens: null,
  cacheReadTokens: null,
  outputTokens: null,
} as const;

/** Sums of floating numbers end in noise that nobody spent. */
function usd(sum: number): number {
  return Number(sum.toFixed(6));
}
