// The store. Owns: the promise that every implementation keeps (store.contract.ts). What lasts is here and nowhere else.

import type { Kysely } from "kysely";
import type { Attempt } from "../domain/attempt.ts";
import type { Accepted, Decision } from "../domain/decision.ts";
import type { Effect } from "../domain/effect.ts";
import type { Event } from "../domain/event.ts";
import type { Gate } from "../domain/gate.ts";
import type { AttemptId, GateId, RunId, StepId, StoryId } from "../domain/ids.ts";
import type { Header, Run, RunStatus, RunTotals } from "../domain/run.ts";
import type { StorySpec } from "../domain/story.ts";
import type { Tables } from "./schema.ts";

export interface Store {
  /** One write transaction. It waits for other writers without blocking the process; `work` may be called again. */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;

  /** A query of another capability that keeps rows in the same database. */
  read<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T>;

  runById(id: RunId): Promise<RunSummary | null>;
  runByNumber(number: number): Promise<RunSummary | null>;
  /** At most `limit` runs whose id begins so. */
  runsByPrefix(prefix: string, limit: number): Promise<readonly RunSummary[]>;
  /** Newest first. */
  listRuns(filter: RunFilter): Promise<readonly RunSummary[]>;
  /** The whole run, every story: for people who look, never for a transition. */
  wholeRun(id: RunId): Promise<Run | null>;
  storySpecs(run: RunId): Promise<readonly StorySpec[]>;
  storySpec(run: RunId, story: StoryId): Promise<StorySpec | null>;
  attempt(id: AttemptId): Promise<AttemptRef | null>;
  /** As a transaction sees them, for whoever only looks. */
  holds(): Promise<readonly Hold[]>;
  openGates(run: RunId | null): Promise<readonly GateRef[]>;
  gate(id: GateId): Promise<GateRef | null>;
  /** The log in order, from after `seq`. */
  events(run: RunId, after: number, limit: number): Promise<readonly StoredEvent[]>;

  /** The first effect of each lane whose time has come; deliveries are apart, since hundreds of them may wait for one receiver. */
  dueEffects(now: number, limit: number): Promise<readonly StoredEffect[]>;
  /** The same of deliveries, except those to certain targets. */
  dueDeliveries(now: number, limit: number, except: readonly string[]): Promise<readonly StoredDelivery[]>;
  /** Takes an effect for a while; false when somebody else has it. */
  takeEffect(effect: StoredEffect, until: number): Promise<boolean>;
  /** Whoever took it gives it back until then; nothing happens when somebody else has taken it since. */
  postponeEffect(taken: StoredEffect, until: number): Promise<void>;
  effectDone(id: number): Promise<void>;
  /** Puts others in its place, in one go; nothing happens when it is done already. */
  replaceEffect(id: number, others: readonly Effect[], at: number): Promise<void>;

  /** Calls back soon after another process has committed something. */
  watch(onChange: () => void): { close(): void };
  close(): Promise<void>;
}

export interface Transaction {
  /** For capabilities that keep rows of their own in the same commit (dispatch). */
  readonly db: Kysely<Tables>;
  nextRunNumber(): Promise<number>;
  create(number: number, decision: Accepted): Promise<Changes>;
  /** The header and the stories that `needed` names. */
  load(run: RunId, needed: (header: Header) => readonly StoryId[]): Promise<Loaded | null>;
  /** Events, rows and effects in one go. Throws `VersionConflict` when somebody else was faster. */
  save(loaded: Loaded, decision: Decision): Promise<Changes>;
  takePermits(attempt: AttemptId, limits: readonly PermitLimit[]): Promise<boolean>;
  releasePermits(attempts: readonly AttemptId[]): Promise<void>;
  /** Every account that was turned away and has not been let in since, those whose time is over included. */
  holds(): Promise<readonly Hold[]>;
  hold(turned: Omit<Hold, "times">): Promise<void>;
  /** It was let in again: the hold of that moment is over, and none that came since. Without a moment: whichever there is. */
  release(account: string, since?: number): Promise<void>;
}

/** An account that has turned an agent away. `quota`: nobody asks it before `until`. `auth`: others are asked first. */
export interface Hold {
  readonly account: string;
  readonly cause: "quota" | "auth";
  readonly since: number;
  readonly until: number;
  /** How often in a row. */
  readonly times: number;
  readonly why: string;
}

/** At most `limit` attempts at once may hold `key`. */
export interface PermitLimit {
  readonly key: string;
  readonly limit: number;
}

export interface Loaded {
  readonly run: Run;
  readonly number: number;
  readonly headerVersion: number;
  readonly storyVersions: Readonly<Record<StoryId, number>>;
}

/** What a commit changed, for those who act on it in the same transaction. */
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
    super(`${what} was changed by somebody else`);
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
