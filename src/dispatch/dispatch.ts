// Dispatch. Owns: how a ready step reaches whoever performs it, and how a dead machine is noticed (dispatch.contract.ts).
// It never decides: a lost attempt is a report like any other, and the engine answers it.

import type { AttemptId, RunId, StepId, StoryId } from "../domain/ids.ts";
import type { Changes, Transaction } from "../store/store.ts";

export interface Dispatch {
  /** Part of every commit: offers what became ready, withdraws what is not any more, lets go of what ended. */
  follow(tx: Transaction, changes: Changes): Promise<void>;
  /** Ready steps that may be taken now, the oldest run first. */
  offers(at: Pick<Transaction, "db">, wanted: Wanted): Promise<readonly Offer[]>;
  /** Part of the commit that starts an attempt. */
  lease(tx: Transaction, lease: Lease): Promise<void>;
  /** Puts the end of these leases off; returns those that are still held. Whoever misses one must kill its agent. */
  renew(worker: string, attempts: readonly AttemptId[], until: number): Promise<readonly AttemptId[]>;
  /** Somebody goes on with what a dead worker left; false when somebody else was faster. */
  takeOver(lease: Lease, worker: string, until: number): Promise<boolean>;
  /** Leases that ended, or all of them: those whose worker may be dead. */
  leases(filter: { readonly endedBefore: number | null }): Promise<readonly Lease[]>;
  /** When the next step of these runs becomes ready by time alone; null when none waits. */
  nextTime(run: RunId | null, after: number): Promise<number | null>;
}

export interface Wanted {
  readonly run: RunId | null;
  /** `<workflow>/<agent>`; null: any step, with or without an agent. */
  readonly agent: string | null;
  readonly now: number;
  readonly limit: number;
}

export interface Offer {
  readonly run: RunId;
  readonly story: StoryId | null;
  readonly step: StepId;
  readonly agent: string;
}

export interface Lease {
  readonly attempt: AttemptId;
  readonly run: RunId;
  readonly story: StoryId | null;
  /** Who performs it: opaque here. */
  readonly worker: string;
  readonly until: number;
}
