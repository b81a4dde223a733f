// Reads and writes the rows of any table in batches, so that the memory for a copy does not grow with the store. A row has the same
// names and values in every dialect: texts, numbers and nulls.

import { type Kysely, sql } from "kysely";
import { sha256Of } from "../../system/sha256.ts";
import type { Tables } from "../schema.ts";
import type { TableOfCopy } from "./copied-tables.ts";

export type TableRow = Readonly<Record<string, unknown>>;

/** A document may have a megabyte. */
const batchRows = 100;

/** In the order of the key, as this database sorts. */
export async function* batchesOf(db: Kysely<Tables>, { name, key }: TableOfCopy): AsyncGenerator<readonly TableRow[]> {
  const columns = sql.join(key.map((column) => sql.ref(column)));
  for (let last: TableRow | undefined; ; ) {
    const values = key.map((column) => last?.[column]);
    const after = last === undefined ? sql`` : sql`where (${columns}) > (${sql.join(values)})`;
    const page = sql<TableRow>`select * from ${sql.table(name)} ${after} order by ${columns} limit ${sql.lit(batchRows)}`;
    const { rows } = await page.execute(db);
    last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    if (rows.length < batchRows) return;
  }
}

export async function insertRows(db: Kysely<Tables>, table: string, rows: readonly TableRow[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  const values = rows.map((row) => sql`(${sql.join(columns.map((column) => row[column]))})`);
  const names = sql.join(columns.map((column) => sql.ref(column)));
  await sql`insert into ${sql.table(table)} (${names}) values ${sql.join(values)}`.execute(db);
}

export async function countRows(db: Kysely<Tables>, table: string): Promise<number> {
  const { rows } = await sql<{ rows: number }>`select count(*) as rows from ${sql.table(table)}`.execute(db);
  return rows[0]?.rows ?? 0;
}

/** The rows of a table as one number: the sum of their hashes, so that it is the same in whatever order a database sorts. */
export class TableDigest {
  rows = 0;
  #sum = 0n;

  add(rows: readonly TableRow[]): void {
    for (const row of rows) {
      const columns = Object.keys(row).toSorted();
      const hash = sha256Of(JSON.stringify(columns.map((column) => [column, row[column]])));
      this.#sum = BigInt.asUintN(256, this.#sum + BigInt(`0x${hash}`));
      this.rows += 1;
    }
  }

  get digest(): string {
    return this.#sum.toString(16).padStart(64, "0");
  }
}
