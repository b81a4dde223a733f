// Implements the store with Kysely for every dialect. What differs between dialects is a `Database`; the queries are in tables/.

import type { ApiToken, Role } from "../domain/api-token.ts";
import type { Effect } from "../domain/effect.ts";
import type { Event } from "../domain/event.ts";
import type { AttemptId, GateId, RunId, StoryId } from "../domain/ids.ts";
import type { BrowserSubscription, MostSubscriptions, PutSubscription } from "../domain/push-subscription.ts";
import type { Run, RunStatus } from "../domain/run.ts";
import type { StorySpec } from "../domain/story.ts";
import type { Database } from "./database.ts";
import { StoreMemory } from "./memory.ts";
import { hasCurrentSchema } from "./migrate.ts";
import type {
  AttemptRef,
  Backup,
  CopyRequest,
  DriverLease,
  FailedClosing,
  FiguresLimits,
  GateRef,
  Hold,
  KnownPlaces,
  Lease,
  LocatedRun,
  NewApiToken,
  NewSignInCode,
  Offer,
  OfferFilter,
  PlaceFilter,
  RunChange,
  RunFilter,
  RunOutline,
  RunSummary,
  StartKey,
  Store,
  StoreCheck,
  StoreCopy,
  StoredDelivery,
  StoredEffect,
  StoredEvent,
  StoredSchedule,
  StoreProgress,
  TickRecord,
  Transaction,
  WaitingFigures,
  WorkflowFigures,
} from "./store.ts";
import { selectAttempt } from "./tables/attempts.ts";
import { selectChangedRuns, selectLastSeq } from "./tables/changed-runs.ts";
import type { DefinitionCache } from "./tables/definitions.ts";
import { selectDrivers } from "./tables/drivers.ts";
import { selectEvents, selectEventsAt } from "./tables/events.ts";
import { selectFigures } from "./tables/figures.ts";
import { selectGate, selectOpenGates } from "./tables/gates.ts";
import { selectHolds } from "./tables/holds.ts";
import { selectLeases } from "./tables/leases.ts";
import { selectNextOfferTime, selectOffers, selectWaiting } from "./tables/offers.ts";
import {
  deleteEffect,
  hasDueEffects,
  insertEffect,
  postponeEffect,
  releaseEffectsOf,
  selectDueDeliveries,
  selectDueEffects,
  selectFailedClosings,
  selectHolders,
  takeEffect,
} from "./tables/outbox.ts";
import { KnownOutlines } from "./tables/outlines.ts";
import { selectPermitHolders } from "./tables/permits.ts";
import { selectPlaces } from "./tables/places.ts";
import { selectLastPosition } from "./tables/positions.ts";
import { deleteSubscription, selectSubscriptions, upsertSubscription } from "./tables/push-subscriptions.ts";
import {
  countRuns,
  deleteRun,
  selectRunsAt,
  selectSummaries,
  selectSummariesByPrefix,
  selectSummary,
  selectSummaryByNumber,
} from "./tables/runs.ts";
import { selectSchedules, selectTicks } from "./tables/schedules.ts";
import { keepSent } from "./tables/sent-messages.ts";
import { insertSignInCode, takeSignInCode } from "./tables/sign-in-codes.ts";
import { deleteStartKey, keepStartKey } from "./tables/start-keys.ts";
import { selectSpec, selectSpecs } from "./tables/stories.ts";
import { deleteToken, insertToken, selectTokenByHash, selectTokens, updateTokenUse } from "./tables/tokens.ts";
import { KyselyTransaction } from "./transaction.ts";

export type { Database } from "./database.ts";

export class KyselyStore implements Store {
  readonly #database: Database;
  readonly #definitions: DefinitionCache = new Map();
  readonly #memory = new StoreMemory();
  readonly #outlines = new KnownOutlines();

  constructor(database: Database) {
    this.#database = database;
  }

  async transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    // A new one for each try, so that what a rolled-back try has seen is forgotten.
    const { result, seen } = await this.#database.write(async (db) => {
      const seen = this.#memory.begin();
      return { result: await work(new KyselyTransaction(db, this.#definitions, seen)), seen };
    });
    this.#memory.learn(seen);
    return result;
  }

  async runById(id: RunId): Promise<RunSummary | null> {
    return await this.#database.read((db) => selectSummary(db, id));
  }

  async runByNumber(number: number): Promise<RunSummary | null> {
    return await this.#database.read((db) => selectSummaryByNumber(db, number));
  }

  async runsByPrefix(prefix: string, limit: number): Promise<readonly RunSummary[]> {
    return await this.#database.read((db) => selectSummariesByPrefix(db, prefix, limit));
  }

  async listRuns(filter: RunFilter): Promise<readonly RunSummary[]> {
    return await this.#database.read((db) => selectSummaries(db, filter));
  }

  async runCounts(): Promise<ReadonlyMap<RunStatus, number>> {
    return await this.#database.read(countRuns);
  }

  async figures(workflow: string, limits: FiguresLimits): Promise<WorkflowFigures> {
    return await this.#database.read((db) => selectFigures(db, workflow, limits));
  }

  async outlines(runs: readonly Pick<RunSummary, "id" | "status">[]): Promise<ReadonlyMap<RunId, RunOutline>> {
    return await this.#database.snapshot((db) => this.#outlines.read(db, runs));
  }

  async runsAt(place: PlaceFilter): Promise<readonly LocatedRun[]> {
    return await this.#database.read((db) => selectRunsAt(db, place));
  }

  async places(): Promise<KnownPlaces> {
    return await this.#database.snapshot(selectPlaces);
  }

  async wholeRun(id: RunId): Promise<Run | null> {
    return await this.#database.snapshot((db) =>
      new KyselyTransaction(db, this.#definitions, this.#memory.begin()).wholeRun(id),
    );
  }

  async storySpecs(run: RunId): Promise<readonly StorySpec[]> {
    return await this.#database.read((db) => selectSpecs(db, run));
  }

  async storySpec(run: RunId, story: StoryId): Promise<StorySpec | null> {
    return await this.#database.read((db) => selectSpec(db, run, story));
  }

  async attempt(id: AttemptId): Promise<AttemptRef | null> {
    return await this.#database.read((db) => selectAttempt(db, id));
  }

  async holds(): Promise<readonly Hold[]> {
    return await this.#database.read((db) => selectHolds(db));
  }

  async openGates(run: RunId | null): Promise<readonly GateRef[]> {
    return await this.#database.read((db) => selectOpenGates(db, run));
  }

  async gate(id: GateId): Promise<GateRef | null> {
    return await this.#database.read((db) => selectGate(db, id));
  }

  async permitHolders(key: string): Promise<readonly AttemptRef[]> {
    return await this.#database.snapshot(async (db) => {
      const found: AttemptRef[] = [];
      for (const id of await selectPermitHolders(db, key)) {
        const attempt = await selectAttempt(db, id);
        if (attempt !== null) found.push(attempt);
      }
      return found;
    });
  }

  async events(run: RunId, after: number, limit: number): Promise<readonly StoredEvent[]> {
    return await this.#database.read((db) => selectEvents(db, run, after, limit));
  }

  async eventsAt(run: RunId, type: Event["type"], at: number): Promise<readonly StoredEvent[]> {
    return await this.#database.read((db) => selectEventsAt(db, run, type, at));
  }

  async lastSeq(run: RunId): Promise<number> {
    return await this.#database.read((db) => selectLastSeq(db, run));
  }

  async changedRuns(after: number, limit: number): Promise<readonly RunChange[]> {
    return await this.#database.read((db) => selectChangedRuns(db, after, limit));
  }

  async lastPosition(): Promise<number> {
    return await this.#database.read(selectLastPosition);
  }

  async isCurrent(): Promise<boolean> {
    return await this.#database.read(hasCurrentSchema);
  }

  async offers(filter: OfferFilter): Promise<readonly Offer[]> {
    return await this.#database.read((db) => selectOffers(db, filter));
  }

  async nextOfferTime(run: RunId | null, after: number): Promise<number | null> {
    return await this.#database.read((db) => selectNextOfferTime(db, run, after));
  }

  async waiting(now: number): Promise<WaitingFigures> {
    return await this.#database.read((db) => selectWaiting(db, now));
  }

  async drivers(): Promise<readonly DriverLease[]> {
    return await this.#database.read(selectDrivers);
  }

  async leases(filter: { readonly endedBefore: number | null }): Promise<readonly Lease[]> {
    return await this.#database.read((db) => selectLeases(db, filter.endedBefore));
  }

  async dueEffects(now: number, limit: number): Promise<readonly StoredEffect[]> {
    return await this.#database.read((db) => selectDueEffects(db, now, limit));
  }

  async dueDeliveries(now: number, limit: number, except: readonly string[]): Promise<readonly StoredDelivery[]> {
    return await this.#database.read((db) => selectDueDeliveries(db, now, limit, except));
  }

  async schedules(): Promise<readonly StoredSchedule[]> {
    return await this.#database.read((db) => selectSchedules(db));
  }

  async ticks(schedule: string, limit: number): Promise<readonly TickRecord[]> {
    return await this.#database.read((db) => selectTicks(db, schedule, limit));
  }

  async removeRun(run: RunId): Promise<void> {
    await this.#database.write((db) => deleteRun(db, run));
  }

  async hasDueEffects(now: number): Promise<boolean> {
    return await this.#database.read((db) => hasDueEffects(db, now));
  }

  async takeEffect(effect: StoredEffect, until: number, holder?: string): Promise<boolean> {
    return await this.#database.write((db) => takeEffect(db, effect, until, holder ?? null));
  }

  async effectHolders(now: number): Promise<readonly string[]> {
    return await this.#database.read((db) => selectHolders(db, now));
  }

  async releaseEffectsOf(holder: string, now: number): Promise<void> {
    await this.#database.write((db) => releaseEffectsOf(db, holder, now));
  }

  async postponeEffect(taken: StoredEffect, until: number, why?: string): Promise<void> {
    await this.#database.write((db) => postponeEffect(db, taken, until, why ?? null));
  }

  async failedClosings(run: RunId | null): Promise<readonly FailedClosing[]> {
    return await this.#database.read((db) => selectFailedClosings(db, run));
  }

  async effectDone(id: number): Promise<void> {
    await this.#database.write((db) => deleteEffect(db, id));
  }

  async replaceEffect(id: number, others: readonly Effect[], at: number): Promise<void> {
    await this.#database.write(async (db) => {
      // Already gone: a process that seemed dead performed it after all. Inserting again would duplicate every delivery.
      if (!(await deleteEffect(db, id))) return;
      for (const effect of others) await insertEffect(db, effect, at);
    });
  }

  async messageArrived(delivery: StoredDelivery, gate: GateId, receipt: string, at: number): Promise<void> {
    await this.#database.write((db) => keepSent(db, delivery, gate, receipt, at));
  }

  async putSubscription(subscription: BrowserSubscription, most: MostSubscriptions): Promise<PutSubscription> {
    return await this.#database.write((db) => upsertSubscription(db, subscription, most));
  }

  async subscriptions(): Promise<readonly BrowserSubscription[]> {
    return await this.#database.read(selectSubscriptions);
  }

  async removeSubscription(id: string): Promise<boolean> {
    return await this.#database.write((db) => deleteSubscription(db, id));
  }

  async addToken(token: NewApiToken): Promise<boolean> {
    return await this.#database.write((db) => insertToken(db, token));
  }

  async tokens(): Promise<readonly ApiToken[]> {
    return await this.#database.read(selectTokens);
  }

  async tokenByHash(hash: string): Promise<ApiToken | null> {
    return await this.#database.read((db) => selectTokenByHash(db, hash));
  }

  async tokenUsed(name: string, at: number): Promise<void> {
    await this.#database.write((db) => updateTokenUse(db, name, at));
  }

  async removeToken(name: string): Promise<boolean> {
    return await this.#database.write((db) => deleteToken(db, name));
  }

  async addSignInCode(code: NewSignInCode, now: number): Promise<void> {
    await this.#database.write((db) => insertSignInCode(db, code, now));
  }

  async signIn(codeHash: string, token: Omit<NewApiToken, "role">): Promise<Role | null> {
    return await this.#database.write(async (db) => {
      const role = await takeSignInCode(db, codeHash, token.createdAt);
      // A name that is taken rolls the use of the code back.
      if (role !== null && !(await insertToken(db, { ...token, role })))
        throw new Error(`a token ${token.name} exists`);
      return role;
    });
  }

  async keepStartKey(entry: StartKey): Promise<StartKey> {
    return await this.#database.write((db) => keepStartKey(db, entry));
  }

  async forgetStartKey(entry: StartKey): Promise<void> {
    await this.#database.write((db) => deleteStartKey(db, entry));
  }

  async backup(file: string): Promise<Backup> {
    return await this.#database.backup(file);
  }

  async check(onProgress: (progress: StoreProgress) => void): Promise<StoreCheck> {
    // Loaded late, like the copy: hardly a command needs them.
    const { checkDatabase } = await import("./checking/check-store.ts");
    const found: StoreCheck[] = [];
    try {
      return await this.#database.snapshot(async (db) => {
        const check = await checkDatabase(db, onProgress);
        found.push(check);
        return check;
      });
    } catch (error) {
      // A damaged file may let its transaction not even end. What was found says more.
      const check = found.at(-1);
      if (check === undefined || check.problems.length === 0) throw error;
      return check;
    }
  }

  async copyTo(to: Store, request: CopyRequest): Promise<StoreCopy> {
    if (!(to instanceof KyselyStore)) throw new Error("a store of another make cannot be copied to");
    const { copyDatabase } = await import("./copying/copy-store.ts");
    return await copyDatabase(this.#database, to.#database, request);
  }

  watch(onChange: () => void): { close(): void } {
    return this.#database.watch(onChange);
  }

  async close(): Promise<void> {
    await this.#database.close();
  }
}
