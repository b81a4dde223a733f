// Money and tokens in text. Owns: how people read what something cost: `$0.42`, `~$0.42` where it is an estimate.

/** Null: nobody reported it. */
interface Priced {
  readonly costUsd: number | null;
  readonly estimatedUsd: number | null;
}

/** Printed wherever the mark is. */
export const estimateNote = "~ is an estimate: tokens times a price from a table, since the agent reports no cost.";

/** Cents are enough for people, until less than a cent would look like nothing. */
export function money({ costUsd, estimatedUsd }: Priced): string {
  if (costUsd === null) return "-";
  const digits = costUsd > 0 && costUsd < 0.01 ? 4 : 2;
  return `${(estimatedUsd ?? 0) > 0 ? "~" : ""}$${costUsd.toFixed(digits)}`;
}

/** `870`, `34.5k`, `1.2M`, and `-` where nobody reported it. */
export function tokensText(count: number | null): string {
  if (count === null) return "-";
  if (count < 1_000) return String(count);
  // 999,950 would round to 1000.0k.
  if (count < 999_950) return `${(count / 1_000).toFixed(1)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}
