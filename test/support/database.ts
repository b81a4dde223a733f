// The store's database file, opened beside the store, so that a test can read or damage it without the store.

import { DatabaseSync, type SQLInputValue } from "node:sqlite";

type Row = Readonly<Record<string, SQLInputValue>>;

/** Runs one statement on the file and returns its rows. */
export function queryFile(file: string, sql: string, ...values: readonly SQLInputValue[]): readonly Row[] {
  const database = new DatabaseSync(file);
  try {
    return database
      .prepare(sql)
      .all(...values)
      .map((row) => ({ ...row }));
  } finally {
    database.close();
  }
}
