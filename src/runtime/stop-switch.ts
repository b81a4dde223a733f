// Stops whatever an attempt is doing now: a setup command, an agent, a check.

/** Called each time that something starts which can be stopped, with the way to stop it. */
export type RegisterStop = (stop: (reason: string) => void) => void;

export class StopSwitch {
  #reason: string | null = null;
  #stop: ((reason: string) => void) | null = null;

  /** Why the attempt was stopped; null: it was not. */
  get reason(): string | null {
    return this.#reason;
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
