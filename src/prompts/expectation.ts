// Expectations. Owns: whether an output contains the text that its step expects of a passing one.

import { readKeyLine } from "./keyline.ts";
import { asIdentifier, flatten, foldWord } from "./plaintext.ts";

export interface Expectation {
  /** The word that is expected after `STATUS:`; undefined when the expected text is not a STATUS line. */
  readonly statusWord: string | undefined;
  /** `statusGiven`: a STATUS line was read, and it says in its own words what an expected STATUS line would say. */
  isMetBy(text: string, statusGiven: boolean): boolean;
}

export function expectationOf(expects: string | null): Expectation | null {
  const wanted = flatten(expects ?? "");
  if (expects === null || wanted === "") return null;
  const line = expects.trim().includes("\n") ? null : readKeyLine(expects.trim());
  const word = line?.key === "status" ? asIdentifier(foldWord(line.value)) : "";
  if (word === "") return { statusWord: undefined, isMetBy: (text) => flatten(text).includes(wanted) };
  return { statusWord: word, isMetBy: (text, statusGiven) => statusGiven || endsASentence(text, wanted) };
}

/**
 * "All tests are green. STATUS: done" says it; "I cannot report STATUS: done" and "> STATUS: done" do not. Without a
 * STATUS line of its own, the text must begin after the end of a sentence and end its line.
 */
function endsASentence(text: string, wanted: string): boolean {
  return text.split("\n").some((raw) => {
    if (raw.trimStart().startsWith(">")) return false;
    const line = flatten(raw).replace(/[.!"'\s]+$/, "");
    return line.endsWith(wanted) && /[.!;)—–]\s*$/.test(line.slice(0, -wanted.length));
  });
}
