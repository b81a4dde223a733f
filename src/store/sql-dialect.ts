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
}

const sqlite: SqlDialect = {
  mark: () => "?",
  field: (column, path) => `json_extract(${column}, '$.${path}')`,
  joinsInOrder: true,
};

const postgres: SqlDialect = {
  mark: (position) => `$${position}`,
  field: (column, path, type) => {
    const keys = path.split(".").join(",");
    const text = `(${readable(column)}::json #>> '{${keys}}')`;
    return type === "number" ? `${text}::double precision` : text;
  },
  joinsInOrder: false,
};

/** PostgreSQL fails on a document with the escape of a NUL or of half a character, whatever is asked of it. */
function readable(column: string): string {
  const escapes = String.raw`'\\u(0000|d[89a-f][0-9a-f]{2})', '\\ufffd', 'gi'`;
  return `(case when strpos(${column}, '\\u') = 0 then ${column} else regexp_replace(${column}, ${escapes}) end)`;
}

export function dialectOf(db: Kysely<Tables>): SqlDialect {
  return db.getExecutor().adapter.supportsMultipleConnections === false ? sqlite : postgres;
}
