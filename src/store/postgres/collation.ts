// How texts are compared: byte by byte, as in a file. Where two columns are compared in different ways, no index leads from one to the
// other, and a look at one run reads all of them.

import { type Kysely, sql } from "kysely";
import type { Tables } from "../schema.ts";

/** Inside the transaction that migrates. Running it twice is harmless. */
export async function compareByBytes(db: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ name: string; columns: readonly string[] }>`
    select relname as name, array_agg(attname::text order by attnum) as columns
    from pg_attribute join pg_class on pg_class.oid = attrelid join pg_collation on pg_collation.oid = attcollation
    where relnamespace = current_schema()::regnamespace and relkind = 'r' and attnum > 0 and not attisdropped
      and atttypid = 'text'::regtype and collname <> 'C'
    group by relname`.execute(db);
  for (const { name, columns } of rows) {
    const changes = columns.map((column) => sql`alter column ${sql.id(column)} type text collate "C"`);
    await sql`alter table ${sql.id(name)} ${sql.join(changes)}`.execute(db);
  }
}
