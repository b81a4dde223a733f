// Reads the lines that were added to a file since the last look, without those from before.

import { closeSync, fstatSync, openSync, readSync } from "node:fs";

export class Tail {
  readonly #file: number;
  readonly #buffer = Buffer.alloc(1 << 16);
  #position: number;
  #rest = "";

  constructor(path: string) {
    this.#file = openSync(path, "r");
    this.#position = fstatSync(this.#file).size;
  }

  /** Whole lines only: a line that is still being written comes next time. */
  lines(): readonly string[] {
    const found: string[] = [];
    for (;;) {
      const read = readSync(this.#file, this.#buffer, 0, this.#buffer.length, this.#position);
      if (read === 0) return found;
      this.#position += read;
      const lines = (this.#rest + this.#buffer.toString("latin1", 0, read)).split("\n");
      this.#rest = lines.pop() ?? "";
      found.push(...lines);
    }
  }

  close(): void {
    closeSync(this.#file);
  }
}
