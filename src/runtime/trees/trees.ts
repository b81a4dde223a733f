// The trees of this process. Owns: which trees it has made, is making and has entered, so that git is not asked before every attempt.

import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { StoryId } from "../../domain/ids.ts";

/** The story that works in a tree, and the variables of its attempts. */
export interface Occupancy {
  readonly story: StoryId;
  readonly env: Readonly<Record<string, string>>;
}

export class Trees {
  readonly #made = new Set<string>();
  readonly #making = new Map<string, Promise<void>>();
  readonly #occupancies = new Map<string, Occupancy>();

  /** Calls `make` unless the tree is there. Callers that need the same tree at once wait for one `make`; after an error the next tries again. */
  async ensure(path: string, make: () => Promise<void>): Promise<void> {
    if (this.#made.has(path) && existsSync(join(path, ".git"))) return;
    const begun =
      this.#making.get(path) ??
      this.#freeProcessor()
        .then(make)
        .then(() => void this.#made.add(path))
        .finally(() => this.#making.delete(path));
    this.#making.set(path, begun);
    await begun;
  }

  occupancyOf(path: string): Occupancy | null {
    return this.#occupancies.get(path) ?? null;
  }

  occupy(path: string, occupancy: Occupancy): void {
    this.#occupancies.set(path, occupancy);
  }

  vacate(path: string): void {
    this.#occupancies.delete(path);
  }

  /** Waits until no tree is half made. Call it before trees are removed and before the store is closed. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#making.values());
  }

  /** Makes no more trees at once than there are processors: eight that share two would all be late, instead of the first ones early. */
  async #freeProcessor(): Promise<void> {
    const before = [...this.#making.values()];
    await Promise.allSettled(before.slice(0, Math.max(0, before.length - availableParallelism() + 1)));
  }
}
