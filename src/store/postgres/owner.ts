// Which home a store belongs to. Runs have their trees and logs in a home, and a process that finds a run of another home would take its
// worker for dead and its tree for lost. So the first home that opens a store on a server has it.

import { type Kysely, sql } from "kysely";
import { AppError } from "../../domain/error.ts";
import type { Tables } from "../schema.ts";

export interface StoreOwner {
  /** Of the home, not of its path: a home that moves stays the same. */
  readonly id: string;
  readonly host: string;
  readonly dir: string;
}

/** Inside the transaction that migrates. Running it twice is harmless. */
export async function createOwnerTable(db: Kysely<Tables>): Promise<void> {
  await sql`create table if not exists homes (id text primary key, host text not null, dir text not null)`.execute(db);
}

/** Inside a write transaction. */
export async function recordOwner(db: Kysely<Tables>, { id, host, dir }: StoreOwner): Promise<void> {
  await sql`insert into homes (id, host, dir) select ${id}, ${host}, ${dir}
    where not exists (select from homes)`.execute(db);
}

export async function assertOwner(db: Kysely<Tables>, own: StoreOwner, store: string): Promise<void> {
  const { rows } = await sql<StoreOwner>`select id, host, dir from homes`.execute(db);
  const [other] = rows.filter(({ id }) => id !== own.id);
  if (other === undefined || rows.some(({ id }) => id === own.id)) return;
  throw new AppError("STORE_UNUSABLE", `the store ${store} belongs to another home: ${other.dir} on ${other.host}`, {
    hint: "give this home a schema of its own with ?schema=NAME at the end of the address; if that home is gone for good, delete its row from the table homes",
  });
}
