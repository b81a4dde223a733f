// Every query on permits, which limit how many attempts may hold a key at once.

import type { Kysely } from "kysely";
import { type AttemptId, attemptId } from "../../domain/ids.ts";
import type { PermitRow, Tables } from "../schema.ts";
import { statement } from "../statement.ts";
import type { PermitLimit, PermitWaiter } from "../store.ts";
import { isNext, leaveLine, standInLine } from "./permit-lines.ts";

/** Takes all of them or none. Returns the key that has no place. */
export async function takePermits(
  db: Kysely<Tables>,
  attempt: AttemptId,
  limits: readonly PermitLimit[],
  waiter: PermitWaiter | null,
): Promise<string | null> {
  // Always in the same order, so that the line in which a step waits does not depend on the order of its limits.
  for (const { key, limit, inLine } of limits.toSorted((a, b) => (a.key < b.key ? -1 : 1))) {
    const { held } = await count.one(db, { key });
    const line = inLine === true ? waiter : null;
    if (held < limit && (line === null || (await isNext(db, key, line)))) continue;
    if (line !== null) await standInLine(db, key, line);
    return key;
  }
  for (const { key, inLine } of limits) {
    await insert.run(db, { key, attempt_id: attempt });
    if (inLine === true && waiter !== null) await leaveLine(db, key, waiter);
  }
  return null;
}

export async function releasePermits(db: Kysely<Tables>, attempts: readonly AttemptId[]): Promise<void> {
  for (const attempt of attempts) await remove.run(db, { attempt });
}

export async function selectPermitHolders(db: Kysely<Tables>, key: string): Promise<readonly AttemptId[]> {
  return (await holders.all(db, { key })).map((row) => attemptId(row.attempt_id));
}

const count = statement<{ key: string }, { held: number }>((db, p) =>
  db
    .selectFrom("permits")
    .select((e) => e.fn.countAll<number>().as("held"))
    .where("key", "=", p("key")),
);

const holders = statement<{ key: string }, PermitRow>((db, p) =>
  db.selectFrom("permits").selectAll().where("key", "=", p("key")).orderBy("attempt_id"),
);

const insert = statement<PermitRow>((db, p) =>
  db.insertInto("permits").values({ key: p("key"), attempt_id: p("attempt_id") }),
);

const remove = statement<{ attempt: string }>((db, p) =>
  db.deleteFrom("permits").where("attempt_id", "=", p("attempt")),
);
