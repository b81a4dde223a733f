// The role of the driver: one process at a time drives a run. Others follow it, and one of them takes over when it is gone.

import type { DriverLease } from "../../dispatch/dispatch.ts";
import { errorText } from "../../domain/error.ts";
import type { RunId } from "../../domain/ids.ts";
import { type Deadline, deadlineIn, isPast } from "../../system/clock.ts";
import type { Parts } from "../parts.ts";
import { lifeOfWorker, ownWorker } from "../worker.ts";

type Ports = Pick<Parts, "dispatch" | "clock" | "log">;

export interface RoleOptions {
  readonly run: RunId;
  readonly worker: string;
  readonly leaseMs: number;
  readonly patience: Patience;
}

export class DriverRole {
  readonly #ports: Ports;
  readonly #options: RoleOptions;
  #isHeld = false;

  constructor(ports: Ports, options: RoleOptions) {
    this.#ports = ports;
    this.#options = options;
  }

  /** False when another process has taken it over. */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** Takes the role if it is free, or renews it; the driver that has it then. */
  async take(): Promise<DriverLease> {
    const { dispatch, clock } = this.#ports;
    const { run, worker, leaseMs, patience } = this.#options;
    const wanted = { run, worker, until: deadlineIn(clock, leaseMs) };
    const driver = await dispatch.drive(wanted, (other) => {
      const isReserved = other.worker === ownWorker();
      return isReserved || lifeOfWorker(other.worker) === "dead" || patience.isOver(run, other);
    });
    this.#isHeld = driver.worker === worker;
    return driver;
  }

  /** A role that cannot be given back ends with its lease, or with this process. */
  async leave(): Promise<void> {
    this.#isHeld = false;
    try {
      await this.#ports.dispatch.leave(this.#options.run, this.#options.worker);
    } catch (error) {
      this.#ports.log("driver.not_left", { run: this.#options.run, why: errorText(error) });
    }
  }
}

/**
 * Patience with workers that may be alive. A lease that is over is not enough to take their work: after the machine has slept, every
 * lease may be over, and its worker renews it as soon as it runs again. So the lease must have been seen over, and unchanged, for a while.
 */
export class Patience {
  readonly #clock: Pick<Parts, "clock">["clock"];
  readonly #waitMs: number;
  readonly #seen = new Map<string, { readonly lease: string; readonly since: number }>();

  constructor(clock: Pick<Parts, "clock">["clock"], waitMs: number) {
    this.#clock = clock;
    this.#waitMs = waitMs;
  }

  isOver(key: string, { worker, until }: { readonly worker: string; readonly until: Deadline }): boolean {
    if (!isPast(this.#clock, until)) {
      this.#seen.delete(key);
      return false;
    }
    const lease = `${until.at} ${worker}`;
    const now = this.#clock.steady();
    const before = this.#seen.get(key);
    if (before?.lease === lease) return now - before.since >= this.#waitMs;
    this.#seen.set(key, { lease, since: now });
    return false;
  }
}
