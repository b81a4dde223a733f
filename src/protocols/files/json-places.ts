// Finds where the parts of a JSON text begin and end, for messages that name a line and for edits that keep every other byte.

import { AppError } from "../../domain/error.ts";
import { spanJson } from "../../prompts/json.ts";

export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Member {
  readonly key: string;
  readonly name: Span;
  readonly value: Span;
}

export interface JsonText {
  /** Without the byte order mark; all positions are in this. */
  readonly text: string;
  readonly root: Span;
  readonly value: unknown;
}

/** Parses the whole text as JSON, or throws an error that names the line and column. */
export function openJson(source: string, file: string, hint: string): JsonText {
  const text = withoutMark(source);
  const start = skipSpace(text, 0);
  if (start === text.length) throw new AppError("INPUT_INVALID", `${file} is empty`, { hint });
  const span = spanJson(text, start);
  const end = span.ok ? skipSpace(text, span.end) : 0;
  if (span.ok && end === text.length) {
    const root = { start, end: span.end };
    return { text, root, value: JSON.parse(text.slice(start, span.end)) };
  }
  const at = span.ok ? end : span.at;
  const expected = span.ok ? "the end of the file" : span.expected;
  const problem = `not valid JSON: expected ${expected}, found ${foundAt(text, at)}`;
  throw new AppError("INPUT_INVALID", `${file}:${new Lines(text).placeOf(at)}: ${problem}`, { hint });
}

/** Removes a byte order mark, which is not part of the JSON. */
export function withoutMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

/** The members of an object in valid JSON, in order. A key may occur twice. */
export function membersOf(text: string, object: Span): readonly Member[] {
  const members: Member[] = [];
  let at = skipSpace(text, object.start + 1);
  while (text[at] === '"') {
    const name = valueAt(text, at);
    const value = valueAt(text, skipSpace(text, skipSpace(text, name.end) + 1));
    members.push({ key: JSON.parse(text.slice(name.start, name.end)) as string, name, value });
    at = afterComma(text, value.end);
  }
  return members;
}

/** The items of an array in valid JSON. */
export function itemsOf(text: string, array: Span): readonly Span[] {
  const items: Span[] = [];
  let at = skipSpace(text, array.start + 1);
  while (at < array.end && text[at] !== "]") {
    const item = valueAt(text, at);
    items.push(item);
    at = afterComma(text, item.end);
  }
  return items;
}

/** Finds the line and column of many positions without scanning the text each time. */
export class Lines {
  readonly #starts: readonly number[];

  constructor(text: string) {
    this.#starts = [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)];
  }

  /** `line:column`, from 1. */
  placeOf(at: number): string {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#starts[middle] ?? 0) <= at) low = middle;
      else high = middle - 1;
    }
    return `${low + 1}:${at - (this.#starts[low] ?? 0) + 1}`;
  }
}

export function foundAt(text: string, at: number): string {
  if (text.slice(at).trim() === "") return "the end of the file";
  const rest = text.slice(at, at + 12).toWellFormed();
  return /^[\r\n]/.test(rest) ? "a line break" : JSON.stringify(rest.split(/[\r\n]/)[0]);
}

export function skipSpace(text: string, at: number): number {
  let next = at;
  while (text[next] === " " || text[next] === "\n" || text[next] === "\t" || text[next] === "\r") next++;
  return next;
}

function valueAt(text: string, start: number): Span {
  const span = spanJson(text, start);
  if (!span.ok) throw new Error(`the text is not valid JSON at ${span.at}`);
  return { start, end: span.end };
}

function afterComma(text: string, at: number): number {
  const next = skipSpace(text, at);
  return text[next] === "," ? skipSpace(text, next + 1) : next;
}
