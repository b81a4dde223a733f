// Redaction of a stream. Owns: removing secrets from bytes that come in chunks, also across chunks. Only the few bytes that cannot be
// decided yet are held back, because a person may be watching.

import { contextLength, type Finder } from "./finder.ts";

const nothing = Buffer.alloc(0);

export class Redaction {
  readonly #finder: Finder;
  #kept: Buffer = nothing;
  /** The last bytes that were passed on, before redaction. */
  #before = "";

  constructor(finder: Finder) {
    this.#finder = finder;
  }

  /** Returns what can be passed on now. */
  push(chunk: Uint8Array): Uint8Array {
    return this.#pass(chunk, false);
  }

  /** Returns the last bytes, with what was held back. */
  end(chunk: Uint8Array = nothing): Uint8Array {
    return this.#pass(chunk, true);
  }

  #pass(chunk: Uint8Array, last: boolean): Uint8Array {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const data = this.#kept.length === 0 ? bytes : Buffer.concat([this.#kept, bytes]);
    const { found, decided } = this.#finder.find(data, this.#before, last);
    // A copy: a few bytes must not keep a large chunk in memory.
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

/** Safe in a JSON text, a line and a terminal, whatever the name of the variable is. */
function shownFor(name: string | null): string {
  return name === null ? "[secret]" : `[secret:${name.replace(/[^\w.-]/g, "_")}]`;
}
