// What workers share out among themselves: ready steps as offers, attempts and runs as leases, places at what has few as permits, and
// accounts that refuse.

import type { AttemptId, PartName, RunId, StepId, StoryId } from "../domain/ids.ts";
import type { Deadline } from "../system/clock.ts";

/** A ready step, or one part of a step. */
export interface OfferedStep {
  readonly story: StoryId | null;
  readonly step: StepId;
  /** null: the whole step. */
  readonly part: PartName | null;
}

/** A ready step that a worker may claim. */
export interface Offer extends OfferedStep {
  readonly run: RunId;
  /** `<workflow>/<agent>`; empty for a step that needs no agent. */
  readonly agent: string;
}

export interface NewOffer extends Offer {
  readonly runNumber: number;
  readonly notBefore: number;
  /** How long it was to wait when it became ready; null: not known. */
  readonly pauseMs: number | null;
  readonly paused: boolean;
}

export interface OfferFilter {
  readonly run: RunId | null;
  /** `<workflow>/<agent>`; null: any step, with or without an agent. */
  readonly agent: string | null;
  readonly now: number;
  readonly limit: number;
}

export interface WaitingFigures {
  readonly due: number;
  readonly later: number;
  /** Since when the first of those that are due is; null: none is. */
  readonly dueSince: number | null;
}

/** Which worker performs an attempt, and by when it must renew the lease. */
export interface Lease {
  readonly attempt: AttemptId;
  readonly run: RunId;
  readonly story: StoryId | null;
  /** Opaque here. */
  readonly worker: string;
  readonly until: Deadline;
}

/** Which worker drives a run, and by when it must renew that. */
export interface DriverLease {
  readonly run: RunId;
  readonly worker: string;
  readonly until: Deadline;
}

/** At most `limit` attempts at once may hold `key`. */
export interface PermitLimit {
  readonly key: string;
  readonly limit: number;
  /** Attempts that wait for it stand in line. Absent: a free place goes to any worker that asks. */
  readonly inLine?: boolean;
}

/** The ready step that a worker wants permits for. */
export interface PermitWaiter {
  readonly run: RunId;
  readonly story: StoryId | null;
  readonly step: StepId;
  /** When the step became ready: the oldest is served first. */
  readonly since: number;
  readonly now: number;
}

/** An account that refused an agent. `quota`: it is not used before `until`. `auth`: other accounts are tried first. */
export interface Hold {
  readonly account: string;
  readonly cause: "quota" | "auth";
  readonly since: number;
  readonly until: number;
  /** The number of refusals in a row. */
  readonly times: number;
  readonly why: string;
}
