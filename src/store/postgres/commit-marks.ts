// What a commit leaves, so that its process can find out whether it was made when the answer was lost. The id of a transaction is not
// enough: a server that dies before it has written the commit forgets the id, too, and gives it to another transaction.

import { type Kysely, sql } from "kysely";
import type { Tables } from "../schema.ts";

/** Inside the transaction that migrates. Running it twice is harmless. */
export async function createMarkTable(db: Kysely<Tables>): Promise<void> {
  await sql`create table if not exists commit_marks (
    id text primary key,
    made_at timestamptz not null default now())`.execute(db);
}

/** A commit that was sent. */
export interface SentCommit {
  readonly xid: string;
  readonly mark: string;
}

export class CommitMarks {
  /** Those whose answer has come: nobody will ask for them. */
  #answered: string[] = [];

  /**
   * The last statement of a transaction that writes: leaves a mark in it, and announces it on `channel`. Null: it wrote nothing. Removes
   * what is not asked for any more; processes that were killed have left some. `check` gets the version of the schema, which a newer Pawl may
   * have migrated since the store was opened.
   */
  async leave(
    trx: Kysely<Tables>,
    { channel, payload }: { readonly channel: string; readonly payload: string },
    check: (version: number) => void,
  ): Promise<SentCommit | null> {
    const mark = crypto.randomUUID();
    const answered = this.#answered.splice(0);
    const { rows } = await sql<{ xid: string | null; version: number }>`
      with own as (select pg_current_xact_id_if_assigned()::text as xid),
      removed as (delete from commit_marks where exists (select from own where xid is not null)
        and (id = any(${answered}) or made_at < now() - interval '1 day')),
      left_behind as (insert into commit_marks (id) select ${mark} from own where xid is not null)
      select xid, case when xid is null then null else pg_notify(${channel}, ${payload})::text end as told,
        (select count(*) from migrations) as version from own`.execute(trx);
    const [row] = rows;
    if (row === undefined || row.xid === null) return null;
    check(row.version);
    return { xid: row.xid, mark };
  }

  answered({ mark }: SentCommit): void {
    this.#answered.push(mark);
  }
}

/** Null: the server has not finished with it yet. An id that it has not given since it recovered is nobody's. */
export async function wasCommitted(db: Kysely<Tables>, { xid, mark }: SentCommit): Promise<boolean | null> {
  const { rows } = await sql<{ status: string | null }>`select case
    when ${xid}::xid8 < pg_snapshot_xmax(pg_current_snapshot()) then pg_xact_status(${xid}::xid8) end as status`.execute(
    db,
  );
  if (rows[0]?.status === "in progress") return null;
  // In a statement of its own, which sees all that had ended before.
  return (await sql`select from commit_marks where id = ${mark}`.execute(db)).rows.length === 1;
}
