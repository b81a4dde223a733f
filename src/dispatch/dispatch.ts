// Dispatch. Owns: how ready steps reach workers, and how dead workers are detected (dispatch.contract.ts). It never decides: a
// lost attempt is a report like any other, and the engine answers it.

import type { AttemptId, RunId } from "../domain/ids.ts";
import type { Changes, Lease, Offer, OfferFilter, Store, Transaction } from "../store/store.ts";

export type { Lease, Offer };

export interface Dispatch {
  /** Part of every commit: offers what became ready, withdraws what is not any more, ends the leases of attempts that ended. */
  follow(tx: Transaction, changes: Changes): Promise<void>;
  /** Ready steps that may be claimed now, the oldest run first. `within` the transaction that claims one, or the store. */
  offers(within: Transaction | Store, filter: OfferFilter): Promise<readonly Offer[]>;
  /** Part of the commit that starts an attempt. */
  lease(tx: Transaction, lease: Lease): Promise<void>;
  /** Puts off the end of these leases; returns those that are still held. A worker that misses one must kill its agent. */
  renew(worker: string, attempts: readonly AttemptId[], until: number): Promise<readonly AttemptId[]>;
  /** Continues what a dead worker left; false when another worker was faster. */
  takeOver(lease: Lease, worker: string, until: number): Promise<boolean>;
  /** Leases that ended, whose worker may be dead; or all of them. */
  leases(filter: { readonly endedBefore: number | null }): Promise<readonly Lease[]>;
  /** When the next step of these runs becomes ready by time alone; null when none waits. */
  nextTime(run: RunId | null, after: number): Promise<number | null>;
}
