// Status words. Owns: what a STATUS line can mean, and when several of them contradict each other.

import { asIdentifier, foldWord } from "./plaintext.ts";

export type StatusMeaning = "passed" | "rejected" | "failed";

const words: Readonly<Record<StatusMeaning, readonly string[]>> = {
  passed: ["done", "pass", "passed", "ok", "success", "complete", "completed", "approved"],
  /** It ran, and says that the work is not good enough. */
  rejected: [
    "retry",
    "rejected",
    "reject",
    "changes_requested",
    "request_changes",
    "needs_changes",
    "needs_fixes",
    "needs_work",
    "fail",
    "failing",
    "incomplete",
    "not_done",
    "not_approved",
  ],
  /** It could not do what it was asked. */
  failed: ["failed", "failure", "error", "blocked"],
};

const meanings = new Map(
  (["passed", "rejected", "failed"] as const).flatMap((meaning) => words[meaning].map((word) => [word, meaning])),
);

/** null: not a word that we know; it never counts as a pass. */
export function meaningOf(status: string): StatusMeaning | null {
  return meanings.get(asIdentifier(foldWord(status))) ?? null;
}

/** What begins with a word that says no, and goes on: `Rejected — tests are red`. Not known as a whole, so it is no verdict, but no pass either. */
export function denialIn(status: string): StatusMeaning | null {
  const [first = "", second = ""] = foldWord(status).split(/[^\p{L}\p{N}_-]+/u);
  const meaning = meaningOf(`${first} ${second}`) ?? meaningOf(first);
  return meaning === "passed" ? null : meaning;
}

/** The same, where what follows the word is clearly a remark, and not the rest of a sentence: `Failed (exit 1)`. */
export function isDenialWithRemark(status: string): boolean {
  const [, word = "", rest = ""] = /^([\p{L}\p{N}_ -]*[\p{L}\p{N}_])[*`]*\s*(.*)$/u.exec(status.trim()) ?? [];
  const meaning = meaningOf(word.replace(/\s+-$/, ""));
  return rest !== "" && meaning !== null && meaning !== "passed";
}

const atTheEnd = /\bSTATUS:[*`]*\s*([A-Za-z][A-Za-z_ -]{0,40})[^\p{L}\p{N}]*$/u;

/** The word that says no where a line of prose, a quotation or a row of a table ends with a STATUS; null: it does not. */
export function denialAtTheEnd(line: string): string | null {
  const value = atTheEnd.exec(line.slice(-200))?.[1]?.trim() ?? "";
  const meaning = meaningOf(value);
  return meaning === null || meaning === "passed" ? null : value;
}

/** One time that something was said: what it means (null: nothing), and whether it stood in a fenced block. */
interface Said<Meaning extends string> {
  readonly meaning: Meaning | null;
  readonly fenced: boolean;
}

/**
 * The last one counts, since what comes before may be an echo. Two meanings on lines of their own outside of fenced
 * blocks contradict each other; so does a block at the end (`binds` says for which meanings) that a line outside denies:
 * it may be a quotation, and a quotation must not pass anything.
 */
export function contradicts<Meaning extends string>(
  said: readonly Said<Meaning>[],
  binds: (meaning: Meaning) => boolean,
): boolean {
  const found = new Set<Meaning>();
  for (const { meaning, fenced } of said) if (meaning !== null && !fenced) found.add(meaning);
  const last = said.at(-1);
  if (last?.fenced && last.meaning !== null && binds(last.meaning)) found.add(last.meaning);
  return found.size > 1;
}
