// The rows that the product has written, as plain SQL with plain values: to write the same rows without it, or to fill a store with
// ten thousand runs in seconds.

import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";

type Row = Readonly<Record<string, SQLInputValue>>;
/** Table, then key, then row. */
export type Contents = ReadonlyMap<string, ReadonlyMap<string, Row>>;

interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  readonly key: readonly string[];
  /** The database assigns its key. */
  readonly counted: boolean;
}

/** A statement that changes one row. */
export interface Change {
  readonly sql: string;
  readonly columns: readonly string[];
  readonly values: readonly SQLInputValue[];
}

export function tablesOf(db: DatabaseSync): readonly Table[] {
  const names = db.prepare("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'").all();
  return names.map(({ name }) => {
    const columns = db.prepare(`select name, type, pk from pragma_table_info(?) order by cid`).all(String(name));
    const key = columns.filter((column) => column["pk"] !== 0);
    const counted = key.length === 1 && String(key[0]?.["type"]).toLowerCase() === "integer";
    const nameOf = (column: (typeof columns)[number]) => String(column["name"]);
    return { name: String(name), columns: columns.map(nameOf), key: key.map(nameOf), counted };
  });
}

export function readAll(db: DatabaseSync, tables: readonly Table[]): Contents {
  return new Map(
    tables.map((table) => {
      const rows = db.prepare(`select * from ${table.name}`).all() as Row[];
      return [table.name, new Map(rows.map((row) => [keyOf(table, row), row]))];
    }),
  );
}

/** The fewest statements that lead from one to the other. */
export function changesBetween(tables: readonly Table[], before: Contents, after: Contents): readonly Change[] {
  return tables.flatMap((table) => {
    const was = before.get(table.name) ?? new Map<string, Row>();
    const is = after.get(table.name) ?? new Map<string, Row>();
    const gone = [...was].filter(([key]) => !is.has(key)).map(([, row]) => removal(table, row));
    const changed = [...is].flatMap(([key, row]) => {
      const earlier = was.get(key);
      if (earlier === undefined) return [insertion(table, row)];
      const columns = table.columns.filter((column) => earlier[column] !== row[column]);
      return columns.length === 0 ? [] : [update(table, row, columns)];
    });
    return [...gone, ...changed];
  });
}

/** All rows of one run, as insertions. */
export function rowsOfRun(tables: readonly Table[], contents: Contents, run: string): readonly Change[] {
  return tables.flatMap((table) =>
    [...(contents.get(table.name)?.values() ?? [])]
      .filter((row) => (table.name === "runs" ? row["id"] : row["run_id"]) === run)
      .map((row) => insertion(table, row)),
  );
}

function insertion(table: Table, row: Row): Change {
  const columns = table.columns.filter((column) => !(table.counted && table.key.includes(column)));
  const marks = columns.map(() => "?").join(", ");
  return write(`insert into ${table.name} (${columns.join(", ")}) values (${marks})`, row, columns);
}

function update(table: Table, row: Row, columns: readonly string[]): Change {
  const set = columns.map((column) => `${column} = ?`).join(", ");
  return write(`update ${table.name} set ${set} where ${where(table)}`, row, [...columns, ...table.key]);
}

function removal(table: Table, row: Row): Change {
  return write(`delete from ${table.name} where ${where(table)}`, row, table.key);
}

function write(sql: string, row: Row, columns: readonly string[]): Change {
  return { sql, columns, values: columns.map((column) => row[column] ?? null) };
}

function where(table: Table): string {
  return table.key.map((column) => `${column} = ?`).join(" and ");
}

function keyOf(table: Table, row: Row): string {
  return JSON.stringify(table.key.map((column) => row[column]));
}

/** The names in a copy: new ids for those of the original, and a new number for the run. */
export interface Names {
  readonly ids: ReadonlyMap<string, string>;
  readonly number: number;
}

/** The changes of one run, as a template for others. The constructor finds once which values name the run or its attempts. */
export class Template {
  readonly #parts: readonly { statement: string; values: readonly ((names: Names) => SQLInputValue)[] }[];

  constructor(changes: readonly Change[], ids: readonly string[]) {
    const anyId = new RegExp(ids.join("|"), "g");
    this.#parts = changes.map(({ sql, columns, values }) => ({
      statement: sql,
      values: values.map((value, index) => {
        const column = columns[index];
        if (column === "run_number" || (column === "number" && sql.startsWith("insert into runs ")))
          return ({ number }) => number;
        if (typeof value !== "string" || value.search(anyId) === -1) return () => value;
        return ({ ids: renamed }) => value.replace(anyId, (id) => renamed.get(id) ?? id);
      }),
    }));
  }

  /** Ready to run: only binding and stepping are left. */
  bind(prepare: (sql: string) => StatementSync, names: Names): readonly Bound[] {
    return this.#parts.map(({ statement, values }) => ({
      statement: prepare(statement),
      values: values.map((value) => value(names)),
    }));
  }
}

export interface Bound {
  readonly statement: StatementSync;
  readonly values: readonly SQLInputValue[];
}

export function runAll(bound: readonly Bound[]): void {
  for (const { statement, values } of bound) statement.run(...values);
}

/** Prepares each statement once. */
export function preparer(db: DatabaseSync): (sql: string) => StatementSync {
  const prepared = new Map<string, StatementSync>();
  return (sql) => {
    const known = prepared.get(sql) ?? db.prepare(sql);
    prepared.set(sql, known);
    return known;
  };
}
