// The port that hands ready steps to workers and detects dead workers; dispatch.contract.ts has its promises. It decides
// nothing: a lost attempt is reported to the engine like any other result.

import type { AttemptId, RunId } from "../domain/ids.ts";
import type { Changes, DriverLease, Lease, Offer, OfferFilter, Store, Transaction } from "../store/store.ts";
import type { Deadline } from "../system/clock.ts";

export type { DriverLease, Lease, Offer };

export interface Dispatch {
  /** Part of every commit: offers new ready steps, withdraws old ones, and ends the leases of ended attempts. */
  follow(tx: Transaction, changes: Changes): Promise<void>;
  /** Ready steps that can be claimed now, oldest run first. `within`: the transaction that claims one, or the store. */
  offers(within: Transaction | Store, filter: OfferFilter): Promise<readonly Offer[]>;
  /**
   * Part of the commit that starts an attempt, before `follow`. `offer`: what it was claimed from, if its worker gives signs of life; an
   * agent that pulls gives none, and another program may work for days.
   */
  lease(tx: Transaction, lease: Lease, offer?: Offer): Promise<void>;
  /** Renews these leases; returns those still held. A worker must kill the agent of a lease that is missing from the result. */
  renew(worker: string, attempts: readonly AttemptId[], until: Deadline): Promise<readonly AttemptId[]>;
  /** Takes over the lease of a dead worker; false if another worker was faster. */
  takeOver(lease: Lease, worker: string, until: Deadline): Promise<boolean>;
  /** Which process drives each run. */
  drivers(): Promise<readonly DriverLease[]>;
  /** Makes a worker the driver of a run if `mayReplace` says so of the one that is there; returns the driver that it has then. */
  drive(wanted: DriverLease, mayReplace: (driver: DriverLease) => boolean): Promise<DriverLease>;
  /** The worker drives the run no more. */
  leave(run: RunId, worker: string): Promise<void>;
  /** Expired leases, whose workers may be dead; with null, all leases. */
  leases(filter: { readonly endedBefore: number | null }): Promise<readonly Lease[]>;
  /** When the next step of these runs becomes ready by time alone; null if no step waits for a time. */
  nextTime(run: RunId | null, after: number): Promise<number | null>;
  /** While it is open, this process takes part in looking for dead workers. */
  attend(): Promise<Attendance>;
  /** For people: how much waits and is performed at this time, and of whom was heard. */
  overview(now: number): Promise<Overview>;
  /** Before the store is closed. */
  close(): Promise<void>;
}

export interface Attendance {
  close(): void;
}

export interface Overview {
  /** At least one. */
  readonly queues: readonly QueueFigures[];
  /** When the worker of an attempt was last heard of, where that is recorded apart from its lease. */
  readonly heardAt: ReadonlyMap<AttemptId, number>;
}

export interface QueueFigures {
  /** null: ready steps are rows of the store, and in no queue. */
  readonly queue: string | null;
  /** Ready steps that can be claimed, without those of paused runs. */
  readonly waiting: number;
  /** Ready steps whose time has not come. */
  readonly deferred: number;
  /** Attempts whose lease holds. */
  readonly active: readonly AttemptId[];
  /** Attempts whose lease is over, and whose steps nobody has taken over yet. */
  readonly lost: readonly AttemptId[];
  /** What was in the queue within the last day, counted up to `mostEnded`. null: nothing is kept of it. */
  readonly ended: number | null;
  /** Since when the one of those that wait has waited that waits longest. */
  readonly waitingSince: number | null;
}

export const mostEnded = 10_000;
