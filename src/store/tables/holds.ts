// Every query on holds: accounts that refused an agent.

import type { Kysely } from "kysely";
import type { HoldRow, Tables } from "../schema.ts";
import { sqlText } from "../sql-text.ts";
import { statement } from "../statement.ts";
import type { Hold } from "../store.ts";

export async function selectHolds(db: Kysely<Tables>): Promise<readonly Hold[]> {
  const rows = await all.all(db, {});
  return rows.map((row) => ({ ...row, cause: row.cause === "auth" ? "auth" : "quota" }));
}

export async function holdAccount(db: Kysely<Tables>, refused: Omit<Hold, "times">): Promise<void> {
  const before = (await selectHolds(db)).find(({ account }) => account === refused.account);
  // Agents that are refused during the same hold count as one refusal.
  const isRunning = before !== undefined && before.until > refused.since;
  const times = before === undefined ? 1 : before.times + (isRunning ? 0 : 1);
  await upsert.run(db, { ...refused, times });
}

/** Removes the hold unless it is newer than `since`; null: in any case. */
export async function releaseAccount(db: Kysely<Tables>, account: string, since: number | null): Promise<void> {
  await remove.run(db, { account, since: since ?? Number.MAX_SAFE_INTEGER });
}

const all = statement<Record<string, never>, HoldRow>(() => sqlText`select * from holds`);

/** The newest refusal wins. */
const upsert = statement<HoldRow>((db, p) =>
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

const remove = statement<{ account: string; since: number }>((db, p) =>
  db.deleteFrom("holds").where("account", "=", p("account")).where("since", "<=", p("since")),
);
