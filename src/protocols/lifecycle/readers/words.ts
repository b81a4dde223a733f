// The words that agents use for good and bad ends, and for how bad a gap is: tolerant in spelling, strict in meaning.

export type Tone = "pass" | "fail" | "other";

const passWords = new Set(["pass", "passed", "ok"]);
const failWords = new Set([
  "fail",
  "failed",
  "failing",
  "failure",
  "gaps_found",
  "block",
  "blocked",
  "rejected",
  "error",
  "issue",
]);
const mildSeverities = new Set([
  "none",
  "info",
  "note",
  "trivial",
  "cosmetic",
  "low",
  "minor",
  "warning",
  "medium",
  "moderate",
]);
const criticalSeverities = new Set(["critical", "blocker"]);

/** A word as it is compared: `Pass with concerns` is `pass_with_concerns`. */
export function plainWord(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, "_");
}

export function toneOf(value: unknown): Tone {
  if (typeof value === "boolean") return value ? "pass" : "fail";
  if (typeof value !== "string") return "other";
  const word = plainWord(value);
  if (passWords.has(word)) return "pass";
  return failWords.has(word) ? "fail" : "other";
}

/** Whether a gap of this severity may stay open. One without a known severity may not. */
export function isMild(severity: unknown): boolean {
  return typeof severity === "string" && mildSeverities.has(plainWord(severity));
}

export function isCritical(severity: unknown): boolean {
  return typeof severity === "string" && criticalSeverities.has(plainWord(severity));
}
