// Lines of a log and their rows. Owns: breaking a line into rows of one width, so that every row has one height, and what counts as an
// error.

import type { TranscriptPage } from "../../../contracts/http-documents.ts";
import { cellsOf, graphemesOf, wrap } from "../../../transcript/cells.ts";
import { logTexts } from "../../texts/attempt.ts";
import type { Span } from "./sgr.ts";

export interface LogLine {
  readonly kind: TranscriptPage["lines"][number]["kind"];
  /** A class: the tone of a rendered line. */
  readonly tone: string;
  readonly text: string;
  /** Of a line with colours; absent: it has one style. */
  readonly spans?: readonly Span[];
}

export interface LogRow {
  readonly line: LogLine;
  readonly text: string;
  /** Absent: it has one style. */
  readonly spans?: readonly Span[];
  /** It continues the row before it. */
  readonly isMore: boolean;
}

export function rowsOf(line: LogLine, width: number): readonly LogRow[] {
  const { text: whole, spans: all } = line;
  if (fits(whole, width)) return [{ line, text: whole, ...(all === undefined ? {} : { spans: all }), isMore: false }];
  if (all === undefined) return wordRows(whole, width).map((text, i) => ({ line, text, isMore: i > 0 }));
  return spanRows(all, width).map((spans, i) => {
    const text = spans.map((each) => each.text).join("");
    return { line, text, spans, isMore: i > 0 };
  });
}

/** No character is wider than two cells: most lines need no measuring. */
function fits(text: string, width: number): boolean {
  return text.length * 2 <= width || (text.length <= width && cellsOf(text) <= width);
}

/** What follows stands under the text, not under its indentation. */
function wordRows(text: string, width: number): readonly string[] {
  const lead = /^[ ●✓✗+·!-]*/.exec(text)?.[0].length ?? 0;
  const indent = lead > width / 2 ? 0 : lead;
  const [first = "", ...more] = wrap(text.slice(indent), width - indent);
  const space = " ".repeat(indent);
  return [text.slice(0, indent) + first, ...more.map((each) => space + each)];
}

/** Broken anywhere: what a program printed is shown as it is. */
function spanRows(spans: readonly Span[], width: number): readonly (readonly Span[])[] {
  const rows: Span[][] = [[]];
  let left = width;
  const put = (text: string, style: string, cells: number) => {
    if (cells > left) {
      rows.push([]);
      left = width;
    }
    if (text !== "") rows.at(-1)?.push({ text, style });
    left -= cells;
  };
  for (const { text, style } of spans) {
    const isSimple = cellsOf(text) === text.length;
    if (!isSimple) for (const { segment } of graphemesOf(text)) put(segment, style, cellsOf(segment));
    for (let at = 0; isSimple && at < text.length; ) {
      const piece = text.slice(at, at + (left > 0 ? left : width));
      put(piece, style, piece.length);
      at += piece.length;
    }
  }
  return rows;
}

const errorWords = /(?:error|exception)\b|\b(?:fatal|panic|traceback)\b/i;

/** What an agent reports as failed; of lines that are no events, those that say so. */
export function isError({ kind, tone, text }: LogLine): boolean {
  return tone === "bad" || (kind === "line" && errorWords.test(text));
}

/** What stands in the place of a log that has nothing, or that is gone. */
export function emptyLogText({ hasLog, ended }: { readonly hasLog: boolean; readonly ended: boolean }): string {
  if (!ended) return logTexts.waiting;
  return hasLog ? logTexts.nothing : logTexts.gone;
}
