// Stops whatever an attempt is doing now: a setup command, an agent, a check.

/** Called each time that something starts which can be stopped, with the way to stop it. */
export type RegisterStop = (stop: (reason: string) => void) => void;

export class StopSwitch {
  #reason: string | null = null;
  #stop: ((reason: string) => void) | null = null;
  #outlives = false;
  #isLeft = false;

  /** Why the attempt was stopped; null: it was not. */
  get reason(): string | null {
    return this.#reason;
  }

  /** Nothing of the attempt runs here any more, and it has not ended: another driver continues it. */
  get isLeft(): boolean {
    return this.#isLeft;
  }

  /** Another program does the work: the attempt outlives its driver. */
  outliveDriver(): void {
    this.#outlives = true;
  }

  get outlivesDriver(): boolean {
    return this.#outlives;
  }

  /** The driver goes. An attempt that cannot live without it is stopped. One that was left already stays so. */
  leave(reason: string): void {
    if (this.#isLeft) return;
    this.#isLeft = this.#outlives && this.#reason === null;
    this.stop(reason);
  }

  /** Only the first reason counts. */
  stop(reason: string): void {
    this.#reason ??= reason;
    this.#stop?.(reason);
  }

  /** What starts after the stop is stopped at once. */
  readonly register: RegisterStop = (stop) => {
    this.#stop = stop;
    if (this.#reason !== null) stop(this.#reason);
  };
}
