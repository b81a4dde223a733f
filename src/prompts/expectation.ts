// Expectations. Owns: whether an output contains what its step expects of a passing one: each line of it is a text or a pattern.

import { type ExpectedLine, expectedLines, patternOf } from "../domain/expectation.ts";
import { readKeyLine } from "./keyline.ts";
import { asIdentifier, flatten, foldWord } from "./plaintext.ts";

export interface Expectation {
  /** The word that is expected after `STATUS:`; undefined when no word is named. */
  readonly statusWord: string | undefined;
  /** All of it, in words, and what of it is expected beside a STATUS line. */
  readonly words: string;
  readonly others: readonly string[];
  /** A STATUS line is expected, and no word for it is named. */
  readonly takesAnyStatus: boolean;
  /** Whether an expected STATUS line names this word, which may be one that only this workflow uses. */
  acceptsStatus(word: string): boolean;
  /** What is missing, in words. `statusGiven`: a STATUS line was read, and it says in its own words what an expected one would say. */
  missingIn(text: string, statusGiven: boolean): readonly string[];
}

interface Condition {
  readonly words: string;
  readonly isStatus: boolean;
  readonly statusWord?: string;
  acceptsStatus(word: string): boolean;
  isMetBy(text: string): boolean;
}

/** A pattern looks at the end of a longer text: its work must stay bounded. */
const maxPatternText = 256 * 1024;

export function expectationOf(expects: string | null): Expectation | null {
  const conditions = expectedLines(expects).flatMap((line) => conditionOf(line) ?? []);
  if (conditions.length === 0) return null;
  return {
    statusWord: conditions.find(({ statusWord }) => statusWord !== undefined)?.statusWord,
    takesAnyStatus: expectedLines(expects).some((line) => line.kind === "text" && /^STATUS\s*:?$/i.test(line.text)),
    words: conditions.map(({ words }) => words).join(" and "),
    others: conditions.flatMap(({ isStatus, words }) => (isStatus ? [] : [words])),
    acceptsStatus: (word) => conditions.some((condition) => condition.acceptsStatus(word)),
    missingIn: (text, statusGiven) =>
      conditions.flatMap((condition) =>
        (condition.isStatus && statusGiven) || condition.isMetBy(text) ? [] : [condition.words],
      ),
  };
}

function conditionOf(line: ExpectedLine): Condition | null {
  return line.kind === "pattern" ? patternCondition(line.source) : textCondition(line.text);
}

function textCondition(text: string): Condition | null {
  const wanted = flatten(text);
  if (wanted === "") return null;
  const words = JSON.stringify(text);
  const line = readKeyLine(text);
  const word = line?.key === "status" ? asIdentifier(foldWord(line.value)) : "";
  if (word === "")
    return { words, isStatus: false, acceptsStatus: () => false, isMetBy: (said) => flatten(said).includes(wanted) };
  return {
    words,
    isStatus: true,
    statusWord: word,
    acceptsStatus: (said) => asIdentifier(foldWord(said)) === word,
    isMetBy: (said) => endsASentence(said, wanted),
  };
}

function patternCondition(source: string): Condition {
  const pattern = patternOf(source);
  const isStatus = /^\W*STATUS\b/i.test(source);
  return {
    words: `a line that matches ${source}`,
    isStatus,
    acceptsStatus: (word) => isStatus && pattern?.test(`STATUS: ${foldWord(word)}`) === true,
    isMetBy(text) {
      const end = text.slice(-maxPatternText);
      return pattern !== null && (pattern.test(end) || pattern.test(unmarked(end)));
    },
  };
}

/** Without the marks that agents put around keys. */
function unmarked(text: string): string {
  return text.replace(/[*`#]/g, "").replace(/^[^\S\n]+/gm, "");
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
