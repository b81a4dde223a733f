// One transaction: loads the parts of a run that a transition needs, and writes only what it changed. The queries are in tables/.

import { CompiledQuery, type Kysely } from "kysely";
import type { Accepted, Decision } from "../domain/decision.ts";
import type { Event } from "../domain/event.ts";
import type { AttemptId, RunId, StoryId } from "../domain/ids.ts";
import { type Header, noTotals, type Run } from "../domain/run.ts";
import type { Story } from "../domain/story.ts";
import type { Deadline } from "../system/clock.ts";
import { readinessOf, type ScopeChange, scopesOf } from "./changes.ts";
import type { TransactionMemory } from "./memory.ts";
import type { Tables } from "./schema.ts";
import type {
  Changes,
  DriverLease,
  Hold,
  Lease,
  Loaded,
  LocatedRun,
  NewOffer,
  Offer,
  OfferedStep,
  OfferFilter,
  PermitLimit,
  PermitWaiter,
  PlaceFilter,
  ReadyStep,
  StoredSchedule,
  TickRecord,
  Transaction,
} from "./store.ts";
import { insertAttempt, selectAllAttempts, updateAttempt } from "./tables/attempts.ts";
import { type DefinitionCache, insertDefinition, selectDefinition } from "./tables/definitions.ts";
import { deleteDriver, selectDriver, setDriver } from "./tables/drivers.ts";
import { changedEntries, updateEntry } from "./tables/entries.ts";
import { appendEvents } from "./tables/events.ts";
import { insertGate, updateGate } from "./tables/gates.ts";
import { holdAccount, releaseAccount, selectHolds } from "./tables/holds.ts";
import { deleteLease, insertLease, renewLease, takeOverLease } from "./tables/leases.ts";
import { deleteOffer, deleteOffers, insertOffer, pauseOffers, selectOffers } from "./tables/offers.ts";
import { insertEffect } from "./tables/outbox.ts";
import { releasePermits, takePermits } from "./tables/permits.ts";
import { beginPosition } from "./tables/positions.ts";
import {
  headerChanged,
  insertRun,
  nextRunNumber,
  type RowAndHeader,
  selectRunsAt,
  updateHeader,
} from "./tables/runs.ts";
import { deleteSchedule, insertTick, selectSchedules, upsertSchedule } from "./tables/schedules.ts";
import { queueMarks } from "./tables/sent-messages.ts";
import {
  deleteStory,
  insertStories,
  readStory,
  scopeChanged,
  selectAllOpened,
  selectOpened,
  updateScope,
} from "./tables/stories.ts";
import { addTotals, insertTotals, readTotals } from "./tables/totals.ts";

type Plan = Extract<Event, { readonly type: "stories_planned" }>;

export class KyselyTransaction implements Transaction {
  readonly #db: Kysely<Tables>;
  readonly #definitions: DefinitionCache;
  readonly #memory: TransactionMemory;

  constructor(db: Kysely<Tables>, definitions: DefinitionCache, memory: TransactionMemory) {
    this.#db = db;
    this.#definitions = definitions;
    this.#memory = memory;
  }

  async query(words: string, values: readonly unknown[]): Promise<readonly unknown[]> {
    return (await this.#db.executeQuery(CompiledQuery.raw(words, [...values]))).rows;
  }

  async nextRunNumber(): Promise<number> {
    return await nextRunNumber(this.#db);
  }

  async runsAt(place: PlaceFilter): Promise<readonly LocatedRun[]> {
    return await selectRunsAt(this.#db, place);
  }

  async create(number: number, decision: Accepted): Promise<Changes> {
    const { header } = decision.run;
    await insertRun(this.#db, number, header, await insertDefinition(this.#db, header.definition));
    await insertTotals(this.#db, header.id);
    const before: Run = {
      header: { ...header, chain: [], attempts: [], gates: [], stories: [], totals: noTotals, paused: false },
      stories: {},
    };
    return await this.save({ run: before, number, headerVersion: 0, plannedVersion: 0, storyVersions: {} }, decision);
  }

  async load(id: RunId, needed: (header: Header) => readonly StoryId[]): Promise<Loaded | null> {
    const { headers, attempts } = this.#memory;
    // Asked together, because a server takes its time to answer.
    const [found, own] = await Promise.all([headers.read(this.#db, id), attempts.read(this.#db, id, null)]);
    if (found === null) return null;
    const { row } = found;
    const header = await this.#header(found, own);
    const stories: Record<StoryId, Story> = {};
    const storyVersions: Record<StoryId, number> = {};
    for (const story of needed(header)) {
      const opened = await selectOpened(this.#db, id, story);
      if (!opened) continue;
      stories[story] = readStory(opened, await attempts.read(this.#db, id, story));
      storyVersions[story] = opened.version;
    }
    const { number, version: headerVersion, planned: plannedVersion } = row;
    return { run: { header, stories }, number, headerVersion, plannedVersion, storyVersions };
  }

  /** The run with every story, for reading only. */
  async wholeRun(id: RunId): Promise<Run | null> {
    const found = await this.#memory.headers.read(this.#db, id);
    if (found === null) return null;
    const attempts = await selectAllAttempts(this.#db, id);
    const header = await this.#header(found, attempts.get(null) ?? []);
    const opened = new Map((await selectAllOpened(this.#db, id)).map((story) => [story.id, story]));
    const stories = header.stories.flatMap(({ id }) => {
      const story = opened.get(id);
      return story ? [[id, readStory(story, attempts.get(id) ?? [])] as const] : [];
    });
    return { header, stories: Object.fromEntries(stories) };
  }

  async save(loaded: Loaded, decision: Decision): Promise<Changes> {
    const before = loaded.run;
    const after = decision.run ?? before;
    const { id } = after.header;
    await this.#writeEvents(before.header, after.header, decision.events);
    await this.#writeHeader(loaded, after.header, decision.events);
    for (const story of Object.values(after.stories)) await this.#writeStory(loaded, story);

    const readied: ReadyStep[] = [];
    const unreadied: ReadyStep[] = [];
    const ended: AttemptId[] = [];
    const at = decision.events[0]?.at ?? 0;
    let marks = 0;
    for (const scope of scopesOf(before, after)) {
      ended.push(...(await this.#writeAttempts(id, scope)));
      marks += await this.#writeGates(id, scope, at);
      const readiness = readinessOf(scope);
      readied.push(...readiness.readied);
      unreadied.push(...readiness.unreadied);
    }
    const effects = decision.accepted ? decision.effects : [];
    for (const effect of effects) await insertEffect(this.#db, effect, at);
    const paused = before.header.paused === after.header.paused ? null : after.header.paused;
    return { run: after, number: loaded.number, readied, unreadied, ended, paused, effects: effects.length + marks };
  }

  async takePermits(attempt: AttemptId, limits: readonly PermitLimit[], waiter?: PermitWaiter): Promise<string | null> {
    return await takePermits(this.#db, attempt, limits, waiter ?? null);
  }

  async releasePermits(attempts: readonly AttemptId[]): Promise<void> {
    await releasePermits(this.#db, attempts);
  }

  async offers(filter: OfferFilter): Promise<readonly Offer[]> {
    return await selectOffers(this.#db, filter);
  }

  async offer(offer: NewOffer): Promise<void> {
    await insertOffer(this.#db, offer);
  }

  async withdraw(run: RunId, step: OfferedStep): Promise<void> {
    await deleteOffer(this.#db, run, step);
  }

  async withdrawAll(run: RunId): Promise<void> {
    await deleteOffers(this.#db, run);
  }

  async pauseOffers(run: RunId, paused: boolean): Promise<void> {
    await pauseOffers(this.#db, run, paused);
  }

  async lease(lease: Lease): Promise<void> {
    await insertLease(this.#db, lease);
  }

  async endLease(attempt: AttemptId): Promise<void> {
    await deleteLease(this.#db, attempt);
  }

  async renewLease(attempt: AttemptId, worker: string, until: Deadline): Promise<boolean> {
    return await renewLease(this.#db, attempt, worker, until);
  }

  async takeOverLease(seen: Lease, worker: string, until: Deadline): Promise<boolean> {
    return await takeOverLease(this.#db, seen, worker, until);
  }

  async driver(run: RunId): Promise<DriverLease | null> {
    return await selectDriver(this.#db, run);
  }

  async setDriver(lease: DriverLease): Promise<void> {
    await setDriver(this.#db, lease);
  }

  async removeDriver(run: RunId, worker: string): Promise<void> {
    await deleteDriver(this.#db, run, worker);
  }

  async holds(): Promise<readonly Hold[]> {
    return await selectHolds(this.#db);
  }

  async hold(refused: Omit<Hold, "times">): Promise<void> {
    await holdAccount(this.#db, refused);
  }

  async release(account: string, since?: number): Promise<void> {
    await releaseAccount(this.#db, account, since ?? null);
  }

  async schedules(): Promise<readonly StoredSchedule[]> {
    return await selectSchedules(this.#db);
  }

  async putSchedule(schedule: StoredSchedule): Promise<void> {
    await upsertSchedule(this.#db, schedule);
  }

  async removeSchedule(id: string): Promise<void> {
    await deleteSchedule(this.#db, id);
  }

  async recordTick(record: TickRecord): Promise<boolean> {
    return await insertTick(this.#db, record);
  }

  async #header({ row, header }: RowAndHeader, attempts: Header["attempts"]): Promise<Header> {
    const totals = readTotals(row);
    const definition = await selectDefinition(this.#db, this.#definitions, row.definition);
    const stories = await this.#memory.entries.read(this.#db, header.id, row);
    return { ...header, definition, totals, attempts, stories };
  }

  async #writeEvents(before: Header, after: Header, events: readonly Event[]): Promise<void> {
    if (events.length === 0) return;
    await beginPosition(this.#db);
    const last = await addTotals(this.#db, after.id, events.length, before.totals, after.totals);
    await appendEvents(this.#db, after.id, events, last);
  }

  /** The header and the story entries share a version, since a decision depends on both. */
  async #writeHeader(loaded: Loaded, after: Header, events: readonly Event[]): Promise<void> {
    const before = loaded.run.header;
    const entriesChanged = before.stories !== after.stories;
    if (!entriesChanged && !headerChanged(before, after)) return;
    const plans = events.filter((event) => event.type === "stories_planned");
    const next = loaded.headerVersion + 1;
    const planned = plans.length > 0 ? next : loaded.plannedVersion;
    await updateHeader(this.#db, before, after, { read: loaded.headerVersion, next, planned });
    if (entriesChanged) await this.#writeEntries(before, after, plans, next);
    this.#memory.entries.wrote(after.id, next, after.stories);
    this.#memory.headers.wrote(after, next);
  }

  /** A plan adds stories and drops those that were planned before and have not begun. */
  async #writeEntries(before: Header, after: Header, plans: readonly Plan[], version: number): Promise<void> {
    const inserted = new Set<StoryId>();
    const byId = new Map(plans.length > 0 ? after.stories.map((entry) => [entry.id, entry]) : []);
    for (const { dropped, stories } of plans) {
      for (const id of dropped) await deleteStory(this.#db, after.id, id);
      const planned = stories.flatMap((spec) => {
        const entry = byId.get(spec.id);
        // A story without an entry was dropped by a later plan of the same transition.
        return entry ? [{ spec, entry }] : [];
      });
      await insertStories(this.#db, after.id, version, planned);
      for (const { entry } of planned) inserted.add(entry.id);
    }
    for (const entry of changedEntries(before.stories, after.stories, plans.length > 0)) {
      if (!inserted.has(entry.id)) await updateEntry(this.#db, after.id, version, entry);
    }
  }

  async #writeStory(loaded: Loaded, story: Story): Promise<void> {
    const before = loaded.run.stories[story.id];
    if (before && !scopeChanged(before, story)) return;
    await updateScope(this.#db, loaded.run.header.id, loaded.storyVersions[story.id] ?? 0, story);
  }

  /** Returns the attempts that ended. */
  async #writeAttempts(run: RunId, { story, was, is }: ScopeChange): Promise<readonly AttemptId[]> {
    const ended: AttemptId[] = [];
    if (was?.attempts === is.attempts) return ended;
    for (const [position, attempt] of is.attempts.entries()) {
      const known = was?.attempts[position];
      if (known === attempt) continue;
      if (known) await updateAttempt(this.#db, known, attempt);
      else await insertAttempt(this.#db, run, position, attempt);
      if (attempt.state.phase === "ended") ended.push(attempt.id);
    }
    this.#memory.attempts.wrote(run, story, is.attempts);
    return ended;
  }

  /** Returns how many messages are to be marked, because their question ended. */
  async #writeGates(run: RunId, { was, is }: ScopeChange, at: number): Promise<number> {
    if (was?.gates === is.gates) return 0;
    let marks = 0;
    for (const [index, gate] of is.gates.entries()) {
      const known = was?.gates[index];
      if (known === gate) continue;
      if (!known) await insertGate(this.#db, run, gate);
      else {
        await updateGate(this.#db, gate);
        marks += await queueMarks(this.#db, gate, at);
      }
    }
    return marks;
  }
}
