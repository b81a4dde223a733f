// The log in `pawl watch`. Owns: the last entries of a run's agents while they print, as lines for a width.

import type { LoggedAttempt, TranscriptPart } from "../../application/transcripts/transcripts.ts";
import { errorText } from "../../domain/error.ts";
import { column } from "../../transcript/cells.ts";
import type { LogEntry } from "../../transcript/entry.ts";
import { linesOfEntry, type ShownLine } from "../../transcript/rendering.ts";
import { attemptName, nameColumns } from "../output/attempt-name.ts";

const mostEntries = 1_000;

interface Shown {
  readonly attempt: LoggedAttempt;
  readonly entry: LogEntry;
}

export class LogWindow {
  readonly #closing = new AbortController();
  readonly #reading: Promise<void>;
  #entries: readonly Shown[] = [];
  #among = 1;
  /** Made again only for another width or for more entries. */
  #made: { readonly columns: number; readonly lines: readonly ShownLine[] } | null = null;

  constructor(follow: (signal: AbortSignal) => AsyncIterable<TranscriptPart>) {
    this.#reading = this.#read(follow).catch((error: unknown) => {
      this.#made = { columns: 0, lines: [{ tone: "bad", text: errorText(error) }] };
    });
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#reading;
  }

  lines(columns: number): readonly ShownLine[] {
    if (this.#made?.columns === columns || this.#made?.columns === 0) return this.#made.lines;
    const cells = nameColumns(columns);
    const lines = this.#entries.flatMap(({ attempt, entry }) => {
      const prefix = this.#among > 1 ? `${column(attemptName(attempt), cells)} │ ` : "";
      return linesOfEntry(entry, columns - prefix.length).map(({ tone, text }) => ({ tone, text: prefix + text }));
    });
    this.#made = { columns, lines };
    return lines;
  }

  async #read(follow: (signal: AbortSignal) => AsyncIterable<TranscriptPart>): Promise<void> {
    for await (const { attempt, entries, among } of follow(this.#closing.signal)) {
      if (this.#closing.signal.aborted) return;
      this.#among = among;
      this.#entries = [...this.#entries, ...entries.map((entry) => ({ attempt, entry }))].slice(-mostEntries);
      this.#made = null;
    }
  }
}
