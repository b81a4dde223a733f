// Every query on the outbox: effects that were decided and not yet performed.

import { type Kysely, sql } from "kysely";
import { type Effect, laneOf } from "../../domain/effect.ts";
import { errorText } from "../../domain/error.ts";
import { type RunId, runId } from "../../domain/ids.ts";
import { readDocument } from "../document.ts";
import type { Tables } from "../schema.ts";
import { sqlText } from "../sql-text.ts";
import { statement } from "../statement.ts";
import type { FailedClosing, StoredDelivery, StoredEffect, UnreadableEffect } from "../store.ts";

/** The first due effect of each lane, without deliveries. */
export async function selectDueEffects(
  db: Kysely<Tables>,
  now: number,
  limit: number,
): Promise<readonly StoredEffect[]> {
  const rows = await dueEffects.all(db, { now, limit });
  return rows.map((row) => ({ id: row.id, tries: row.tries, effect: effectOf(row) }));
}

/** The first due delivery of each lane, except those to certain targets. */
export async function selectDueDeliveries(
  db: Kysely<Tables>,
  now: number,
  limit: number,
  except: readonly string[],
): Promise<readonly StoredDelivery[]> {
  let due = firstOfLanes(db, now, limit).where("o.lane", "like", `${deliverLane}%`);
  for (const target of except) {
    // Not LIKE: `_` in a name would mean any character.
    const lanes = `${deliverLane}${target}:`;
    due = due.where(sql<string>`substr(o.lane, 1, ${sql.lit(lanes.length)})`, "<>", lanes);
  }
  const rows = await due.execute();
  return rows.flatMap((row) => {
    const effect = effectOf(row);
    // What cannot be read can be sent to nobody; its lane waits.
    return effect.type === "unreadable"
      ? []
      : [{ id: row.id, tries: row.tries, effect: effect as StoredDelivery["effect"] }];
  });
}

export async function insertEffect(db: Kysely<Tables>, effect: Effect, at: number): Promise<void> {
  await insert.run(db, { lane: laneOf(effect), run_id: effect.run, effect: JSON.stringify(effect), at });
}

export async function hasDueEffects(db: Kysely<Tables>, now: number): Promise<boolean> {
  return (await anyDue.first(db, { now })) !== undefined;
}

/** False if another process has taken it since it was read. */
export async function takeEffect(
  db: Kysely<Tables>,
  effect: StoredEffect,
  until: number,
  holder: string | null,
): Promise<boolean> {
  return (await take.count(db, { id: effect.id, tries: effect.tries, until, holder })) > 0;
}

/** The workers that hold effects which are not due. */
export async function selectHolders(db: Kysely<Tables>, now: number): Promise<readonly string[]> {
  return (await holders.all(db, { now })).flatMap(({ holder }) => holder ?? []);
}

export async function releaseEffectsOf(db: Kysely<Tables>, holder: string, now: number): Promise<void> {
  await release.run(db, { holder, now });
}

/** Changes nothing if another process has taken it since. A failure that is given no reason keeps the last one. */
export async function postponeEffect(
  db: Kysely<Tables>,
  taken: StoredEffect,
  until: number,
  why: string | null,
): Promise<void> {
  await postpone.run(db, { id: taken.id, tries: taken.tries, until, why });
}

export async function selectFailedClosings(db: Kysely<Tables>, run: RunId | null): Promise<readonly FailedClosing[]> {
  const rows = await failedClosings.all(db, {});
  const found = rows.map((row) => ({ run: runId(row.run_id), why: row.why ?? "", tries: row.tries }));
  return run === null ? found : found.filter((closing) => closing.run === run);
}

/** False if it is already gone. */
export async function deleteEffect(db: Kysely<Tables>, id: number): Promise<boolean> {
  return (await remove.count(db, { id })) > 0;
}

interface EffectRow {
  readonly id: number;
  readonly run_id: string;
  readonly effect: string;
}

/** Throws where the row is damaged. */
export function readEffect(row: Pick<EffectRow, "id" | "effect">): Effect {
  return readDocument<Effect>(row.effect, `effect ${row.id}`, ["type", "run"]);
}

/** Effects of all runs are read together: a damaged one must not keep those of other runs from being performed. */
function effectOf(row: EffectRow): Effect | UnreadableEffect {
  try {
    return readEffect(row);
  } catch (error) {
    return { type: "unreadable", run: runId(row.run_id), why: `a damaged row of the store: ${errorText(error)}` };
  }
}

/** The prefix that `laneOf` gives the lanes of deliveries. */
const deliverLane = "deliver:";

/** The clocks of two machines differ by less. */
const clocksDifferMs = 60_000;

/** Also if the clock was put back to before it was made, unless a process performs it. */
const isDue = (now: number) =>
  sql<boolean>`(not_before <= ${now} or (holder is null and created_at - ${now} > ${sql.lit(clocksDifferMs)}))`;

/** The same as `isDue`. */
const isDueText = (now: number) =>
  sqlText`(not_before <= ${now} or (holder is null and created_at - ${now} > ${clocksDifferMs}))`;

function firstOfLanes(db: Kysely<Tables>, now: number, limit: number) {
  return db
    .selectFrom("outbox as o")
    .select(["o.id", "o.tries", "o.run_id", "o.effect"])
    .where(isDue(now))
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

/** A driver asks for them in each turn. */
const dueEffects = statement<{ now: number; limit: number }, EffectRow & { tries: number }>((db, p) =>
  firstOfLanes(db, p("now"), p("limit")).where("o.lane", "not like", `${deliverLane}%`),
);

const insert = statement<{ lane: string; run_id: string; effect: string; at: number }>((db, p) =>
  db.insertInto("outbox").values({
    lane: p("lane"),
    run_id: p("run_id"),
    effect: p("effect"),
    created_at: p("at"),
    not_before: p("at"),
    tries: 0,
  }),
);

const anyDue = statement<{ now: number }, { id: number }>(
  (_, p) => sqlText`select id from outbox where ${isDueText(p("now"))} limit 1`,
);

const holders = statement<{ now: number }, { holder: string | null }>(
  (_, p) => sqlText`select distinct holder from outbox where holder is not null and not_before > ${p("now")}`,
);

const release = statement<{ holder: string; now: number }>((db, p) =>
  db
    .updateTable("outbox")
    .set({ not_before: p("now"), holder: null })
    .where("holder", "=", p("holder")),
);

/** The prefix that `laneOf` gives the closing of a run. */
const closeLane = "run:";

const failedClosings = statement<object, { run_id: string; why: string | null; tries: number }>(
  () =>
    sqlText`select run_id, why, tries from outbox where why is not null and lane like ${`${closeLane}%`} order by id`,
);

const take = statement<{ id: number; tries: number; until: number; holder: string | null }>((db, p) =>
  db
    .updateTable("outbox")
    .set({ not_before: p("until"), tries: sql<number>`tries + 1`, holder: p("holder") })
    .where("id", "=", p("id"))
    .where("tries", "=", p("tries")),
);

const postpone = statement<{ id: number; tries: number; until: number; why: string | null }>((db, p) =>
  db
    .updateTable("outbox")
    .set({ not_before: p("until"), holder: null, why: sql<string | null>`coalesce(${p("why")}, why)` })
    .where("id", "=", p("id"))
    .where("tries", "=", p("tries")),
);

const remove = statement<{ id: number }>((db, p) => db.deleteFrom("outbox").where("id", "=", p("id")));
