// Every query on permits, which limit how many attempts may hold a key at once.

import type { Kysely } from "kysely";
import type { AttemptId } from "../../domain/ids.ts";
import type { PermitRow, Tables } from "../schema.ts";
import { statement } from "../statement.ts";
import type { PermitLimit } from "../store.ts";

/** Takes all of them or none. */
export async function takePermits(
  db: Kysely<Tables>,
  attempt: AttemptId,
  limits: readonly PermitLimit[],
): Promise<boolean> {
  // Always in the same order, so that two transactions that need the same keys cannot deadlock.
  for (const { key, limit } of limits.toSorted((a, b) => (a.key < b.key ? -1 : 1))) {
    await lockKey.run(db, { key });
    const { held } = await count.one(db, { key });
    if (held >= limit) return false;
  }
  for (const { key } of limits) await insert.run(db, { key, attempt_id: attempt });
  return true;
}

export async function releasePermits(db: Kysely<Tables>, attempts: readonly AttemptId[]): Promise<void> {
  for (const attempt of attempts) await remove.run(db, { attempt });
}

/** Locks the row of the key until the commit, so that the next transaction that counts its permits sees ours. */
const lockKey = statement<{ key: string }>((db, p) =>
  db
    .insertInto("permit_keys")
    .values({ key: p("key") })
    .onConflict((c) => c.column("key").doUpdateSet({ key: p("key") })),
);

const count = statement<{ key: string }, { held: number }>((db, p) =>
  db
    .selectFrom("permits")
    .select((e) => e.fn.countAll<number>().as("held"))
    .where("key", "=", p("key")),
);

const insert = statement<PermitRow>((db, p) =>
  db.insertInto("permits").values({ key: p("key"), attempt_id: p("attempt_id") }),
);

const remove = statement<{ attempt: string }>((db, p) =>
  db.deleteFrom("permits").where("attempt_id", "=", p("attempt")),
);
