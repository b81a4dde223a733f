// Spans of a log that begin and end with lines. Owns: finding them from any byte, forwards and backwards, without reading more than a
// page and one line of it; a log may have a gigabyte, and a line of it megabytes.

import { readSync } from "node:fs";

export interface LogSpan {
  readonly start: number;
  readonly end: number;
  /** It is a piece of a line that is longer than any event. */
  readonly isPiece?: true;
}

/** What is shown at once. */
const pageBytes = 256 * 1024;
/** The longest line that is read as a whole. */
const longestLine = 8 * 1024 * 1024;
/** What is looked at for the end of a longer one. */
const longestLook = 32 * 1024 * 1024;
const newline = 0x0a;

export class LogSpans {
  readonly #handle: number;
  readonly #size: number;
  readonly #isComplete: boolean;

  /** `isComplete`: nothing is added to it any more, and what follows its last line end is a line. */
  constructor(handle: number, size: number, isComplete: boolean) {
    this.#handle = handle;
    this.#size = size;
    this.#isComplete = isComplete;
  }

  /** From the first line at this byte or behind it. */
  after(from: number): LogSpan {
    if (from >= this.#size) return { start: from, end: from };
    const start = this.#lineFrom(from);
    if (start === null) {
      const passed = Math.min(this.#size, from + longestLook);
      return { start: passed, end: passed };
    }
    if (start + pageBytes >= this.#size) return this.#toEnd(start);
    const last = this.#lastLineEnd(start, start + pageBytes);
    const end = last ?? this.#lineEnd(start + pageBytes, start + longestLine);
    if (end !== null) return { start, end };
    return start + longestLine >= this.#size ? this.#toEnd(start) : { start, end: start + longestLine, isPiece: true };
  }

  /** What ends at this byte, which is the beginning of a line or behind the end of the log. */
  before(byte: number): LogSpan {
    const end = byte < this.#size ? byte : this.#lastEnd();
    const about = end - pageBytes;
    if (about <= 0) return { start: 0, end };
    const first = this.#lineEnd(about - 1, end - 1);
    if (first !== null) return { start: first, end };
    const earlier = Math.max(0, end - longestLine);
    const start = this.#lastLineEnd(earlier, about) ?? (earlier === 0 ? 0 : null);
    return start === null ? { start: earlier, end, isPiece: true } : { start, end };
  }

  /** Lines before a place, for what a reader must know of them. */
  leadingTo(start: number): LogSpan {
    const about = start - pageBytes;
    return about <= 0 ? { start: 0, end: start } : { start: this.#lineEnd(about - 1, start) ?? start, end: start };
  }

  read({ start, end }: LogSpan): Buffer {
    const buffer = Buffer.allocUnsafe(Math.max(0, end - start));
    let length = 0;
    while (length < buffer.length) {
      const read = readSync(this.#handle, buffer, length, buffer.length - length, start + length);
      if (read === 0) break;
      length += read;
    }
    return buffer.subarray(0, length);
  }

  #lineFrom(byte: number): number | null {
    return byte === 0 ? 0 : this.#lineEnd(byte - 1, byte - 1 + longestLook);
  }

  #toEnd(start: number): LogSpan {
    if (this.#isComplete) return { start, end: this.#size };
    const end = this.#lastLineEnd(start, this.#size);
    if (end !== null) return { start, end };
    return this.#size - start < longestLine ? { start, end: start } : { start, end: this.#size, isPiece: true };
  }

  #lastEnd(): number {
    if (this.#isComplete) return this.#size;
    return this.#lastLineEnd(Math.max(0, this.#size - longestLine), this.#size) ?? this.#size;
  }

  /** Behind the first line end at `from` or later, but before `to`. */
  #lineEnd(from: number, to: number): number | null {
    for (let start = from; start < Math.min(to, this.#size); start += pageBytes) {
      const at = this.read({ start, end: Math.min(start + pageBytes, to) }).indexOf(newline);
      if (at !== -1) return start + at + 1;
    }
    return null;
  }

  /** Behind the last line end before `to`, at `from` or later. */
  #lastLineEnd(from: number, to: number): number | null {
    for (let end = to; end > from; end -= pageBytes) {
      const start = Math.max(from, end - pageBytes);
      const at = this.read({ start, end }).lastIndexOf(newline);
      if (at !== -1) return start + at + 1;
    }
    return null;
  }
}
