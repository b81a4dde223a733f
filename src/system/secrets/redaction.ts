// Redaction of a stream. Owns: bytes that come in pieces, without secrets, wherever a piece was cut. What cannot be decided yet is
// kept back, and is little: the rest goes on at once, since somebody may be watching.

import { contextLength, type Finder } from "./finder.ts";

const nothing = Buffer.alloc(0);

export class Redaction {
  readonly #finder: Finder;
  #kept: Buffer = nothing;
  /** The last bytes that went on, as they were. */
  #before = "";

  constructor(finder: Finder) {
    this.#finder = finder;
  }

  /** What can go on now. */
  push(chunk: Uint8Array): Uint8Array {
    return this.#pass(chunk, false);
  }

  /** The last piece, with what was kept back. */
  end(chunk: Uint8Array = nothing): Uint8Array {
    return this.#pass(chunk, true);
  }

  #pass(chunk: Uint8Array, last: boolean): Uint8Array {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const data = this.#kept.length === 0 ? bytes : Buffer.concat([this.#kept, bytes]);
    const { found, decided } = this.#finder.find(data, this.#before, last);
    // Its own copy: a few bytes must not hold a large piece in memory.
    this.#kept = decided === data.length ? nothing : Buffer.from(data.subarray(decided));
    this.#before = (this.#before + data.toString("latin1", Math.max(0, decided - contextLength), decided)).slice(
      -contextLength,
    );
    const pieces: Uint8Array[] = [];
    let from = 0;
    for (const { start, end, name } of found) {
      pieces.push(data.subarray(from, start), Buffer.from(shownFor(name)));
      from = end;
    }
    const rest = data.subarray(from, decided);
    return pieces.length === 0 ? rest : Buffer.concat([...pieces, rest]);
  }
}

/** Fits into a JSON text, a line and a terminal, whatever the variable is called. */
function shownFor(name: string | null): string {
  return name === null ? "[secret]" : `[secret:${name.replace(/[^\w.-]/g, "_")}]`;
}
