// The port of the store; store.contract.ts has the promises of every implementation. All durable state is in the store.

import type { ApiToken, Role } from "../domain/api-token.ts";
import type { Attempt } from "../domain/attempt.ts";
import type { Accepted, Decision } from "../domain/decision.ts";
import type { Effect } from "../domain/effect.ts";
import type { Event } from "../domain/event.ts";
import type { Gate } from "../domain/gate.ts";
import type { AttemptId, GateId, PartName, RunId, StepId, StoryId } from "../domain/ids.ts";
import type { BrowserSubscription, MostSubscriptions, PutSubscription } from "../domain/push-subscription.ts";
import type { Header, Run, RunStatus, RunTotals } from "../domain/run.ts";
import type { Schedule, TickOutcome } from "../domain/schedule.ts";
import type { StepStatus } from "../domain/step.ts";
import type { StorySpec } from "../domain/story.ts";
import type { Deadline } from "../system/clock.ts";

export type { HandOver, LogPart, Machine, Machines, TreeOf } from "./machines.ts";
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

export interface NewApiToken extends Omit<ApiToken, "usedAt"> {
  /** SHA-256 of its secret. */
  readonly hash: string;
}

/** A code with which a browser signs in, once. */
export interface NewSignInCode {
  /** SHA-256 of the code. */
  readonly hash: string;
  readonly role: Role;
  readonly expiresAt: number;
}

/** A key under which a caller started a run, so that the same request again starts no second one. */
export interface StartKey {
  readonly author: string;
  readonly key: string;
  /** SHA-256 of what was asked for. */
  readonly request: string;
  /** The id that the run has, or will have. */
  readonly run: RunId;
  readonly createdAt: number;
}

export interface Backup {
  readonly file: string;
  readonly bytes: number;
  readonly runs: number;
}

/** How far long work on a store is. */
export interface StoreProgress {
  /** A sentence without its end: `checking runs`. */
  readonly stage: string;
  readonly done: number;
  readonly of: number;
}

export interface StoreCheck {
  readonly runs: number;
  readonly events: number;
  readonly problems: readonly StoreProblem[];
}

export interface StoreProblem {
  /** null: of the database itself. */
  readonly run: { readonly id: RunId; readonly number: number } | null;
  /** `header.chain[2].state.status`, `event 7`, `offers`. */
  readonly field: string;
  readonly what: string;
}

/** The workers that a store knows of. */
export interface StoreWorkers {
  readonly drivers: readonly DriverLease[];
  readonly leases: readonly Lease[];
  /** The workers that perform effects. */
  readonly holders: readonly string[];
}

export interface CopyRequest {
  /** The names of both stores, for people. */
  readonly from: string;
  readonly to: string;
  readonly now: number;
  /** Throws if one of them may still be at work. Called before the copy and after it. */
  readonly assertIdle: (workers: StoreWorkers) => void;
  readonly onProgress: (progress: StoreProgress) => void;
}

export interface StoreCopy {
  readonly runs: number;
  readonly events: number;
  /** The same in both stores. */
  readonly tables: readonly { readonly name: string; readonly rows: number; readonly digest: string }[];
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

/** A workflow that the service starts at certain times in a repository. */
export interface StoredSchedule {
  readonly id: string;
  /** The id of the workflow. */
  readonly workflow: string;
  readonly repo: string;
  /** null: as configured. */
  readonly executor: string | null;
  /** What the workflow file said when it was last read. */
  readonly spec: Schedule;
  readonly paused: boolean;
  /** It is known what became of all ticks up to this time. */
  readonly settled: number;
  /** The run that it started last; null: none, or that run was removed. */
  readonly run: ScheduledRun | null;
  readonly addedAt: number;
}

export interface ScheduledRun {
  readonly id: RunId;
  readonly number: number;
  readonly status: RunStatus;
}

export interface TickRecord {
  readonly schedule: string;
  readonly tick: number;
  /** When it was recorded. */
  readonly at: number;
  readonly outcome: TickOutcome;
  /** The person who asked for a run; null: it was due. */
  readonly askedBy: string | null;
  readonly run: { readonly id: RunId; readonly number: number } | null;
  /** How many ticks before it were seen too late. */
  readonly missed: number;
  /** Empty where there is nothing to explain. */
  readonly why: string;
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

export interface WaitingFigures {
  readonly due: number;
  readonly later: number;
  /** Since when the first of those that are due is; null: none is. */
  readonly dueSince: number | null;
}

export interface OfferFilter {
  readonly run: RunId | null;
  /** `<workflow>/<agent>`; null: any step, with or without an agent. */
  readonly agent: string | null;
  readonly now: number;
  readonly limit: number;
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

export interface RunFilter {
  readonly statuses: readonly RunStatus[] | null;
  readonly limit: number;
  /** Only runs with a smaller number: those that follow it in the list, also when new runs have come since. */
  readonly before?: number;
  /** Only runs with these words in their task or the name of their workflow, whatever the case, or with this number. */
  readonly search?: string;
}

/** Runs with their files in this shared folder, or with their stories from this file; null: none. */
export interface PlaceFilter {
  readonly shared: string | null;
  readonly source: string | null;
}

export interface KnownPlaces {
  readonly repos: readonly string[];
  readonly shared: readonly string[];
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

export interface RunOutline {
  /** The step that it is at, or that failed; null: all are over. */
  readonly step: { readonly id: StepId; readonly name: string; readonly status: StepStatus } | null;
  /** The cap of money; null: the run is done, and no cap counts any more. */
  readonly capUsd: number | null;
  /** Why it ended; empty: it has not, or nothing is to be said. */
  readonly reason: string;
  readonly stories: StoryCounts;
}

/** Attempts of the newest runs are counted, so that the answer takes a bounded time. */
export interface FiguresLimits {
  readonly mostRuns: number;
  readonly mostAttempts: number;
}

export interface WorkflowFigures {
  /** A status that no run has is left out. */
  readonly runs: ReadonlyMap<RunStatus, number>;
  /** Of how many runs the steps are counted: the newest ones that have attempts, the last of them perhaps in part. */
  readonly counted: number;
  /** In the order in which they first began. */
  readonly steps: readonly StepFigures[];
}

/** What the attempts of one step came to, over several runs. */
export interface StepFigures {
  /** Its name in the workflow. */
  readonly step: string;
  readonly attempts: number;
  readonly ended: number;
  /** They completed and did not reject. */
  readonly passed: number;
  readonly rejected: number;
  /** They did not complete. */
  readonly failed: number;
  /** Of the attempts that have ended; null: none has. */
  readonly medianMs: number | null;
  readonly costUsd: number;
  readonly estimatedUsd: number;
  /** The part of the cost that went into attempts which did not pass. */
  readonly lostUsd: number;
  /** Attempts whose agents did not say what they used. */
  readonly unreported: number;
}

export interface StoryCounts {
  readonly total: number;
  readonly done: number;
  readonly running: number;
  readonly failed: number;
}

/** A run as it is now, and where its last change is among those of all runs. */
export interface RunChange {
  readonly position: number;
  /** The number of its last event. */
  readonly seq: number;
  readonly run: RunSummary;
}

export interface LocatedRun extends RunSummary, PlaceFilter {}

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
  /** How often it has been taken. */
  readonly tries: number;
  readonly effect: Effect;
}

export interface FailedClosing {
  readonly run: RunId;
  readonly why: string;
  readonly tries: number;
}

export interface StoredDelivery extends StoredEffect {
  readonly effect: Extract<Effect, { readonly type: "deliver" }>;
}
