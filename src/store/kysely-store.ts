// The store in Kysely. Owns: one implementation for every dialect; what differs arrives as a `Database`.

import { type Kysely, sql } from "kysely";
import { type Effect, laneOf } from "../domain/effect.ts";
import type { Gate } from "../domain/gate.ts";
import { type AttemptId, type GateId, type RunId, runId, type StoryId } from "../domain/ids.ts";
import type { Run } from "../domain/run.ts";
import type { StorySpec } from "../domain/story.ts";
import { selectAttempt } from "./attempts.ts";
import { KnownEntries, SeenEntries } from "./entries.ts";
import { selectLeases } from "./leases.ts";
import { selectNextOfferTime, selectOffers } from "./offers.ts";
import { readEvent, readSummary } from "./rows.ts";
import type { GateRow, Tables } from "./schema.ts";
import { insertEffect } from "./statements.ts";
import type {
  AttemptRef,
  GateRef,
  Hold,
  Lease,
  Offer,
  OfferFilter,
  RunFilter,
  RunSummary,
  Store,
  StoredDelivery,
  StoredEffect,
  StoredEvent,
  Transaction,
} from "./store.ts";
import { type DefinitionCache, KyselyTransaction } from "./transaction.ts";

/**
 * What a dialect brings: a way to begin, to wait for a lock without blocking, and to notice other processes. Integers of its
 * rows are numbers, also where the driver has text for 64 bits.
 */
export interface Database {
  readonly db: Kysely<Tables>;
  /** Runs one write transaction, again if the lock was taken or a version had moved. */
  write<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T>;
  /** For a single query. */
  read<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T>;
  /** For several queries that must agree with each other. */
  snapshot<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T>;
  watch(onChange: () => void): { close(): void };
  close(): Promise<void>;
}

export class KyselyStore implements Store {
  readonly #database: Database;
  readonly #definitions: DefinitionCache = new Map();
  readonly #entries = new KnownEntries();

  constructor(database: Database) {
    this.#database = database;
  }

  async transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    // One for each try: what a try has seen that was rolled back is forgotten.
    const { result, seen } = await this.#database.write(async (db) => {
      const seen = new SeenEntries(this.#entries);
      return { result: await work(new KyselyTransaction(db, this.#definitions, seen, "change")), seen };
    });
    this.#entries.learn(seen);
    return result;
  }

  async runById(id: RunId): Promise<RunSummary | null> {
    const row = await this.#database.read((db) => summaries(db).where("id", "=", id).executeTakeFirst());
    return row ? readSummary(row) : null;
  }

  async runByNumber(number: number): Promise<RunSummary | null> {
    const row = await this.#database.read((db) => summaries(db).where("number", "=", number).executeTakeFirst());
    return row ? readSummary(row) : null;
  }

  async runsByPrefix(prefix: string, limit: number): Promise<readonly RunSummary[]> {
    // A range instead of LIKE: it uses the key's index in every dialect, and `%` in a prefix means nothing.
    const rows = await this.#database.read((db) =>
      summaries(db)
        .where("id", ">=", prefix)
        .where("id", "<", `${prefix}\u{10ffff}`)
        .orderBy("number")
        .limit(limit)
        .execute(),
    );
    return rows.map(readSummary);
  }

  async listRuns(filter: RunFilter): Promise<readonly RunSummary[]> {
    // An empty list after IN is no SQL everywhere.
    if (filter.statuses?.length === 0) return [];
    const rows = await this.#database.read((db) => {
      const all = summaries(db).orderBy("number", "desc").limit(filter.limit);
      return (filter.statuses === null ? all : all.where("status", "in", [...filter.statuses])).execute();
    });
    return rows.map(readSummary);
  }

  async wholeRun(id: RunId): Promise<Run | null> {
    return await this.#database.snapshot(async (db) => {
      const loaded = await this.#looking(db).load(id, (header) => header.stories.map((entry) => entry.id));
      return loaded?.run ?? null;
    });
  }

  async storySpecs(run: RunId): Promise<readonly StorySpec[]> {
    const rows = await this.#database.read((db) =>
      db.selectFrom("stories").select("spec").where("run_id", "=", run).orderBy("position").execute(),
    );
    return rows.map((row) => JSON.parse(row.spec) as StorySpec);
  }

  async storySpec(run: RunId, story: StoryId): Promise<StorySpec | null> {
    const row = await this.#database.read((db) =>
      db.selectFrom("stories").select("spec").where("run_id", "=", run).where("id", "=", story).executeTakeFirst(),
    );
    return row ? (JSON.parse(row.spec) as StorySpec) : null;
  }

  async attempt(id: AttemptId): Promise<AttemptRef | null> {
    return await this.#database.read((db) => selectAttempt(db, id));
  }

  async holds(): Promise<readonly Hold[]> {
    return await this.#database.read((db) => this.#looking(db).holds());
  }

  async openGates(run: RunId | null): Promise<readonly GateRef[]> {
    const rows = await this.#database.read((db) => {
      const open = db.selectFrom("gates").selectAll().where("status", "=", "open").orderBy("opened_at").orderBy("id");
      return (run === null ? open : open.where("run_id", "=", run)).execute();
    });
    return rows.map(gateRef);
  }

  async gate(id: GateId): Promise<GateRef | null> {
    const row = await this.#database.read((db) =>
      db.selectFrom("gates").selectAll().where("id", "=", id).executeTakeFirst(),
    );
    return row ? gateRef(row) : null;
  }

  async events(run: RunId, after: number, limit: number): Promise<readonly StoredEvent[]> {
    const rows = await this.#database.read((db) =>
      db
        .selectFrom("events")
        .selectAll()
        .where("run_id", "=", run)
        .where("seq", ">", after)
        .orderBy("seq")
        .limit(limit)
        .execute(),
    );
    return rows.map((row) => ({ seq: row.seq, schemaVersion: row.schema_version, event: readEvent(row) }));
  }

  async offers(filter: OfferFilter): Promise<readonly Offer[]> {
    return await this.#database.read((db) => selectOffers(db, filter));
  }

  async nextOfferTime(run: RunId | null, after: number): Promise<number | null> {
    return await this.#database.read((db) => selectNextOfferTime(db, run, after));
  }

  async leases(filter: { readonly endedBefore: number | null }): Promise<readonly Lease[]> {
    return await this.#database.read((db) => selectLeases(db, filter.endedBefore));
  }

  async dueEffects(now: number, limit: number): Promise<readonly StoredEffect[]> {
    const rows = await this.#database.read((db) =>
      firstOfLanes(db, now, limit).where("o.lane", "not like", `${deliverLane}%`).execute(),
    );
    return rows.map((row) => ({ id: row.id, tries: row.tries, effect: JSON.parse(row.effect) as Effect }));
  }

  async dueDeliveries(now: number, limit: number, except: readonly string[]): Promise<readonly StoredDelivery[]> {
    const rows = await this.#database.read((db) => {
      let due = firstOfLanes(db, now, limit).where("o.lane", "like", `${deliverLane}%`);
      for (const target of except) {
        // Not LIKE: `_` in a name would mean any character.
        const lanes = `${deliverLane}${target}:`;
        due = due.where(sql<string>`substr(o.lane, 1, ${sql.lit(lanes.length)})`, "<>", lanes);
      }
      return due.execute();
    });
    return rows.map((row) => ({
      id: row.id,
      tries: row.tries,
      effect: JSON.parse(row.effect) as StoredDelivery["effect"],
    }));
  }

  async takeEffect(effect: StoredEffect, until: number): Promise<boolean> {
    const result = await this.#database.write((db) =>
      db
        .updateTable("outbox")
        .set({ not_before: until, tries: sql<number>`tries + 1` })
        .where("id", "=", effect.id)
        .where("tries", "=", effect.tries)
        .executeTakeFirst(),
    );
    return result.numUpdatedRows > 0n;
  }

  async postponeEffect(taken: StoredEffect, until: number): Promise<void> {
    await this.#database.write((db) =>
      db
        .updateTable("outbox")
        .set({ not_before: until })
        .where("id", "=", taken.id)
        .where("tries", "=", taken.tries)
        .execute(),
    );
  }

  async effectDone(id: number): Promise<void> {
    await this.#database.write((db) => db.deleteFrom("outbox").where("id", "=", id).execute());
  }

  async replaceEffect(id: number, others: readonly Effect[], at: number): Promise<void> {
    await this.#database.write(async (db) => {
      const { numDeletedRows } = await db.deleteFrom("outbox").where("id", "=", id).executeTakeFirstOrThrow();
      // Somebody who had taken it and seemed dead was faster: a second time would double everything.
      if (numDeletedRows === 0n) return;
      for (const effect of others)
        await insertEffect.run(db, { lane: laneOf(effect), run_id: effect.run, effect: JSON.stringify(effect), at });
    });
  }

  #looking(db: Kysely<Tables>): KyselyTransaction {
    return new KyselyTransaction(db, this.#definitions, new SeenEntries(this.#entries), "look");
  }

  watch(onChange: () => void): { close(): void } {
    return this.#database.watch(onChange);
  }

  async close(): Promise<void> {
    await this.#database.close();
  }
}

/** As `laneOf` begins the lanes of deliveries. */
const deliverLane = "deliver:";

function firstOfLanes(db: Kysely<Tables>, now: number, limit: number) {
  return db
    .selectFrom("outbox as o")
    .select(["o.id", "o.tries", "o.effect"])
    .where("o.not_before", "<=", now)
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom("outbox as earlier")
            .select("earlier.id")
            .whereRef("earlier.lane", "=", "o.lane")
            .whereRef("earlier.id", "<", "o.id"),
        ),
      ),
    )
    .orderBy("o.id")
    .limit(limit);
}

function summaries(db: Kysely<Tables>) {
  return db
    .selectFrom("runs")
    .innerJoin("totals", "totals.run_id", "runs.id")
    .select([
      "id",
      "number",
      "workflow",
      "task",
      "status",
      "repo",
      "started_at",
      "ended_at",
      "attempts",
      "steps",
      "cost_usd",
      "input_tokens",
      "output_tokens",
      "cache_read_tokens",
      "estimated_usd",
    ]);
}

function gateRef(row: GateRow): GateRef {
  return { run: runId(row.run_id), gate: JSON.parse(row.body) as Gate };
}
