// What the dialects write differently. Everything else in tables/ is the same SQL for all of them.

import type { Kysely } from "kysely";
import type { Tables } from "./schema.ts";

export interface SqlDialect {
  /** The nth parameter of a statement, counted from 1. */
  mark(position: number): string;
  /** A field of a JSON document in a text column; SQL null where the document has none. */
  field(column: string, path: string, type: "text" | "number"): string;
  /** Rows that are joined to a list come in the order of that list, without being sorted. */
  readonly joinsInOrder: boolean;
  /** A text may have a NUL character in it. */
  readonly takesNul: boolean;
  /** The highest id that a table whose database counts them has ever given, as `last`. */
  lastId(table: string): string;
  /** Lets such a table continue after this id. */
  continueAfter(table: string, last: number): readonly string[];
  /** For a transaction in which another store is waited for; empty: nothing limits it. */
  readonly patience: readonly string[];
  /** Each prints what is wrong with the database itself: rows of texts, apart from `ok`. */
  readonly integrity: readonly string[];
}

const sqlite: SqlDialect = {
  mark: () => "?",
  field: (column, path) => `json_extract(${column}, '$.${path}')`,
  joinsInOrder: true,
  takesNul: true,
  lastId: (table) => `select max(seq) as last from sqlite_sequence where name = '${table}'`,
  continueAfter: (table, last) => [
    `delete from sqlite_sequence where name = '${table}'`,
    `insert into sqlite_sequence (name, seq) values ('${table}', ${last})`,
  ],
  patience: [],
  integrity: [
    "select integrity_check as problem from pragma_integrity_check",
    `select "table" || ' row ' || coalesce(rowid, '?') || ' refers to a missing row of ' || parent as problem
      from pragma_foreign_key_check limit 100`,
  ],
};

const postgres: SqlDialect = {
  mark: (position) => `$${position}`,
  field: (column, path, type) => {
    const keys = path.split(".").join(",");
    const text = `(${readable(column)}::json #>> '{${keys}}')`;
    return type === "number" ? `${text}::double precision` : text;
  },
  joinsInOrder: false,
  takesNul: false,
  lastId: (table) => {
    const sequence = `pg_get_serial_sequence('${table}', 'id')`;
    return `select pg_sequence_last_value(${sequence}::regclass) as last`;
  },
  continueAfter: (table, last) => [`select setval(pg_get_serial_sequence('${table}', 'id'), ${last})`],
  patience: ["set local statement_timeout = 0", "set local idle_in_transaction_session_timeout = '10min'"],
  // The server checks its own pages, and enforces references.
  integrity: [],
};

/** PostgreSQL fails on a document with the escape of a NUL or of half a character, whatever is asked of it. */
function readable(column: string): string {
  const escapes = String.raw`'\\u(0000|d[89a-f][0-9a-f]{2})', '\\ufffd', 'gi'`;
  return `(case when strpos(${column}, '\\u') = 0 then ${column} else regexp_replace(${column}, ${escapes}) end)`;
}

export function dialectOf(db: Kysely<Tables>): SqlDialect {
  return db.getExecutor().adapter.supportsMultipleConnections === false ? sqlite : postgres;
}
