// The attempts that this process performs now: their leases are renewed, and each can be stopped.

import { errorText } from "../../domain/error.ts";
import type { AttemptId, NoteId } from "../../domain/ids.ts";
import { deadlineIn } from "../../system/clock.ts";
import type { RunningAttempt } from "../attempt/attempt.ts";
import type { Claim } from "../attempt/claim/claim.ts";
import type { Parts } from "../parts.ts";
import { noWorker } from "../worker.ts";

export interface RunningOptions {
  /** The name under which this driver holds leases. */
  readonly worker: string;
  readonly leaseMs: number;
  /** Called after each attempt, with what was claimed together with its result, or with the error if that could not be stored. */
  readonly onEnded: (claimed: Claim | null, failure: unknown) => void;
}

/** After as many leases without the store, another worker may have taken the attempts. */
const unreachableLeases = 4;

type Ports = Pick<Parts, "dispatch" | "store" | "clock" | "log">;

export class RunningAttempts {
  readonly #ports: Ports;
  readonly #options: RunningOptions;
  readonly #attempts = new Map<AttemptId, RunningAttempt>();
  readonly #left = new Set<AttemptId>();
  #renewedAt: number;

  constructor(ports: Ports, options: RunningOptions) {
    this.#ports = ports;
    this.#options = options;
    this.#renewedAt = ports.clock.steady();
  }

  get size(): number {
    return this.#attempts.size;
  }

  add(attempt: RunningAttempt): void {
    const { id } = attempt.claim.attempt;
    this.#attempts.set(id, attempt);
    const end = (claimed: Claim | null, failure: unknown) => {
      this.#attempts.delete(id);
      if (attempt.isLeft) this.#left.add(id);
      this.#options.onEnded(claimed, failure);
    };
    attempt.ended.then(
      (claimed) => end(claimed, null),
      (failure: unknown) => end(null, failure),
    );
  }

  /** false: this process does not perform it. */
  stop(id: AttemptId, reason: string): boolean {
    const attempt = this.#attempts.get(id);
    attempt?.stop(reason);
    return attempt !== undefined;
  }

  performs(id: AttemptId): boolean {
    return this.#attempts.has(id);
  }

  tell(id: AttemptId, note: NoteId, text: string): void {
    this.#attempts.get(id)?.tell(note, text);
  }

  stopAll(reason: string): void {
    for (const attempt of this.#attempts.values()) attempt.stop(reason);
  }

  /** The driver goes: what cannot live without it is stopped. */
  leaveAll(reason: string): void {
    for (const attempt of this.#attempts.values()) attempt.leave(reason);
  }

  /** The driver goes when its attempts have ended: those of other programs may take days, and the next driver continues them. */
  leaveAwaited(reason: string): void {
    for (const attempt of this.#attempts.values()) if (attempt.outlivesDriver) attempt.leave(reason);
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

  /** Stops what runs, and waits until it is gone. */
  async close(): Promise<void> {
    this.leaveAll("the driver ends");
    await Promise.allSettled([...this.#attempts.values()].map(({ ended }) => ended));
    await this.#handBack();
  }

  /** The next driver need not wait until this process is dead. */
  async #handBack(): Promise<void> {
    const { dispatch, clock, log } = this.#ports;
    try {
      const leases = this.#left.size === 0 ? [] : await dispatch.leases({ endedBefore: null });
      for (const lease of leases)
        if (this.#left.has(lease.attempt)) await dispatch.takeOver(lease, noWorker, deadlineIn(clock, 0));
    } catch (error) {
      log("lease.not_handed_back", { why: errorText(error) });
    }
  }

  /**
   * Renews the leases. A lease that is over is renewed all the same: until another worker has taken the attempt, it belongs to this one.
   * The agent is killed when its attempt was taken, or when the store stays unreachable, so that another worker may have taken it.
   */
  async renew(): Promise<void> {
    const { clock, dispatch, log } = this.#ports;
    const { worker, leaseMs } = this.#options;
    const ids = [...this.#attempts.keys()];
    try {
      const held = new Set(ids.length === 0 ? [] : await dispatch.renew(worker, ids, deadlineIn(clock, leaseMs)));
      this.#renewedAt = clock.steady();
      for (const id of ids) if (!held.has(id)) this.stop(id, "its lease was taken away");
    } catch (error) {
      log("lease.not_renewed", { why: errorText(error) });
      const failingMs = clock.steady() - this.#renewedAt;
      if (failingMs > unreachableLeases * leaseMs) this.stopAll(`the store could not be reached: ${errorText(error)}`);
    }
  }
}
