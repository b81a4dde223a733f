// The words that agents use for good and bad ends, and for how bad a gap is: tolerant in spelling, strict in meaning.

/** A table of words, in lines of them. */
export function wordSet(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.join(" ").split(" "));
}

export type Tone = "pass" | "fail" | "other";

const passWords = wordSet("pass passed ok true");
const failWords = wordSet(
  "fail failed failing failure fails false unsuccessful broken red nok no_go not_ok not_pass not_passed not_passing",
  "did_not_pass gaps_found issues_found block blocked blocking rejected reject error errored issue disapproved",
  "not_approved 失败 未通过 不通过 没有通过 没通过 不合格 错误 阻塞 拒绝 已拒绝",
);
const failSigns = /^[❌✗✘✖⛔🔴🛑👎]/u;
const mildSeverities = wordSet(
  "none info informational note nit trivial cosmetic low minor warning medium moderate p2 p3 p4 s3 s4 低 轻微 中 中等 提示",
  "警告",
);
const criticalSeverities = wordSet(
  "critical crit blocker blocking fatal severe showstopper show_stopper emergency p0 s0 sev0 sev_0 sev1 sev_1 priority_0 致命 严重",
  "阻塞 紧急",
);
const criticalSigns = /^(?:🔴|🛑|⛔)/u;

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
  const word = plainWord(value).replace(/[.!。！]+$/, "");
  if (passWords.has(word)) return "pass";
  return failWords.has(word) || failSigns.test(word) ? "fail" : "other";
}

/** `FAILED: 3 of 7`, `❌ login`, `未通过，缺少登录`: a text that begins with a word for a failure, and then tells more. */
export function beginsWithFailure(text: string): boolean {
  if (toneOf(text) === "fail" || /^\p{L}{1,6}(?:失败|未通过|不通过|不合格)[。！]?$/u.test(text.trim())) return true;
  const [, first = ""] = /^\W*?([\p{L}_ ]{2,24}?)\s*(?:[:(,;.!—–，。：（]|\s-\s)/u.exec(text) ?? [];
  return toneOf(first) === "fail" && !mildNouns.has(plainWord(first));
}

/** As the first word of a sentence they only say what it is about. */
const mildNouns = wordSet("error issue red false block 错误");

/** Whether a gap of this severity may stay open. One without a known severity may not. */
export function isMild(severity: unknown): boolean {
  return typeof severity === "string" && mildSeverities.has(plainWord(severity));
}

export function isCritical(severity: unknown): boolean {
  if (typeof severity !== "string") return false;
  const word = plainWord(severity);
  return criticalSeverities.has(word) || criticalSigns.test(word);
}

/** `CRITICAL: no login`, `[P0] no login`, `Blocker - no login`. */
export function beginsCritical(text: string): boolean {
  const [, first = ""] = /^[^\p{L}\p{N}]*([\p{L}\p{N}]+)[\])*\s]*(?:[:\])*—–，：-]|$)/u.exec(text) ?? [];
  return isCritical(first) || criticalSigns.test(text.trim());
}
