// The store. Owns: the promise that every implementation keeps (store.contract.ts). What lasts is here and nowhere else.

import type { Attempt } from "../domain/attempt.ts";
import type { Accepted, Decision } from "../domain/decision.ts";
import type { Effect } from "../domain/effect.ts";
import type { Event } from "../domain/event.ts";
import type { Gate } from "../domain/gate.ts";
import type { AttemptId, GateId, RunId, StepId, StoryId } from "../domain/ids.ts";
import type { Header, Run, RunStatus, RunTotals } from "../domain/run.ts";
import type { StorySpec } from "../domain/story.ts";

export interface Store {
  /** One write transaction. It waits for other writers without blocking the process; `work` may be called again. */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;

  runById(id: RunId): Promise<RunSummary | null>;
  runByNumber(number: number): Promise<RunSummary | null>;
  /** At most `limit` runs whose id begins so. */
  runsByPrefix(prefix: string, limit: number): Promise<readonly RunSummary[]>;
  /** Newest first. */
  listRuns(filter: RunFilter): Promise<readonly RunSummary[]>;
  /** The whole run, every story: for a caller that only looks, never for a transition. */
  wholeRun(id: RunId): Promise<Run | null>;
  storySpecs(run: RunId): Promise<readonly StorySpec[]>;
  storySpec(run: RunId, story: StoryId): Promise<StorySpec | null>;
  attempt(id: AttemptId): Promise<AttemptRef | null>;
  /** As a transaction sees them, for a caller that only looks. */
  holds(): Promise<readonly Hold[]>;
  openGates(run: RunId | null): Promise<readonly GateRef[]>;
  gate(id: GateId): Promise<GateRef | null>;
  /** The log in order, from after `seq`. */
  events(run: RunId, after: number, limit: number): Promise<readonly StoredEvent[]>;

  /** As in a transaction, for a caller that only looks. */
  offers(filter: OfferFilter): Promise<readonly Offer[]>;
  /** The earliest time after `after` at which an offer of these runs becomes due; null when there is none. Paused runs do not count. */
  nextOfferTime(run: RunId | null, after: number): Promise<number | null>;
  /** Leases that ended before that time, or all of them; the longest ended first. */
  leases(filter: { readonly endedBefore: number | null }): Promise<readonly Lease[]>;

  /** The first effect of each lane whose time has come; deliveries are apart, since hundreds of them may wait for one receiver. */
  dueEffects(now: number, limit: number): Promise<readonly StoredEffect[]>;
  /** The same of deliveries, except those to certain targets. */
  dueDeliveries(now: number, limit: number, except: readonly string[]): Promise<readonly StoredDelivery[]>;
  /** Takes an effect for a while; false when another process has it. */
  takeEffect(effect: StoredEffect, until: number): Promise<boolean>;
  /** Gives a taken effect back until then; changes nothing when another process has taken it since. */
  postponeEffect(taken: StoredEffect, until: number): Promise<void>;
  effectDone(id: number): Promise<void>;
  /** Puts others in its place, in one go; nothing happens when it is done already. */
  replaceEffect(id: number, others: readonly Effect[], at: number): Promise<void>;

  /** Calls back soon after another process has committed something. */
  watch(onChange: () => void): { close(): void };
  close(): Promise<void>;
}

export interface Transaction {
  nextRunNumber(): Promise<number>;
  create(number: number, decision: Accepted): Promise<Changes>;
  /** The header and the stories that `needed` names. */
  load(run: RunId, needed: (header: Header) => readonly StoryId[]): Promise<Loaded | null>;
  /** Events, rows and effects in one go. Throws `VersionConflict` when another writer was faster. */
  save(loaded: Loaded, decision: Decision): Promise<Changes>;
  takePermits(attempt: AttemptId, limits: readonly PermitLimit[]): Promise<boolean>;
  releasePermits(attempts: readonly AttemptId[]): Promise<void>;
  /** Due offers, the oldest run first; within a run, the one that has been due the longest. */
  offers(filter: OfferFilter): Promise<readonly Offer[]>;
  offer(offer: NewOffer): Promise<void>;
  withdraw(run: RunId, step: Pick<ReadyStep, "story" | "step">): Promise<void>;
  withdrawAll(run: RunId): Promise<void>;
  /** Offers of a paused run stay and are not due. */
  pauseOffers(run: RunId, paused: boolean): Promise<void>;
  lease(lease: Lease): Promise<void>;
  endLease(attempt: AttemptId): Promise<void>;
  /** False when this worker does not hold the lease any more. */
  renewLease(attempt: AttemptId, worker: string, until: number): Promise<boolean>;
  /** Gives the lease to another worker; false when it is not as it was seen. */
  takeOverLease(seen: Lease, worker: string, until: number): Promise<boolean>;
  /** Every account that was turned away and has not been let in since, those whose time is over included. */
  holds(): Promise<readonly Hold[]>;
  hold(turned: Omit<Hold, "times">): Promise<void>;
  /** It was let in again: the hold of that moment is over, and none that came since. Without a moment: whichever there is. */
  release(account: string, since?: number): Promise<void>;
}

/** An account that has refused an agent. `quota`: it is not asked before `until`. `auth`: others are asked first. */
export interface Hold {
  readonly account: string;
  readonly cause: "quota" | "auth";
  readonly since: number;
  readonly until: number;
  /** How often in a row. */
  readonly times: number;
  readonly why: string;
}

/** A ready step that a worker may claim. */
export interface Offer {
  readonly run: RunId;
  readonly story: StoryId | null;
  readonly step: StepId;
  /** `<workflow>/<agent>`; empty for a step that needs no agent. */
  readonly agent: string;
}

export interface NewOffer extends Offer {
  readonly runNumber: number;
  readonly notBefore: number;
  readonly paused: boolean;
}

export interface OfferFilter {
  readonly run: RunId | null;
  /** `<workflow>/<agent>`; null: any step, with or without an agent. */
  readonly agent: string | null;
  readonly now: number;
  readonly limit: number;
}

/** Which worker performs an attempt, and until when it must renew that. */
export interface Lease {
  readonly attempt: AttemptId;
  readonly run: RunId;
  readonly story: StoryId | null;
  /** Opaque here. */
  readonly worker: string;
  readonly until: number;
}

/** At most `limit` attempts at once may hold `key`. */
export interface PermitLimit {
  readonly key: string;
  readonly limit: number;
}

export interface Loaded {
  readonly run: Run;
  readonly number: number;
  /** Of the header and of the entries of its stories. */
  readonly headerVersion: number;
  /** The version that last brought stories or dropped some. */
  readonly plannedVersion: number;
  readonly storyVersions: Readonly<Record<StoryId, number>>;
}

/** What a commit changed, for code that acts on it in the same transaction. */
export interface Changes {
  readonly run: Run;
  readonly number: number;
  readonly readied: readonly ReadyStep[];
  /** Were ready before and are not any more. */
  readonly unreadied: readonly ReadyStep[];
  readonly ended: readonly AttemptId[];
  /** null: neither paused nor resumed. */
  readonly paused: boolean | null;
  readonly effects: number;
}

export interface ReadyStep {
  readonly story: StoryId | null;
  readonly step: StepId;
  readonly notBefore: number;
}

/** A second writer was faster: decide again. `transaction` does that by itself. */
export class VersionConflict extends Error {
  constructor(what: string) {
    super(`${what} was changed by another writer`);
    this.name = "VersionConflict";
  }
}

export interface RunFilter {
  readonly statuses: readonly RunStatus[] | null;
  readonly limit: number;
}

export interface RunSummary {
  readonly id: RunId;
  readonly number: number;
  readonly workflow: string;
  readonly task: string;
  readonly status: RunStatus;
  readonly repo: string | null;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly totals: RunTotals;
}

export interface AttemptRef {
  readonly run: RunId;
  readonly attempt: Attempt;
}

export interface GateRef {
  readonly run: RunId;
  readonly gate: Gate;
}

export interface StoredEvent {
  readonly seq: number;
  readonly schemaVersion: number;
  readonly event: Event;
}

export interface StoredEffect {
  readonly id: number;
  /** How often it was taken. */
  readonly tries: number;
  readonly effect: Effect;
}

export interface StoredDelivery extends StoredEffect {
  readonly effect: Extract<Effect, { readonly type: "deliver" }>;
}
