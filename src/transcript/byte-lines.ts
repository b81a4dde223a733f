// Lines of a stream of bytes. Owns: putting them together from chunks, in bounded memory. Of a line that is too long the beginning is
// kept, with its whole length.

export interface SplitLine {
  readonly text: string;
  /** The length of a line that was cut; null: the text is all of it. */
  readonly cutBytes: number | null;
}

/** The longest line that is read as an event. */
const longestLine = 8 * 1024 * 1024;
/** What is shown of a longer one. */
const shownBytes = 4 * 1024;
const newline = 0x0a;

export class ByteLines {
  readonly #decoder = new TextDecoder();
  #pieces: Uint8Array[] = [];
  #length = 0;

  /** The chunk may be used again afterwards. */
  write(chunk: Uint8Array): readonly SplitLine[] {
    const lines: SplitLine[] = [];
    let from = 0;
    for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, from)) {
      this.#keep(chunk.subarray(from, at));
      lines.push(this.#line());
      from = at + 1;
    }
    if (from < chunk.length) this.#keep(chunk.subarray(from));
    return lines;
  }

  /** What follows the last line end. */
  end(): readonly SplitLine[] {
    return this.#length === 0 ? [] : [this.#line()];
  }

  #keep(bytes: Uint8Array): void {
    this.#length += bytes.length;
    if (this.#length <= longestLine) this.#pieces.push(bytes.slice());
    else this.#pieces = [joinedBytes([...this.#pieces, bytes]).slice(0, shownBytes)];
  }

  #line(): SplitLine {
    const isCut = this.#length > longestLine;
    const cutBytes = isCut ? this.#length : null;
    const bytes = joinedBytes(this.#pieces);
    this.#pieces = [];
    this.#length = 0;
    const text = this.#decoder.decode(bytes);
    return { text: text.endsWith("\r") ? text.slice(0, -1) : text, cutBytes };
  }
}

function joinedBytes(pieces: readonly Uint8Array[]): Uint8Array {
  const [only] = pieces;
  if (only !== undefined && pieces.length === 1) return only;
  const joined = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.length;
  }
  return joined;
}
