// Shows how far long work on a store is: a live line on a terminal, elsewhere a line now and then. Short work shows nothing.

import type { StoreProgress } from "../../application/stores/store-places.ts";
import type { Console } from "./console.ts";

const redrawEveryMs = 200;
/** For a log. */
const sayEveryMs = 10_000;

export class ShownStoreProgress {
  readonly #console: Console;
  #shownAt = performance.now();

  constructor(console: Console) {
    this.#console = console;
  }

  show({ stage, done, of }: StoreProgress): void {
    const now = performance.now();
    const { isTerminal } = this.#console;
    if (now - this.#shownAt < (isTerminal ? redrawEveryMs : sayEveryMs)) return;
    this.#shownAt = now;
    const line = `${stage}: ${done} of ${of}`;
    if (isTerminal) this.#console.redraw([line]);
    else this.#console.say(line);
  }

  close(): void {
    this.#console.redraw([]);
  }
}
