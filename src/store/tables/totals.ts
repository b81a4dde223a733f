// Every query on totals, which each transition of a run adds to. They grow by addition in SQL, so that parallel stories do not
// compete for the version of the run.

import { type Kysely, sql } from "kysely";
import type { RunId } from "../../domain/ids.ts";
import type { RunTotals } from "../../domain/run.ts";
import type { Tables, TotalsRow } from "../schema.ts";
import { statement } from "../statement.ts";
import { currentPosition } from "./positions.ts";

export async function insertTotals(db: Kysely<Tables>, run: RunId): Promise<void> {
  await insert.run(db, {
    run_id: run,
    events: 0,
    attempts: 0,
    steps: 0,
    cost_usd: 0,
    input_tokens: 0,
    output_tokens: 0,
    cache_read_tokens: 0,
    estimated_usd: 0,
    unreported: 0,
    position: 0,
  });
}

/** Adds the difference of two totals and a number of events, at the current position. Returns how many events the run then has. */
export async function addTotals(
  db: Kysely<Tables>,
  run: RunId,
  events: number,
  was: RunTotals,
  is: RunTotals,
): Promise<number> {
  const row = await add.one(db, {
    run_id: run,
    events,
    attempts: is.attempts - was.attempts,
    steps: is.steps - was.steps,
    cost_usd: is.costUsd - was.costUsd,
    input_tokens: is.inputTokens - was.inputTokens,
    output_tokens: is.outputTokens - was.outputTokens,
    cache_read_tokens: (is.cacheReadTokens ?? 0) - (was.cacheReadTokens ?? 0),
    estimated_usd: (is.estimatedUsd ?? 0) - (was.estimatedUsd ?? 0),
    unreported: is.unreported - was.unreported,
  });
  return row.events;
}

export function readTotals(row: Omit<TotalsRow, "run_id" | "events" | "position">): RunTotals {
  return {
    attempts: row.attempts,
    steps: row.steps,
    costUsd: row.cost_usd,
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    cacheReadTokens: row.cache_read_tokens,
    estimatedUsd: row.estimated_usd,
    unreported: row.unreported,
  };
}

const insert = statement<TotalsRow>((db, p) =>
  db.insertInto("totals").values({
    run_id: p("run_id"),
    events: p("events"),
    attempts: p("attempts"),
    steps: p("steps"),
    cost_usd: p("cost_usd"),
    input_tokens: p("input_tokens"),
    output_tokens: p("output_tokens"),
    cache_read_tokens: p("cache_read_tokens"),
    estimated_usd: p("estimated_usd"),
    unreported: p("unreported"),
    position: p("position"),
  }),
);

const add = statement<Omit<TotalsRow, "position">, { events: number }>((db, p) =>
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
      unreported: sql<number>`unreported + ${p("unreported")}`,
      position: currentPosition,
    })
    .where("run_id", "=", p("run_id"))
    .returning("events"),
);
