// Every query on offers: ready steps that workers may claim. Their table is called `ready`.

import { type Kysely, sql } from "kysely";
import { partName, type RunId, runId, stepId } from "../../domain/ids.ts";
import type { ReadyRow, Tables } from "../schema.ts";
import { sqlText } from "../sql-text.ts";
import { statement } from "../statement.ts";
import type { NewOffer, Offer, OfferedStep, OfferFilter, WaitingFigures } from "../store.ts";
import { scopeKey, storyOfKey } from "./scope-key.ts";

/** A key column must not be null. No part has this name. */
const wholeStep = "";

export async function selectOffers(db: Kysely<Tables>, filter: OfferFilter): Promise<readonly Offer[]> {
  return (await rowsFor(db, filter)).map((row) => ({
    run: runId(row.run_id),
    story: storyOfKey(row.story_id),
    step: stepId(row.step),
    part: row.part === wholeStep ? null : partName(row.part),
    agent: row.agent,
  }));
}

export async function selectNextOfferTime(
  db: Kysely<Tables>,
  run: RunId | null,
  after: number,
): Promise<number | null> {
  const later = db
    .selectFrom("ready")
    .select((e) => e.fn.min("not_before").as("time"))
    .where("paused", "=", 0)
    .where("not_before", ">", after)
    .where((e) => e.not(isPutBack(after)));
  const row = await (run === null ? later : later.where("run_id", "=", run)).executeTakeFirst();
  return row?.time ?? null;
}

export async function selectWaiting(db: Kysely<Tables>, now: number): Promise<WaitingFigures> {
  const { total, due, since } = await figures.one(db, { now });
  return { due, later: total - due, dueSince: since };
}

export async function insertOffer(db: Kysely<Tables>, offer: NewOffer): Promise<void> {
  await insert.run(db, {
    run_id: offer.run,
    story_id: scopeKey(offer.story),
    step: offer.step,
    part: offer.part ?? wholeStep,
    agent: offer.agent,
    paused: offer.paused ? 1 : 0,
    not_before: offer.notBefore,
    pause_ms: offer.pauseMs,
    run_number: offer.runNumber,
  });
}

export async function deleteOffer(db: Kysely<Tables>, run: RunId, offered: OfferedStep): Promise<void> {
  const { story, step, part } = offered;
  await remove.run(db, { run, story: scopeKey(story), step, part: part ?? wholeStep });
}

export async function deleteOffers(db: Kysely<Tables>, run: RunId): Promise<void> {
  await removeAll.run(db, { run });
}

export async function pauseOffers(db: Kysely<Tables>, run: RunId, paused: boolean): Promise<void> {
  await markPaused.run(db, { run, paused: paused ? 1 : 0 });
}

async function rowsFor(db: Kysely<Tables>, filter: OfferFilter): Promise<readonly OfferRow[]> {
  const { run, agent, now, limit } = filter;
  if (run !== null && agent !== null) return await ofRunForAgent.all(db, { run, agent, now, limit });
  if (run !== null) return await ofRun.all(db, { run, now, limit });
  if (agent !== null) return await forAgent.all(db, { agent, now, limit });
  return await forAll.all(db, { now, limit });
}

/** The clock was put back: so long a wait is none that a step was given. The same as in `isDue`. */
const isPutBack = (now: number) => sql<boolean>`coalesce(not_before - ${now} >= 2 * pause_ms, false)`;

type Page = { now: number; limit: number };
type OfferRow = Pick<ReadyRow, "run_id" | "story_id" | "step" | "part" | "agent">;

/** Oldest run first; within a run, the step that has been ready longest first. */
const inOrder = (db: Kysely<Tables>, p: (name: keyof Page) => number) =>
  db
    .selectFrom("ready")
    .select(["run_id", "story_id", "step", "part", "agent"])
    .where("paused", "=", 0)
    .where((e) => e.or([e("not_before", "<=", p("now")), isPutBack(p("now"))]))
    .orderBy("run_number")
    .orderBy("not_before")
    .orderBy("story_id")
    .limit(p("limit"));

const forAll = statement<Page, OfferRow>((db, p) => inOrder(db, p));

const forAgent = statement<Page & { agent: string }, OfferRow>((db, p) =>
  inOrder(db, p).where("agent", "=", p("agent")),
);

const ofRun = statement<Page & { run: string }, OfferRow>((db, p) => inOrder(db, p).where("run_id", "=", p("run")));

const ofRunForAgent = statement<Page & { run: string; agent: string }, OfferRow>((db, p) =>
  inOrder(db, p).where("run_id", "=", p("run")).where("agent", "=", p("agent")),
);

/** Whether a step is due is the same as in `inOrder`. */
const figures = statement<{ now: number }, { total: number; due: number; since: number | null }>(
  (_, p) => sqlText`select count(*) as total, count(case when is_due then 1 end) as due,
    min(case when is_due then not_before end) as since
    from (select not_before, not_before <= ${p("now")} or coalesce(not_before - ${p("now")} >= 2 * pause_ms, false) as is_due
      from ready where paused = 0) as steps`,
);

const insert = statement<ReadyRow>((db, p) =>
  db.insertInto("ready").values({
    run_id: p("run_id"),
    story_id: p("story_id"),
    step: p("step"),
    part: p("part"),
    agent: p("agent"),
    paused: p("paused"),
    not_before: p("not_before"),
    pause_ms: p("pause_ms"),
    run_number: p("run_number"),
  }),
);

const remove = statement<{ run: string; story: string; step: string; part: string }>((db, p) =>
  db
    .deleteFrom("ready")
    .where("run_id", "=", p("run"))
    .where("story_id", "=", p("story"))
    .where("step", "=", p("step"))
    .where("part", "=", p("part")),
);

const removeAll = statement<{ run: string }>((db, p) => db.deleteFrom("ready").where("run_id", "=", p("run")));

const markPaused = statement<{ run: string; paused: number }>((db, p) =>
  db
    .updateTable("ready")
    .set({ paused: p("paused") })
    .where("run_id", "=", p("run")),
);
