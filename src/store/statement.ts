// Compiles a query once and keeps its SQL and the order of its parameters. Building and compiling a Kysely query costs more than
// SQLite needs to run it, and a transition runs a dozen.

import { type Compilable, CompiledQuery, type Kysely } from "kysely";
import type { Tables } from "./schema.ts";
import { dialectOf } from "./sql-dialect.ts";
import { type Compiled, SqlParameter, SqlText } from "./sql-text.ts";

/**
 * What the adapter of a dialect has whose connection answers at once. Kysely awaits half a dozen promises for each query, which takes
 * as long as SQLite needs for it.
 */
export interface DirectExecution {
  /** No transaction is open, so that a query at this moment is in none. */
  readonly isIdle: boolean;
  rows(sql: string, parameters: readonly unknown[]): unknown[];
  /** Returns how many rows were changed. */
  change(sql: string, parameters: readonly unknown[]): number;
}

type Parameter<Args> = <K extends keyof Args & string>(name: K) => Args[K];

export interface Statement<Args, Row> {
  all(db: Kysely<Tables>, args: Args): Promise<Row[]>;
  first(db: Kysely<Tables>, args: Args): Promise<Row | undefined>;
  /** For a query that always has a row. */
  one(db: Kysely<Tables>, args: Args): Promise<Row>;
  /** Returns how many rows were changed. */
  run(db: Kysely<Tables>, args: Args): Promise<number>;
}

/**
 * `build` is called once for each dialect; `p("name")` marks where an argument goes. What \`pawl status\` reads is written as SQL:
 * building and compiling those queries took a tenth of its time.
 */
export function statement<Args extends object, Row = never>(
  build: (db: Kysely<Tables>, p: Parameter<Args>) => Compilable<Row> | SqlText,
): Statement<Args, Row> {
  const compiled = new Map<unknown, Compiled>();

  const compiledFor = (db: Kysely<Tables>, dialect: unknown): Compiled => {
    const known = compiled.get(dialect);
    if (known !== undefined) return known;
    // The placeholder travels through Kysely as an opaque value and comes back in `parameters`.
    const built = build(db, (name) => new SqlParameter(name) as never);
    const query = built instanceof SqlText ? built.compile(dialectOf(db).mark) : built.compile();
    compiled.set(dialect, query);
    return query;
  };

  /** `direct` is null while a transaction of another caller is open: Kysely waits until it has ended. */
  const bind = (db: Kysely<Tables>, args: Args) => {
    const { adapter } = db.getExecutor();
    const { sql, parameters } = compiledFor(db, adapter.constructor);
    const values = args as Readonly<Record<string, unknown>>;
    const bound = parameters.map((value) => (value instanceof SqlParameter ? values[value.name] : value));
    return { sql, bound, direct: isDirect(adapter) && (db.isTransaction || adapter.isIdle) ? adapter : null };
  };

  /** Rows that are there at once are not awaited. */
  const rows = (db: Kysely<Tables>, args: Args): Row[] | Promise<Row[]> => {
    const { sql, bound, direct } = bind(db, args);
    return direct === null ? queried(db, sql, bound) : (direct.rows(sql, bound) as Row[]);
  };

  const queried = async (db: Kysely<Tables>, sql: string, bound: unknown[]): Promise<Row[]> =>
    (await db.executeQuery<Row>(CompiledQuery.raw(sql, bound))).rows;

  return {
    async all(db, args) {
      return await rows(db, args);
    },
    async first(db, args) {
      const found = rows(db, args);
      return (Array.isArray(found) ? found : await found)[0];
    },
    async one(db, args) {
      const found = rows(db, args);
      const [row] = Array.isArray(found) ? found : await found;
      if (row === undefined) throw new Error("a statement that must return a row returned none");
      return row;
    },
    async run(db, args) {
      const { sql, bound, direct } = bind(db, args);
      if (direct !== null) return direct.change(sql, bound);
      return Number((await db.executeQuery(CompiledQuery.raw(sql, bound))).numAffectedRows ?? 0);
    },
  };
}

function isDirect(adapter: object): adapter is DirectExecution {
  return "rows" in adapter && "change" in adapter;
}
