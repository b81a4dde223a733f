// Every query on the lines of ready steps that wait for a permit. A step stands in line as long as a worker keeps trying to start it:
// one whose driver is gone, or that could not start for another reason, keeps nobody waiting.

import type { Kysely } from "kysely";
import type { PermitLineRow, Tables } from "../schema.ts";
import { statement } from "../statement.ts";
import type { PermitWaiter } from "../store.ts";
import { scopeKey } from "./scope-key.ts";

/** Drivers try at least once a second. */
const staleAfterMs = 5_000;
/** Each write wakes up every driver of the store, so a step that waits does not write at every try. */
const seenEveryMs = 2_000;

/** Whether no older step stands in line. */
export async function isNext(db: Kysely<Tables>, key: string, waiter: PermitWaiter): Promise<boolean> {
  const own = rowOf(key, waiter);
  return (await rowsFor(db, key, waiter.now)).every((row) => isSame(row, own) || isBefore(own, row));
}

export async function standInLine(db: Kysely<Tables>, key: string, waiter: PermitWaiter): Promise<void> {
  const own = rowOf(key, waiter);
  const known = (await rowsFor(db, key, waiter.now)).find((row) => isSame(row, own));
  if (known !== undefined && Math.abs(own.seen - known.seen) < seenEveryMs && known.since === own.since) return;
  await removeStale.run(db, { key, from: waiter.now - staleAfterMs, to: waiter.now + staleAfterMs });
  await upsert.run(db, own);
}

export async function leaveLine(db: Kysely<Tables>, key: string, waiter: PermitWaiter): Promise<void> {
  const { run_id, story_id, step } = rowOf(key, waiter);
  await remove.run(db, { key, run_id, story_id, step });
}

/** A clock that was put back makes a row stale, too. */
async function rowsFor(db: Kysely<Tables>, key: string, now: number): Promise<readonly PermitLineRow[]> {
  return (await inLine.all(db, { key })).filter(({ seen }) => Math.abs(now - seen) <= staleAfterMs);
}

function rowOf(key: string, { run, story, step, since, now }: PermitWaiter): PermitLineRow {
  return { key, run_id: run, story_id: scopeKey(story), step, since, seen: now };
}

function isSame(one: PermitLineRow, other: PermitLineRow): boolean {
  return one.run_id === other.run_id && one.story_id === other.story_id && one.step === other.step;
}

/** By age; steps of the same age by their names, so that two never give way to each other. */
function isBefore(one: PermitLineRow, other: PermitLineRow): boolean {
  if (one.since !== other.since) return one.since < other.since;
  const name = ({ run_id, story_id, step }: PermitLineRow) => JSON.stringify([run_id, story_id, step]);
  return name(one) < name(other);
}

const inLine = statement<{ key: string }, PermitLineRow>((db, p) =>
  db.selectFrom("permit_lines").selectAll().where("key", "=", p("key")),
);

const upsert = statement<PermitLineRow>((db, p) =>
  db
    .insertInto("permit_lines")
    .values({
      key: p("key"),
      run_id: p("run_id"),
      story_id: p("story_id"),
      step: p("step"),
      since: p("since"),
      seen: p("seen"),
    })
    .onConflict((c) =>
      c.columns(["key", "run_id", "story_id", "step"]).doUpdateSet({ since: p("since"), seen: p("seen") }),
    ),
);

const remove = statement<Omit<PermitLineRow, "since" | "seen">>((db, p) =>
  db
    .deleteFrom("permit_lines")
    .where("key", "=", p("key"))
    .where("run_id", "=", p("run_id"))
    .where("story_id", "=", p("story_id"))
    .where("step", "=", p("step")),
);

const removeStale = statement<{ key: string; from: number; to: number }>((db, p) =>
  db
    .deleteFrom("permit_lines")
    .where("key", "=", p("key"))
    .where((e) => e.or([e("seen", "<", p("from")), e("seen", ">", p("to"))])),
);
