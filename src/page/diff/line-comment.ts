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
  return comments.map((comment) => ({ comment, line: lineFor(comment, lines(comment.path) ?? []) }));
}

function lineFor({ side, line, quote }: LineComment, lines: readonly DiffLine[]): number | null {
  let nearest: number | null = null;
  for (const each of lines) {
    const number = side === "new" ? each.newLine : each.kind === "removed" ? each.oldLine : null;
    if (number === null || quoteOf(each) !== quote) continue;
    if (number === line) return number;
    if (nearest === null || Math.abs(number - line) < Math.abs(nearest - line)) nearest = number;
  }
  return nearest;
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
