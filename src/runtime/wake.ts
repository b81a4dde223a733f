// Waits for something to happen, without missing what happened meanwhile.

export class Wake {
  #up = false;
  #waiting: (() => void) | null = null;

  up(): void {
    this.#up = true;
    this.#waiting?.();
  }

  /** From here on, `wait` returns only for what happens after this call. */
  reset(): void {
    this.#up = false;
  }

  async wait(atMostMs: number): Promise<void> {
    if (this.#up) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, atMostMs);
      this.#waiting = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#waiting = null;
    // What the same moment has begun goes first: the process of the next step need not wait for the driver's turn.
    await new Promise<void>((resolve) => void setImmediate(resolve));
  }
}
