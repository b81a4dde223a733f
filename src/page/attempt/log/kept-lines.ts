// The lines of a log that the page keeps. Owns: their rows for a width, the parts of the log that they are from, and the bound: when
// more come, the oldest part goes, and can be read again.

import { isError, type LogLine, type LogRow, rowsOf } from "./log-line.ts";

/** Lines from `from` to `next`, two bytes of the log. */
export interface LogPart {
  readonly from: number;
  readonly next: number;
  readonly lines: readonly LogLine[];
}

interface KeptPart extends LogPart {
  rows: number;
}

export class KeptLines {
  readonly #mostRows: number;
  #parts: KeptPart[] = [];
  #rows: LogRow[] = [];
  #saying: readonly LogRow[] = [];
  #said: readonly LogLine[] = [];
  #width: number;
  #origin = 0;

  constructor(width: number, mostRows = 40_000) {
    this.#width = width;
    this.#mostRows = mostRows;
  }

  get count(): number {
    return this.#rows.length + this.#saying.length;
  }

  /** The number of the first row. A row keeps its number when others come before it or go. */
  get origin(): number {
    return this.#origin;
  }

  /** The first byte of the log that is kept. */
  get from(): number {
    return this.#parts[0]?.from ?? 0;
  }

  get next(): number {
    return this.#parts.at(-1)?.next ?? 0;
  }

  get isFull(): boolean {
    return this.#rows.length >= this.#mostRows;
  }

  row(index: number): LogRow | undefined {
    return this.#rows[index] ?? this.#saying[index - this.#rows.length];
  }

  /** `mayDrop`: the oldest parts go where there are too many rows. */
  append(part: LogPart, mayDrop: boolean): void {
    const rows = part.lines.flatMap((line) => rowsOf(line, this.#width));
    const last = this.#parts.at(-1);
    // Each look at a running log is a part: small ones become one, or there would be thousands of them.
    if (last !== undefined && last.rows < 500) {
      this.#parts.pop();
      this.#parts.push({
        ...last,
        next: part.next,
        lines: [...last.lines, ...part.lines],
        rows: last.rows + rows.length,
      });
    } else this.#parts.push({ ...part, rows: rows.length });
    for (const row of rows) this.#rows.push(row);
    while (mayDrop && this.#rows.length > this.#mostRows && this.#parts.length > 1) {
      const gone = this.#parts.shift()?.rows ?? 0;
      this.#rows.splice(0, gone);
      this.#origin += gone;
    }
  }

  /** An older part, which ends where the first one begins. */
  prepend(part: LogPart): void {
    const rows = part.lines.flatMap((line) => rowsOf(line, this.#width));
    this.#parts.unshift({ ...part, rows: rows.length });
    this.#rows = [...rows, ...this.#rows];
    this.#origin -= rows.length;
  }

  /** What is being said now stands behind the last line until it is one. */
  say(lines: readonly LogLine[]): void {
    this.#said = lines;
    this.#saying = lines.flatMap((line) => rowsOf(line, this.#width));
  }

  /** False: it was this width. */
  setWidth(width: number): boolean {
    if (width === this.#width) return false;
    this.#width = width;
    for (const part of this.#parts) part.rows = 0;
    this.#rows = this.#parts.flatMap((part) => {
      const rows = part.lines.flatMap((line) => rowsOf(line, width));
      part.rows = rows.length;
      return rows;
    });
    this.say(this.#said);
    return true;
  }

  /** The numbers of the first rows of all lines that have these words, in whatever case. */
  find(words: string): readonly number[] {
    const wanted = words.toLowerCase();
    if (wanted === "") return [];
    return this.#numbers(({ line }) => line.text.toLowerCase().includes(wanted));
  }

  /** The number of the first row of an error; null: there is none. */
  firstError(): number | null {
    const index = this.#rows.findIndex((row) => !row.isMore && isError(row.line));
    return index === -1 ? null : this.#origin + index;
  }

  #numbers(isWanted: (row: LogRow) => boolean): readonly number[] {
    const numbers: number[] = [];
    this.#rows.forEach((row, i) => {
      if (!row.isMore && isWanted(row)) numbers.push(this.#origin + i);
    });
    return numbers;
  }
}
