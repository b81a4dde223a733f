// The port of the store; store.contract.ts has the promises of every implementation. All durable state is in the store.

import type { ApiToken, Role } from "../domain/api-token.ts";
import type { Accepted, Decision } from "../domain/decision.ts";
import type { Effect } from "../domain/effect.ts";
import type { Event } from "../domain/event.ts";
import type { AttemptId, GateId, RunId, StoryId } from "../domain/ids.ts";
import type { BrowserSubscription, MostSubscriptions, PutSubscription } from "../domain/push-subscription.ts";
import type { Header, Run, RunStatus } from "../domain/run.ts";
import type { StorySpec } from "../domain/story.ts";
import type { Deadline } from "../system/clock.ts";
import type { NewApiToken, NewSignInCode, StartKey } from "./callers.ts";
import type {
  DriverLease,
  Hold,
  Lease,
  NewOffer,
  Offer,
  OfferedStep,
  OfferFilter,
  PermitLimit,
  PermitWaiter,
  WaitingFigures,
} from "./claims.ts";
import type { FailedClosing, StoredDelivery, StoredEffect } from "./effects.ts";
import type { FiguresLimits, WorkflowFigures } from "./figures.ts";
import type {
  AttemptRef,
  GateRef,
  KnownPlaces,
  LocatedRun,
  PlaceFilter,
  RunChange,
  RunFilter,
  RunOutline,
  RunSummary,
  StoredEvent,
} from "./run-views.ts";
import type { StoredSchedule, TickRecord } from "./schedules.ts";
import type { Backup, CopyRequest, StoreCheck, StoreCopy, StoreProgress } from "./whole-store.ts";

export type * from "./callers.ts";
export type * from "./claims.ts";
export type * from "./effects.ts";
export type * from "./figures.ts";
export type * from "./machines.ts";
export type * from "./run-views.ts";
export type * from "./schedules.ts";
export type * from "./whole-store.ts";

export interface Store {
  /** One write transaction. It waits for other writers without blocking the process; `work` may be called more than once. */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;

  runById(id: RunId): Promise<RunSummary | null>;
  runByNumber(number: number): Promise<RunSummary | null>;
  /** At most `limit` runs whose id has this prefix. */
  runsByPrefix(prefix: string, limit: number): Promise<readonly RunSummary[]>;
  /** Newest first. */
  listRuns(filter: RunFilter): Promise<readonly RunSummary[]>;
  /** How many runs have each status; one that none has is left out. */
  runCounts(): Promise<ReadonlyMap<RunStatus, number>>;
  /** What the runs of a workflow came to; of its steps in the newest runs alone. */
  figures(workflow: string, limits: FiguresLimits): Promise<WorkflowFigures>;
  /** What a list says of these runs beside their summaries. */
  outlines(runs: readonly Pick<RunSummary, "id" | "status">[]): Promise<ReadonlyMap<RunId, RunOutline>>;
  /** Newest first. */
  runsAt(place: PlaceFilter): Promise<readonly LocatedRun[]>;
  /** The repositories and the shared folders of all runs, those of the newest runs first. */
  places(): Promise<KnownPlaces>;
  /** The run with every story. For reading only; a transition uses `load`. */
  wholeRun(id: RunId): Promise<Run | null>;
  storySpecs(run: RunId): Promise<readonly StorySpec[]>;
  storySpec(run: RunId, story: StoryId): Promise<StorySpec | null>;
  attempt(id: AttemptId): Promise<AttemptRef | null>;
  /** For reading only; a transition uses the method of its transaction. */
  holds(): Promise<readonly Hold[]>;
  openGates(run: RunId | null): Promise<readonly GateRef[]>;
  gate(id: GateId): Promise<GateRef | null>;
  /** The attempts that hold permits of this key. */
  permitHolders(key: string): Promise<readonly AttemptRef[]>;
  /** The log in order, starting after `seq`. */
  events(run: RunId, after: number, limit: number): Promise<readonly StoredEvent[]>;
  /** The events of a type that were recorded at exactly this time, in order. */
  eventsAt(run: RunId, type: Event["type"], at: number): Promise<readonly StoredEvent[]>;
  /** The number of the last event of a run; 0: there is none. */
  lastSeq(run: RunId): Promise<number>;
  /** Runs that changed after this position, each once, in the order of their last changes. */
  changedRuns(after: number, limit: number): Promise<readonly RunChange[]>;
  /** The position of the last change of any run; positions only grow. */
  lastPosition(): Promise<number>;
  /** Whether the schema is the one that this version knows; a newer Pawl may have migrated the store since it was opened. */
  isCurrent(): Promise<boolean>;

  /** For reading only; a claim uses the method of its transaction. */
  offers(filter: OfferFilter): Promise<readonly Offer[]>;
  /** The earliest time after `after` at which an offer of these runs becomes due; null if there is none. Ignores paused runs. */
  nextOfferTime(run: RunId | null, after: number): Promise<number | null>;
  /** How many ready steps can be claimed at this time, and how many later, without those of paused runs. */
  waiting(now: number): Promise<WaitingFigures>;
  /** The process that drives each run. */
  drivers(): Promise<readonly DriverLease[]>;
  /** Leases that expired before this time of day, or all of them; longest expired first. */
  leases(filter: { readonly endedBefore: number | null }): Promise<readonly Lease[]>;

  /** The first due effect of each lane. Deliveries are separate, since hundreds of them may wait for one receiver. */
  dueEffects(now: number, limit: number): Promise<readonly StoredEffect[]>;
  /** The first due delivery of each lane, except those to certain targets. */
  dueDeliveries(now: number, limit: number, except: readonly string[]): Promise<readonly StoredDelivery[]>;
  /** Whether any effect or delivery is due. */
  hasDueEffects(now: number): Promise<boolean>;
  /** Takes an effect until this time; false if another process has it. `holder`: the worker that takes it, opaque here. */
  takeEffect(effect: StoredEffect, until: number, holder?: string): Promise<boolean>;
  /** The workers that hold effects which are not due. */
  effectHolders(now: number): Promise<readonly string[]>;
  /** Makes everything due that this worker holds: it is dead. */
  releaseEffectsOf(holder: string, now: number): Promise<void>;
  /** Postpones a taken effect to this time. Changes nothing if another process has taken it since. `why`: what went wrong. */
  postponeEffect(taken: StoredEffect, until: number, why?: string): Promise<void>;
  /** Runs that could not be closed, of one run or of all, oldest first. */
  failedClosings(run: RunId | null): Promise<readonly FailedClosing[]>;
  effectDone(id: number): Promise<void>;
  /** Replaces an effect by others in one transaction. Changes nothing if the effect is already done. */
  replaceEffect(id: number, others: readonly Effect[], at: number): Promise<void>;

  /** Ends a delivery whose message can be marked later: it is marked when the question of this gate ends, or now if it has. */
  messageArrived(delivery: StoredDelivery, gate: GateId, receipt: string, at: number): Promise<void>;

  /** Adds a browser, or replaces the one with its id. False: there are `most` others already. */
  putSubscription(subscription: BrowserSubscription, most: MostSubscriptions): Promise<PutSubscription>;
  /** Oldest first. */
  subscriptions(): Promise<readonly BrowserSubscription[]>;
  /** False: there is none. */
  removeSubscription(id: string): Promise<boolean>;

  /** False: the name is taken. */
  addToken(token: NewApiToken): Promise<boolean>;
  /** Oldest first. */
  tokens(): Promise<readonly ApiToken[]>;
  tokenByHash(hash: string): Promise<ApiToken | null>;
  tokenUsed(name: string, at: number): Promise<void>;
  /** False: there is none. */
  removeToken(name: string): Promise<boolean>;
  /** Forgets the codes that have expired by now. */
  addSignInCode(code: NewSignInCode, now: number): Promise<void>;
  /** Uses a code and adds the token, both or neither; the role of both, or null: the code is wrong, used or expired. */
  signIn(codeHash: string, token: Omit<NewApiToken, "role">): Promise<Role | null>;
  /** What is kept under the key of its author: this entry, or an earlier one. */
  keepStartKey(entry: StartKey): Promise<StartKey>;
  forgetStartKey(entry: StartKey): Promise<void>;
  /** For reading only; a change uses the method of its transaction. */
  schedules(): Promise<readonly StoredSchedule[]>;
  /** What became of the ticks of a schedule, the newest record first. */
  ticks(schedule: string, limit: number): Promise<readonly TickRecord[]>;

  /** Deletes a run that is over, with its events; its number is not given again. */
  removeRun(run: RunId): Promise<void>;
  /** Copies everything that is committed into a new file, while other processes read and write. */
  backup(file: string): Promise<Backup>;
  /** Replays the log of every run and compares it with its rows, in one snapshot. */
  check(onProgress: (progress: StoreProgress) => void): Promise<StoreCheck>;
  /**
   * Copies everything that is committed into an empty store, of this kind or another, and proves it by replay. That store has all of it or
   * nothing. Throws `REFUSED` if that store is not empty, or if this one changes meanwhile.
   */
  copyTo(to: Store, request: CopyRequest): Promise<StoreCopy>;
  /** Calls back soon after another process commits. */
  watch(onChange: () => void): { close(): void };
  close(): Promise<void>;
}

export interface Transaction {
  /** For a queue whose tables are in the same database. Not for the tables of the store. */
  query(words: string, values: readonly unknown[]): Promise<readonly unknown[]>;
  nextRunNumber(): Promise<number>;
  /** Newest first. */
  runsAt(place: PlaceFilter): Promise<readonly LocatedRun[]>;
  create(number: number, decision: Accepted): Promise<Changes>;
  /** The header and the stories that `needed` names. */
  load(run: RunId, needed: (header: Header) => readonly StoryId[]): Promise<Loaded | null>;
  /** Writes events, rows and effects. Throws `VersionConflict` if another writer was faster. */
  save(loaded: Loaded, decision: Decision): Promise<Changes>;
  /** Takes all of them or none. Returns null, or the key that has no place for this attempt now. */
  takePermits(attempt: AttemptId, limits: readonly PermitLimit[], waiter?: PermitWaiter): Promise<string | null>;
  releasePermits(attempts: readonly AttemptId[]): Promise<void>;
  /** Due offers, oldest run first; within a run, the offer that has been due longest first. */
  offers(filter: OfferFilter): Promise<readonly Offer[]>;
  offer(offer: NewOffer): Promise<void>;
  withdraw(run: RunId, step: OfferedStep): Promise<void>;
  withdrawAll(run: RunId): Promise<void>;
  /** Offers of a paused run stay, but are not due. */
  pauseOffers(run: RunId, paused: boolean): Promise<void>;
  lease(lease: Lease): Promise<void>;
  endLease(attempt: AttemptId): Promise<void>;
  /** False if this worker no longer holds the lease. */
  renewLease(attempt: AttemptId, worker: string, until: Deadline): Promise<boolean>;
  /** Gives the lease to another worker; false if it has changed since it was read. */
  takeOverLease(seen: Lease, worker: string, until: Deadline): Promise<boolean>;
  /** The driver of a run; null: it has none. */
  driver(run: RunId): Promise<DriverLease | null>;
  /** Makes a worker the driver of a run, in place of any other. */
  setDriver(lease: DriverLease): Promise<void>;
  /** Changes nothing if another worker drives the run by now. */
  removeDriver(run: RunId, worker: string): Promise<void>;
  /** Every account that refused an agent and has accepted none since, including holds whose time is over. */
  holds(): Promise<readonly Hold[]>;
  hold(turned: Omit<Hold, "times">): Promise<void>;
  /** The account accepted an agent: removes the hold of that time, but no later one. Without a time, removes any hold. */
  release(account: string, since?: number): Promise<void>;
  /** By id. */
  schedules(): Promise<readonly StoredSchedule[]>;
  /** Adds a schedule, or replaces the one with this id. */
  putSchedule(schedule: StoredSchedule): Promise<void>;
  /** With what is recorded of its ticks. */
  removeSchedule(id: string): Promise<void>;
  /** Records what became of a tick; false: something is recorded of it already, and nothing changes. */
  recordTick(record: TickRecord): Promise<boolean>;
}

export interface Loaded {
  readonly run: Run;
  readonly number: number;
  /** The version of the header and of the entries of its stories. */
  readonly headerVersion: number;
  /** The version that last added or dropped stories. */
  readonly plannedVersion: number;
  readonly storyVersions: Readonly<Record<StoryId, number>>;
}

/** What a commit changed, for code that reacts to it in the same transaction. */
export interface Changes {
  readonly run: Run;
  readonly number: number;
  readonly readied: readonly ReadyStep[];
  /** Steps that were ready before and no longer are. */
  readonly unreadied: readonly ReadyStep[];
  readonly ended: readonly AttemptId[];
  /** null: neither paused nor resumed. */
  readonly paused: boolean | null;
  readonly effects: number;
}

export interface ReadyStep extends OfferedStep {
  readonly notBefore: number;
  /** How long it was to wait when it became ready; null: not known. */
  readonly pauseMs: number | null;
}

/** Another writer was faster, so the command must be decided again. `transaction` retries by itself. */
export class VersionConflict extends Error {
  constructor(what: string) {
    super(`${what} was changed by another writer`);
    this.name = "VersionConflict";
  }
}
