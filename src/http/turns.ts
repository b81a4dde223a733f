// Turns of calls that start programs. Owns: that only a few of them work at once, and that one whose client has left does not begin.

import { problem } from "./problem.ts";
import { Refusal } from "./refusal.ts";

const clientLeft = problem(503, "TOO_MANY", "the client left before its turn came", "ask again");

export class Turns {
  readonly #most: number;
  readonly #waiting: (() => void)[] = [];
  #working = 0;

  constructor(most: number) {
    this.#most = most;
  }

  async take<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    while (this.#working >= this.#most && !signal.aborted)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    if (signal.aborted) {
      this.#next();
      throw new Refusal(clientLeft);
    }
    this.#working += 1;
    try {
      return await work();
    } finally {
      this.#working -= 1;
      this.#next();
    }
  }

  #next(): void {
    this.#waiting.shift()?.();
  }
}
