// A transaction. Owns: loading what one transition needs and writing what it changed, and only that.

import type { Kysely } from "kysely";
import type { Accepted, Decision } from "../domain/decision.ts";
import type { Definition } from "../domain/definition.ts";
import { laneOf } from "../domain/effect.ts";
import { type Event, eventSchemaVersion } from "../domain/event.ts";
import type { AttemptId, RunId, StoryId } from "../domain/ids.ts";
import { type Header, noTotals, type Run, type RunTotals, statusOf } from "../domain/run.ts";
import type { Scope } from "../domain/scope.ts";
import type { Step } from "../domain/step.ts";
import type { Story } from "../domain/story.ts";
import { insertAttempt, selectAttempts, updateAttempt } from "./attempts.ts";
import { changedEntries, deleteStory, insertStories, type SeenEntries, updateEntry } from "./entries.ts";
import { deleteLease, insertLease, renewLease, takeOverLease } from "./leases.ts";
import { deleteOffer, deleteOffers, insertOffer, pauseOffers, selectOffers } from "./offers.ts";
import { currentDefinition } from "./older-documents.ts";
import {
  eventRow,
  gateRow,
  headerChanged,
  headerDocument,
  readHeader,
  readStory,
  storyChanged,
  storyDocument,
} from "./rows.ts";
import type { Tables, TotalsRow } from "./schema.ts";
import * as sql from "./statements.ts";
import {
  type Changes,
  type Hold,
  type Lease,
  type Loaded,
  type NewOffer,
  type Offer,
  type OfferFilter,
  type PermitLimit,
  type ReadyStep,
  type Transaction,
  VersionConflict,
} from "./store.ts";

/** Definitions never change once written, so one parsed copy serves a process. */
export type DefinitionCache = Map<string, Definition>;

type Plan = Extract<Event, { readonly type: "stories_planned" }>;

const nothingYet: Omit<TotalsRow, "run_id"> = {
  events: 0,
  attempts: 0,
  steps: 0,
  cost_usd: 0,
  input_tokens: 0,
  output_tokens: 0,
  cache_read_tokens: 0,
  estimated_usd: 0,
};

export class KyselyTransaction implements Transaction {
  readonly #db: Kysely<Tables>;
  readonly #definitions: DefinitionCache;
  readonly #entries: SeenEntries;
  readonly #purpose: "change" | "look";

  constructor(db: Kysely<Tables>, definitions: DefinitionCache, entries: SeenEntries, purpose: "change" | "look") {
    this.#db = db;
    this.#definitions = definitions;
    this.#entries = entries;
    this.#purpose = purpose;
  }

  async nextRunNumber(): Promise<number> {
    return (await sql.countUp.one(this.#db, { name: "run" })).value;
  }

  async create(number: number, decision: Accepted): Promise<Changes> {
    const { header } = decision.run;
    const body = JSON.stringify(header.definition);
    // Loaded here: `node:crypto` is slow to load, and who only looks hashes nothing.
    const { createHash } = await import("node:crypto");
    const hash = createHash("sha256").update(body).digest("hex");
    await this.#db
      .insertInto("definitions")
      .values({ hash, body })
      .onConflict((c) => c.column("hash").doNothing())
      .execute();
    await this.#db
      .insertInto("runs")
      .values({
        id: header.id,
        number,
        workflow: header.definition.id,
        task: header.task,
        status: statusOf(header),
        repo: header.place.repo,
        started_at: header.startedAt,
        ended_at: null,
        definition: hash,
        version: 0,
        planned: 0,
        header: headerDocument(header),
      })
      .execute();
    await this.#db
      .insertInto("totals")
      .values({ run_id: header.id, ...nothingYet })
      .execute();
    const before: Run = {
      header: { ...header, chain: [], attempts: [], gates: [], stories: [], totals: noTotals, paused: false },
      stories: {},
    };
    return await this.save({ run: before, number, headerVersion: 0, plannedVersion: 0, storyVersions: {} }, decision);
  }

  async load(id: RunId, needed: (header: Header) => readonly StoryId[]): Promise<Loaded | null> {
    const select = this.#purpose === "change" ? sql.selectRunToChange : sql.selectRun;
    const row = await select.first(this.#db, { id });
    const totals = await sql.selectTotals.first(this.#db, { id });
    if (!row || !totals) return null;
    const entries = await this.#entries.read(this.#db, id, row);
    const definition = await this.#definition(row.definition);
    const header = readHeader(row, totals, definition, await selectAttempts(this.#db, id, null), entries);
    const stories: Record<StoryId, Story> = {};
    const storyVersions: Record<StoryId, number> = {};
    for (const storyId of needed(header)) {
      const storyRow = await sql.selectStory.first(this.#db, { run: id, id: storyId });
      const story = storyRow && readStory(storyRow, await selectAttempts(this.#db, id, storyId));
      if (!story) continue;
      stories[storyId] = story;
      storyVersions[storyId] = storyRow.version;
    }
    const { number, version: headerVersion, planned: plannedVersion } = row;
    return { run: { header, stories }, number, headerVersion, plannedVersion, storyVersions };
  }

  async save(loaded: Loaded, decision: Decision): Promise<Changes> {
    const before = loaded.run;
    const after = decision.run ?? before;
    const { id } = after.header;
    await this.#appendEvents(id, decision.events, before.header.totals, after.header.totals);
    await this.#writeHeader(loaded, after.header, decision.events);
    for (const story of Object.values(after.stories)) await this.#writeStory(loaded, story);

    const changes = { readied: [] as ReadyStep[], unreadied: [] as ReadyStep[], ended: [] as AttemptId[] };
    for (const [story, was, is] of scopesOf(before, after)) {
      await this.#writeAttempts(id, was, is, changes.ended);
      await this.#writeGates(id, was, is);
      collectReady(story, was, is, changes);
    }
    const effects = decision.accepted ? decision.effects : [];
    for (const effect of effects) {
      await sql.insertEffect.run(this.#db, {
        lane: laneOf(effect),
        run_id: id,
        effect: JSON.stringify(effect),
        at: decision.events[0]?.at ?? 0,
      });
    }
    const paused = before.header.paused === after.header.paused ? null : after.header.paused;
    return { run: after, number: loaded.number, ...changes, paused, effects: effects.length };
  }

  async takePermits(attempt: AttemptId, limits: readonly PermitLimit[]): Promise<boolean> {
    // Always in the same order: two who want the same keys must not wait for each other.
    for (const { key, limit } of limits.toSorted((a, b) => (a.key < b.key ? -1 : 1))) {
      await sql.lockPermitKey.run(this.#db, { key });
      const { held } = await sql.countPermits.one(this.#db, { key });
      if (held >= limit) return false;
    }
    for (const { key } of limits) await sql.insertPermit.run(this.#db, { key, attempt_id: attempt });
    return true;
  }

  async releasePermits(attempts: readonly AttemptId[]): Promise<void> {
    for (const attempt of attempts) await sql.deletePermits.run(this.#db, { attempt });
  }

  async offers(filter: OfferFilter): Promise<readonly Offer[]> {
    return await selectOffers(this.#db, filter);
  }

  async offer(offer: NewOffer): Promise<void> {
    await insertOffer(this.#db, offer);
  }

  async withdraw(run: RunId, { story, step }: Pick<ReadyStep, "story" | "step">): Promise<void> {
    await deleteOffer(this.#db, run, story, step);
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

  async renewLease(attempt: AttemptId, worker: string, until: number): Promise<boolean> {
    return await renewLease(this.#db, attempt, worker, until);
  }

  async takeOverLease(seen: Lease, worker: string, until: number): Promise<boolean> {
    return await takeOverLease(this.#db, seen, worker, until);
  }

  async holds(): Promise<readonly Hold[]> {
    const rows = await sql.selectHolds.all(this.#db, {});
    return rows.map((row) => ({ ...row, cause: row.cause === "auth" ? "auth" : "quota" }));
  }

  async hold(turned: Omit<Hold, "times">): Promise<void> {
    const before = (await this.holds()).find(({ account }) => account === turned.account);
    // Those who were refused together were refused once.
    const isRunning = before !== undefined && before.until > turned.since;
    const times = before === undefined ? 1 : before.times + (isRunning ? 0 : 1);
    await sql.upsertHold.run(this.#db, { ...turned, times });
  }

  async release(account: string, since?: number): Promise<void> {
    await sql.deleteHold.run(this.#db, { account, since: since ?? Number.MAX_SAFE_INTEGER });
  }

  async #definition(hash: string): Promise<Definition> {
    const known = this.#definitions.get(hash);
    if (known) return known;
    const row = await sql.selectDefinition.first(this.#db, { hash });
    const definition = currentDefinition(JSON.parse(row?.body ?? "null") as Definition);
    this.#definitions.set(hash, definition);
    return definition;
  }

  async #appendEvents(id: RunId, events: readonly Event[], was: RunTotals, is: RunTotals): Promise<void> {
    if (events.length === 0) return;
    const total = await sql.addTotals.one(this.#db, {
      id,
      events: events.length,
      attempts: is.attempts - was.attempts,
      steps: is.steps - was.steps,
      cost_usd: is.costUsd - was.costUsd,
      input_tokens: is.inputTokens - was.inputTokens,
      output_tokens: is.outputTokens - was.outputTokens,
      cache_read_tokens: (is.cacheReadTokens ?? 0) - (was.cacheReadTokens ?? 0),
      estimated_usd: (is.estimatedUsd ?? 0) - (was.estimatedUsd ?? 0),
    });
    let seq = total.events - events.length;
    for (const event of events) {
      seq += 1;
      await sql.insertEvent.run(this.#db, eventRow(id, seq, event, eventSchemaVersion));
    }
  }

  /** The header and the entries of the stories share a version: who decides by one decides by the other. */
  async #writeHeader(loaded: Loaded, after: Header, events: readonly Event[]): Promise<void> {
    const before = loaded.run.header;
    const entriesChanged = before.stories !== after.stories;
    if (!entriesChanged && !headerChanged(before, after)) return;
    const plans = events.filter((event) => event.type === "stories_planned");
    const next = loaded.headerVersion + 1;
    const changed = await sql.updateHeader.run(this.#db, {
      id: after.id,
      version: loaded.headerVersion,
      next,
      planned: plans.length > 0 ? next : loaded.plannedVersion,
      header: headerDocument(after),
      status: statusOf(after),
      ended_at: after.end?.at ?? null,
    });
    if (changed === 0) throw new VersionConflict(`run ${before.id}`);
    if (entriesChanged) await this.#writeEntries(before, after, plans, next);
    this.#entries.wrote(after.id, next, after.stories);
  }

  /** A plan brings new stories and drops those that were planned before and not begun. */
  async #writeEntries(before: Header, after: Header, plans: readonly Plan[], version: number): Promise<void> {
    const changed = changedEntries(before.stories, after.stories, plans.length > 0);
    const inserted = new Set<StoryId>();
    const byId = new Map(plans.length > 0 ? after.stories.map((entry) => [entry.id, entry]) : []);
    for (const { dropped, stories } of plans) {
      for (const id of dropped) await deleteStory(this.#db, after.id, id);
      const planned = stories.flatMap((spec) => {
        const entry = byId.get(spec.id);
        // Without an entry it was dropped again by a later plan of the same transition.
        return entry ? [{ spec, entry }] : [];
      });
      await insertStories(this.#db, after.id, version, planned);
      for (const { entry } of planned) inserted.add(entry.id);
    }
    for (const entry of changed) {
      if (!inserted.has(entry.id)) await updateEntry(this.#db, after.id, version, entry);
    }
  }

  async #writeStory(loaded: Loaded, story: Story): Promise<void> {
    const before = loaded.run.stories[story.id];
    if (before && !storyChanged(before, story)) return;
    const version = loaded.storyVersions[story.id] ?? 0;
    const run = loaded.run.header.id;
    const changed = await sql.updateScope.run(this.#db, { run, id: story.id, version, scope: storyDocument(story) });
    if (changed === 0) throw new VersionConflict(`story ${story.id}`);
  }

  async #writeAttempts(run: RunId, was: Scope | undefined, is: Scope, ended: AttemptId[]): Promise<void> {
    for (const [position, attempt] of is.attempts.entries()) {
      const known = was?.attempts[position];
      if (known === attempt) continue;
      if (known) await updateAttempt(this.#db, known, attempt);
      else await insertAttempt(this.#db, run, position, attempt);
      if (attempt.state.phase === "ended") ended.push(attempt.id);
    }
  }

  async #writeGates(run: RunId, was: Scope | undefined, is: Scope): Promise<void> {
    if (was?.gates === is.gates) return;
    for (const [index, gate] of is.gates.entries()) {
      const known = was?.gates[index];
      if (known === gate) continue;
      if (known) await sql.updateGate.run(this.#db, gateRow(run, gate));
      else await sql.insertGate.run(this.#db, gateRow(run, gate));
    }
  }
}

function scopesOf(before: Run, after: Run): readonly (readonly [StoryId | null, Scope | undefined, Scope])[] {
  const stories = Object.values(after.stories).map((story) => [story.id, before.stories[story.id], story] as const);
  return [[null, before.header, after.header], ...stories];
}

function collectReady(
  story: StoryId | null,
  was: Scope | undefined,
  is: Scope,
  changes: { readied: ReadyStep[]; unreadied: ReadyStep[] },
): void {
  if (was?.chain === is.chain) return;
  const ready = (candidate: Step) =>
    candidate.state.status === "ready" ? { story, step: candidate.id, notBefore: candidate.state.notBefore } : null;
  const known = new Map((was?.chain ?? []).map((step) => [step.id, step]));
  const present = new Set(is.chain.map((step) => step.id));
  for (const step of known.values()) {
    const gone = present.has(step.id) ? null : ready(step);
    if (gone) changes.unreadied.push(gone);
  }
  for (const step of is.chain) {
    const earlier = known.get(step.id);
    if (earlier === step) continue;
    const before = earlier ? ready(earlier) : null;
    const after = ready(step);
    if (before) changes.unreadied.push(before);
    if (after) changes.readied.push(after);
  }
}
