// The statements of a transition. Owns: the SQL that runs for every step, compiled once (statement.ts).

import { type Kysely, sql } from "kysely";
import type { EventRow, GateRow, HoldRow, PermitRow, RunRow, StoryRow, Tables, TotalsRow } from "./schema.ts";
import { statement } from "./statement.ts";

export const selectRun = statement<{ id: string }, RunRow>((db, p) =>
  db.selectFrom("runs").selectAll().where("id", "=", p("id")),
);

/** For whoever will change it: one writer per run. Where writers exclude each other anyway there is nothing to lock. */
export const selectRunToChange = statement<{ id: string }, RunRow>((db, p) => {
  const run = db.selectFrom("runs").selectAll().where("id", "=", p("id"));
  return hasManyWriters(db) ? run.forNoKeyUpdate() : run;
});

export const selectTotals = statement<{ id: string }, TotalsRow>((db, p) =>
  db.selectFrom("totals").selectAll().where("run_id", "=", p("id")),
);

export const selectDefinition = statement<{ hash: string }, { body: string }>((db, p) =>
  db.selectFrom("definitions").select("body").where("hash", "=", p("hash")),
);

export const selectStory = statement<{ run: string; id: string }, StoryRow>((db, p) =>
  db.selectFrom("stories").selectAll().where("run_id", "=", p("run")).where("id", "=", p("id")),
);

export const updateHeader = statement<{
  id: string;
  version: number;
  next: number;
  planned: number;
  header: string;
  status: string;
  ended_at: number | null;
}>((db, p) =>
  db
    .updateTable("runs")
    .set({
      header: p("header"),
      status: p("status"),
      ended_at: p("ended_at"),
      version: p("next"),
      planned: p("planned"),
    })
    .where("id", "=", p("id"))
    .where("version", "=", p("version")),
);

export const addTotals = statement<Omit<TotalsRow, "run_id"> & { id: string }, { events: number }>((db, p) =>
  db
    .updateTable("totals")
    .set({
      events: sql<number>`events + ${p("events")}`,
      attempts: sql<number>`attempts + ${p("attempts")}`,
      steps: sql<number>`steps + ${p("steps")}`,
      cost_usd: sql<number>`cost_usd + ${p("cost_usd")}`,
      input_tokens: sql<number>`input_tokens + ${p("input_tokens")}`,
      output_tokens: sql<number>`output_tokens + ${p("output_tokens")}`,
      cache_read_tokens: sql<number>`cache_read_tokens + ${p("cache_read_tokens")}`,
      estimated_usd: sql<number>`estimated_usd + ${p("estimated_usd")}`,
    })
    .where("run_id", "=", p("id"))
    .returning("events"),
);

export const updateScope = statement<{ run: string; id: string; version: number; scope: string }>((db, p) =>
  db
    .updateTable("stories")
    .set({ scope: p("scope"), version: sql<number>`version + 1` })
    .where("run_id", "=", p("run"))
    .where("id", "=", p("id"))
    .where("version", "=", p("version")),
);

export const insertEvent = statement<EventRow>((db, p) =>
  db.insertInto("events").values({
    run_id: p("run_id"),
    seq: p("seq"),
    at: p("at"),
    author: p("author"),
    type: p("type"),
    story_id: p("story_id"),
    schema_version: p("schema_version"),
    body: p("body"),
  }),
);

export const insertGate = statement<GateRow>((db, p) =>
  db.insertInto("gates").values({
    id: p("id"),
    run_id: p("run_id"),
    story_id: p("story_id"),
    step: p("step"),
    status: p("status"),
    opened_at: p("opened_at"),
    body: p("body"),
  }),
);

export const updateGate = statement<GateRow>((db, p) =>
  db
    .updateTable("gates")
    .set({ status: p("status"), body: p("body") })
    .where("id", "=", p("id")),
);

export const insertEffect = statement<{ lane: string; run_id: string; effect: string; at: number }>((db, p) =>
  db.insertInto("outbox").values({
    lane: p("lane"),
    run_id: p("run_id"),
    effect: p("effect"),
    created_at: p("at"),
    not_before: p("at"),
    tries: 0,
  }),
);

/** Counting and locking in one statement: two who start a run at once get two numbers. */
export const countUp = statement<{ name: string }, { value: number }>((db, p) =>
  db
    .insertInto("counters")
    .values({ name: p("name"), value: 1 })
    .onConflict((c) => c.column("name").doUpdateSet({ value: sql<number>`counters.value + 1` }))
    .returning("value"),
);

/** Changes nothing, and holds the key's row until the commit: whoever counts its permits next sees ours. */
export const lockPermitKey = statement<{ key: string }>((db, p) =>
  db
    .insertInto("permit_keys")
    .values({ key: p("key") })
    .onConflict((c) => c.column("key").doUpdateSet({ key: p("key") })),
);

export const countPermits = statement<{ key: string }, { held: number }>((db, p) =>
  db
    .selectFrom("permits")
    .select((e) => e.fn.countAll<number>().as("held"))
    .where("key", "=", p("key")),
);

export const insertPermit = statement<PermitRow>((db, p) =>
  db.insertInto("permits").values({ key: p("key"), attempt_id: p("attempt_id") }),
);

export const deletePermits = statement<{ attempt: string }>((db, p) =>
  db.deleteFrom("permits").where("attempt_id", "=", p("attempt")),
);

export const selectHolds = statement<Record<string, never>, HoldRow>((db) => db.selectFrom("holds").selectAll());

/** Whoever was turned away last knows best. */
export const upsertHold = statement<HoldRow>((db, p) =>
  db
    .insertInto("holds")
    .values({
      account: p("account"),
      cause: p("cause"),
      since: p("since"),
      until: p("until"),
      times: p("times"),
      why: p("why"),
    })
    .onConflict((c) =>
      c.column("account").doUpdateSet({
        cause: p("cause"),
        since: p("since"),
        until: p("until"),
        times: p("times"),
        why: p("why"),
      }),
    ),
);

export const deleteHold = statement<{ account: string; since: number }>((db, p) =>
  db.deleteFrom("holds").where("account", "=", p("account")).where("since", "<=", p("since")),
);

function hasManyWriters(db: Kysely<Tables>): boolean {
  return db.getExecutor().adapter.supportsMultipleConnections !== false;
}
