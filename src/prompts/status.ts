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
