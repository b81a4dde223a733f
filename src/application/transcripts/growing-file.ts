// A file that grows. Owns: reading what was added to it since, in pieces, so that its size does not matter.

import { closeSync, existsSync, fstatSync, readSync } from "node:fs";
import { openRegular } from "../../system/files/regular-file.ts";

const pieceBytes = 256 * 1024;
const newline = 0x0a;

export class GrowingFile {
  readonly path: string;
  readonly #tailBytes: number;
  #at: number | null = null;
  #isAtLine = true;
  #leftOut = 0;

  /** `tailBytes`: how much of what is there at the first look is read, from the beginning of a line. */
  constructor(path: string, tailBytes = Number.POSITIVE_INFINITY) {
    this.path = path;
    this.#tailBytes = tailBytes;
  }

  /** The length of the beginning that is not read. */
  get leftOut(): number {
    return this.#leftOut;
  }

  /** What was added since the last call, `atMost` of it; a piece is valid until the next one. Nothing while there is no file. */
  *added(atMost = Number.POSITIVE_INFINITY): Generator<Uint8Array, void, undefined> {
    if (!existsSync(this.path)) return;
    const handle = openRegular(this.path);
    try {
      this.#at ??= this.#start(fstatSync(handle).size);
      const buffer = Buffer.allocUnsafe(Math.min(pieceBytes, Math.max(1, fstatSync(handle).size - this.#at)));
      for (let left = atMost; left > 0; ) {
        const read = readSync(handle, buffer, 0, Math.min(buffer.length, left), this.#at);
        if (read === 0) return;
        this.#at += read;
        left -= read;
        const piece = this.#fromLine(buffer.subarray(0, read));
        if (piece.length > 0) yield piece;
      }
    } finally {
      closeSync(handle);
    }
  }

  #start(size: number): number {
    if (size <= this.#tailBytes) return 0;
    this.#leftOut = size - this.#tailBytes;
    this.#isAtLine = false;
    return this.#leftOut;
  }

  /** A tail begins in the middle of a line, which is no event. */
  #fromLine(piece: Uint8Array): Uint8Array {
    if (this.#isAtLine) return piece;
    const end = piece.indexOf(newline);
    this.#leftOut += end === -1 ? piece.length : end + 1;
    if (end === -1) return piece.subarray(piece.length);
    this.#isAtLine = true;
    return piece.subarray(end + 1);
  }
}
