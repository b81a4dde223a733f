// A directory for the files of one call, made on first use and removed with the call.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export class Scratch {
  #dir: string | null = null;

  dir(): string {
    this.#dir ??= mkdtempSync(join(tmpdir(), "pawl-agent-"));
    return this.#dir;
  }

  /** The directory, if it was made. */
  places(): readonly string[] {
    return this.#dir === null ? [] : [this.#dir];
  }

  remove(): void {
    if (this.#dir === null) return;
    try {
      rmSync(this.#dir, { recursive: true, force: true });
    } catch {
      // A process holds a file in it; it is in the system's directory for temporary files.
    }
  }
}
