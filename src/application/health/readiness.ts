// Whether a service can do its work: it drives runs, and its store answers with the schema of this version. Anybody may ask, so the store is asked at most once
// at a time and once a second, and the answer takes a bounded time.

import type { Application } from "../application.ts";

export interface ReadinessTimes {
  /** How long an answer counts. */
  readonly freshMs: number;
  /** How long the store gets. */
  readonly longestMs: number;
}

const usualTimes: ReadinessTimes = { freshMs: 1_000, longestMs: 2_000 };

export class Readiness {
  readonly #canUse: () => Promise<boolean>;
  readonly #drives: () => boolean;
  readonly #times: ReadinessTimes;
  #asking: Promise<boolean> | null = null;
  #last: { readonly at: number; readonly ok: boolean } | null = null;

  /** `canUse`: whether the store has the schema of this version; it rejects where the store cannot be reached. */
  constructor(canUse: () => Promise<boolean>, drives: () => boolean, times: ReadinessTimes = usualTimes) {
    this.#canUse = canUse;
    this.#drives = drives;
    this.#times = times;
  }

  static of(app: Application, drives: () => boolean): Readiness {
    return new Readiness(async () => await (await app.read()).parts.store.isCurrent(), drives);
  }

  async isReady(): Promise<boolean> {
    if (!this.#drives()) return false;
    if (this.#last !== null && performance.now() - this.#last.at < this.#times.freshMs) return this.#last.ok;
    this.#asking ??= this.#ask();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), this.#times.longestMs);
    });
    try {
      return await Promise.race([this.#asking, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #ask(): Promise<boolean> {
    const ok = await this.#canUse().catch(() => false);
    this.#last = { at: performance.now(), ok };
    this.#asking = null;
    return ok;
  }
}
