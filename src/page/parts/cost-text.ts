// What attempts cost, in words. Nothing that was reported is not nothing that was spent.

import { type Attempt, addUsage, isUnreported, isZero, noUsage, type Usage } from "../../domain/attempt.ts";
import { money } from "../../transcript/money.ts";

/** `-` where none of them said what it used. */
export function costText(usage: Usage, unreported: number): string {
  const isUnknown = unreported > 0 && isZero(usage);
  return money({ costUsd: isUnknown ? null : usage.costUsd, estimatedUsd: usage.estimatedUsd ?? 0 });
}

export function costOf(attempts: readonly Attempt[]): string {
  const usage = attempts.reduce((sum: Required<Usage>, attempt) => addUsage(sum, attempt.usage), noUsage);
  return costText(usage, attempts.filter(isUnreported).length);
}
