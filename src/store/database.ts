// The port of a dialect: what the store needs of a database.

import type { Kysely } from "kysely";
import type { Tables } from "./schema.ts";
import type { Backup } from "./store.ts";

/**
 * What a dialect provides: write transactions, one at a time, that wait for each other without blocking the process, and a way to notice
 * commits of other processes. Integers in rows are numbers, even if the driver returns text for 64 bits.
 */
export interface Database {
  readonly db: Kysely<Tables>;
  /** Runs one write transaction, alone, and retries it if the lock was taken or a version changed. */
  write<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T>;
  /** For a single query. */
  read<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T>;
  /** For several queries that must see the same snapshot. */
  snapshot<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T>;
  backup(file: string): Promise<Backup>;
  watch(onChange: () => void): { close(): void };
  close(): Promise<void>;
}
