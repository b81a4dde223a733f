// Notices commits of other processes: one look for all watchers of a connection, however many there are.

import type { DatabaseSync, StatementSync } from "node:sqlite";

/** How often to look: a client of a stream sees an event of another process up to this much later, and an idle service does little else. */
const lookEveryMs = 100;

export class CommitWatch {
  readonly #connection: DatabaseSync;
  readonly #watchers = new Set<{ readonly onChange: () => void }>();
  #timer: NodeJS.Timeout | null = null;
  #statement: StatementSync | null = null;
  #last: unknown = null;

  constructor(connection: DatabaseSync) {
    this.#connection = connection;
  }

  add(onChange: () => void): { close(): void } {
    const watcher = { onChange };
    if (this.#timer === null) {
      this.#statement ??= this.#connection.prepare("pragma data_version");
      this.#last = null;
      this.#look();
      // The timer alone does not keep the process alive.
      this.#timer = setInterval(() => this.#look(), lookEveryMs).unref();
    }
    this.#watchers.add(watcher);
    return {
      close: () => {
        this.#watchers.delete(watcher);
        if (this.#watchers.size === 0) this.#stop();
      },
    };
  }

  close(): void {
    this.#watchers.clear();
    this.#stop();
  }

  #look(): void {
    const before = this.#last;
    try {
      this.#last = this.#statement?.get()?.["data_version"] ?? null;
    } catch {
      // Locked for a moment; the next look will succeed.
      return;
    }
    if (before !== null && before !== this.#last) for (const { onChange } of this.#watchers) onChange();
  }

  #stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }
}
