// The attempts that this process performs now: their leases are renewed, and each can be stopped.

import { errorText } from "../../domain/error.ts";
import type { AttemptId } from "../../domain/ids.ts";
import type { RunningAttempt } from "../attempt/attempt.ts";
import type { Parts } from "../parts.ts";

export interface RunningOptions {
  /** The name under which this process holds leases. */
  readonly worker: string;
  readonly leaseMs: number;
  readonly renewEveryMs: number;
  /** Called after each attempt, with the error if its result could not be stored. */
  readonly onEnded: (failure: unknown) => void;
}

type Ports = Pick<Parts, "dispatch" | "store" | "clock" | "log">;

export class RunningAttempts {
  readonly #ports: Ports;
  readonly #options: RunningOptions;
  readonly #attempts = new Map<AttemptId, RunningAttempt>();
  readonly #renewal: NodeJS.Timeout;

  constructor(ports: Ports, options: RunningOptions) {
    this.#ports = ports;
    this.#options = options;
    this.#renewal = setInterval(() => void this.#renew(), options.renewEveryMs);
  }

  get size(): number {
    return this.#attempts.size;
  }

  add(attempt: RunningAttempt): void {
    const { id } = attempt.claim.attempt;
    this.#attempts.set(id, attempt);
    const end = (failure: unknown) => {
      this.#attempts.delete(id);
      this.#options.onEnded(failure);
    };
    attempt.ended.then(() => end(null), end);
  }

  /** false: this process does not perform it. */
  stop(id: AttemptId, reason: string): boolean {
    const attempt = this.#attempts.get(id);
    attempt?.stop(reason);
    return attempt !== undefined;
  }

  stopAll(reason: string): void {
    for (const attempt of this.#attempts.values()) attempt.stop(reason);
  }

  /**
   * Stops the attempts that the store says should stop. Another process may have asked for it between an attempt's begin and its start,
   * and found no agent to stop. True while an agent still runs whose attempt another process has ended: nothing may start beside it.
   */
  async stopWhatShould(): Promise<boolean> {
    let displaced = false;
    for (const [id, attempt] of this.#attempts) {
      const state = (await this.#ports.store.attempt(id))?.attempt.state;
      if (state?.phase === "stopping") attempt.stop(state.reason);
      if (state?.phase !== "ended" || !this.#attempts.has(id)) continue;
      attempt.stop("another process has ended it");
      displaced = true;
    }
    return displaced;
  }

  /** Stops what runs, waits until it is gone, and renews no lease after that. */
  async close(): Promise<void> {
    this.stopAll("the driver ends");
    await Promise.allSettled([...this.#attempts.values()].map(({ ended }) => ended));
    clearInterval(this.#renewal);
  }

  /** A worker that cannot renew a lease kills its agent, before another worker starts the step again. */
  async #renew(): Promise<void> {
    const ids = [...this.#attempts.keys()];
    if (ids.length === 0) return;
    try {
      const until = this.#ports.clock.now() + this.#options.leaseMs;
      const held = new Set(await this.#ports.dispatch.renew(this.#options.worker, ids, until));
      for (const id of ids) if (!held.has(id)) this.stop(id, "its lease was taken away");
    } catch (error) {
      this.#ports.log("lease.not_renewed", { why: errorText(error) });
    }
  }
}
