// Comments on lines of a diff. Owns: where each one stands in the diff that is shown, also after the work has changed, and how it is
// sent: as a part of the note, with the path and the line.

import { visibleText } from "../parts/visible-text.ts";
import type { DiffLine } from "./unified-diff.ts";

type DiffSide = "old" | "new";

/** Which line of which file; the line is counted on one side. */
export interface LinePlace {
  readonly path: string;
  readonly side: DiffSide;
  readonly line: number;
}

export interface LineComment extends LinePlace {
  readonly text: string;
  /** What the line said: the comment is about this, wherever it stands by now. */
  readonly quote: string;
}

export interface PlacedComment {
  readonly comment: LineComment;
  /** Its line in the diff that is shown; null: the diff does not have it any more. */
  readonly line: number | null;
}

/** The most that the service takes in one answer. */
export const mostComments = 1_000;
const longestQuote = 200;

export function placeOf(path: string, line: DiffLine): LinePlace | null {
  if (line.newLine !== null) return { path, side: "new", line: line.newLine };
  return line.oldLine === null ? null : { path, side: "old", line: line.oldLine };
}

export function quoteOf({ text }: DiffLine): string {
  return text.slice(0, longestQuote);
}

export function isSamePlace(one: LinePlace, other: LinePlace): boolean {
  return one.path === other.path && one.side === other.side && one.line === other.line;
}

/** `lines`: of a file in the diff that is shown; null: it is not in it. A line that moved is found by its words, the nearest one first. */
export function placeComments(
  comments: readonly LineComment[],
  lines: (path: string) => readonly DiffLine[] | null,
): readonly PlacedComment[] {
  const words = new Map<string, WordsOfLines>();
  return comments.map((comment) => {
    const known = words.get(comment.path) ?? wordsOf(lines(comment.path) ?? []);
    words.set(comment.path, known);
    return { comment, line: nearest(known[comment.side].get(comment.quote) ?? [], comment.line) };
  });
}

/** The numbers of the lines that say the same, upwards. */
type WordsOfLines = Readonly<Record<DiffSide, ReadonlyMap<string, readonly number[]>>>;

/** Each line is read once, however many comments there are. */
function wordsOf(lines: readonly DiffLine[]): WordsOfLines {
  const found = { old: new Map<string, number[]>(), new: new Map<string, number[]>() };
  for (const line of lines) {
    const quote = quoteOf(line);
    if (line.newLine !== null) add(found.new, quote, line.newLine);
    if (line.kind === "removed" && line.oldLine !== null) add(found.old, quote, line.oldLine);
  }
  return found;
}

function add(found: Map<string, number[]>, quote: string, number: number): void {
  const known = found.get(quote);
  if (known === undefined) found.set(quote, [number]);
  else known.push(number);
}

/** Of two that are as near, the first. */
function nearest(numbers: readonly number[], wanted: number): number | null {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  const [before, after] = [numbers[low - 1], numbers[low]];
  if (before === undefined || after === undefined) return before ?? after ?? null;
  return after - wanted < wanted - before ? after : before;
}

/** As the service takes it: `path:line: text`. What cannot be found by its number in the files says what the line was. */
export function sentComment({ comment, line }: PlacedComment): {
  readonly path: string;
  readonly line: number;
  readonly text: string;
} {
  const { path, side, quote, text } = comment;
  const isInFile = side === "new" && line !== null;
  const about = side === "old" ? "the removed line" : "the line that was";
  return {
    path: visibleText(path),
    line: line ?? comment.line,
    text: isInFile ? text : `(about ${about} "${visibleText(quote.trim())}") ${text}`,
  };
}
