// Durations as people write them: "45m", "1h30m", or a number of seconds.

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

export const durationPattern = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d)\s*)+$/;

/** Milliseconds; the text has been checked against the pattern before. */
export function durationMs(written: string | number): number {
  if (typeof written === "number") return Math.round(written * 1_000);
  let total = 0;
  for (const [, amount, unit] of written.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) {
    total += Number(amount) * (unitMs[unit ?? ""] ?? 0);
  }
  return Math.round(total);
}

export function formatDuration(ms: number): string {
  const parts: string[] = [];
  let rest = ms;
  for (const unit of ["d", "h", "m", "s", "ms"]) {
    const size = unitMs[unit] ?? 1;
    const count = Math.floor(rest / size);
    if (count > 0) parts.push(`${count}${unit}`);
    rest -= count * size;
  }
  return parts.slice(0, 2).join("") || "0s";
}
