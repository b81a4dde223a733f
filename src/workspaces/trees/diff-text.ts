// Cuts the text of a diff while git prints it: each file after so many bytes, at the end of a line. One huge file then does not hide
// the others, and what was read stays small.

const marker = Buffer.from("\ndiff --git ");
const newline = 0x0a;

export class DiffTextCutter {
  readonly #maxFileBytes: number;
  readonly #maxReadBytes: number;
  /** Of each file in the order of the text: whether something of it was left out. */
  readonly #isCut: boolean[] = [];
  /** The end of what was read: it may be the beginning of a marker. */
  #rest: Buffer = Buffer.alloc(0);
  #fileBytes = 0;
  #readBytes = 0;
  #isAtLineStart = true;

  constructor(limits: { readonly maxFileBytes: number; readonly maxReadBytes: number }) {
    this.#maxFileBytes = limits.maxFileBytes;
    this.#maxReadBytes = limits.maxReadBytes;
  }

  /** What is kept of the next bytes; null: no more is read. */
  take(chunk: Buffer): Buffer | null {
    this.#readBytes += chunk.length;
    if (this.#readBytes > this.#maxReadBytes) return null;
    let text = Buffer.concat([this.#rest, chunk]);
    const kept: Buffer[] = [];
    if (this.#isCut.length === 0) this.#isCut.push(false);
    for (let at = text.indexOf(marker); at >= 0; at = text.indexOf(marker)) {
      kept.push(this.#ofFile(text.subarray(0, at + 1)));
      this.#isCut.push(false);
      this.#fileBytes = 0;
      text = text.subarray(at + 1);
    }
    const whole = Math.max(0, text.length - marker.length);
    kept.push(this.#ofFile(text.subarray(0, whole)));
    this.#rest = text.subarray(whole);
    return Buffer.concat(kept);
  }

  /** What is left when git has ended. */
  end(): Buffer {
    const rest = this.#ofFile(this.#rest);
    this.#rest = Buffer.alloc(0);
    return rest;
  }

  get cutFiles(): readonly boolean[] {
    return this.#isCut;
  }

  #ofFile(text: Buffer): Buffer {
    const last = this.#isCut.length - 1;
    if (this.#isCut[last] === true) return Buffer.alloc(0);
    const room = this.#maxFileBytes - this.#fileBytes;
    this.#fileBytes += text.length;
    if (text.length <= room) {
      if (text.length > 0) this.#isAtLineStart = text.at(-1) === newline;
      return text;
    }
    this.#isCut[last] = true;
    const kept = text.subarray(0, Math.max(0, room));
    const end = kept.lastIndexOf(newline);
    if (end >= 0) return kept.subarray(0, end + 1);
    // Of a line that is longer than the room for it, its beginning is kept.
    return kept.length === 0 && this.#isAtLineStart ? kept : Buffer.concat([kept, Buffer.from([newline])]);
  }
}
