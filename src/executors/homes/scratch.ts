// Scratch. Owns: a directory for the files of one call, made when somebody needs it, and gone with the call.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export class Scratch {
  #dir: string | null = null;

  dir(): string {
    this.#dir ??= mkdtempSync(join(tmpdir(), "pawl-agent-"));
    return this.#dir;
  }

  /** Those that were made. */
  places(): readonly string[] {
    return this.#dir === null ? [] : [this.#dir];
  }

  remove(): void {
    if (this.#dir === null) return;
    try {
      rmSync(this.#dir, { recursive: true, force: true });
    } catch {
      // Somebody holds a file in it; it is the system's directory for what may stay behind.
    }
  }
}
