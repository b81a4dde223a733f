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
  /** Before the store is closed. */
  close(): Promise<void>;
}

export interface Attendance {
  close(): void;
}
