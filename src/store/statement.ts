// Compiles a query once and keeps its SQL and the order of its parameters. Building and compiling a Kysely query costs more than
// SQLite needs to run it, and a transition runs a dozen.

import { type Compilable, CompiledQuery, type Kysely } from "kysely";
import type { Tables } from "./schema.ts";
import { dialectOf } from "./sql-dialect.ts";
import { type Compiled, SqlParameter, SqlText } from "./sql-text.ts";
import { VersionConflict } from "./store.ts";

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

/** Throws if a statement has changed too few rows. */
export type ChangeCheck = (changed: number) => void;

/** For a write that finds nothing where another writer was faster. */
export function orConflict(what: string): ChangeCheck {
  return (changed) => {
    if (changed === 0) throw new VersionConflict(what);
  };
}

/**
 * What the adapter has within a transaction on a server, whose answers take their time. The failure of a statement that is sent comes with
 * the next answer, or before the commit.
 */
export interface SentExecution {
  send(sql: string, parameters: readonly unknown[], check?: ChangeCheck): void;
  rows(sql: string, parameters: readonly unknown[]): Promise<unknown[]>;
  change(sql: string, parameters: readonly unknown[]): Promise<number>;
}

type Parameter<Args> = <K extends keyof Args & string>(name: K) => Args[K];

export interface Statement<Args, Row> {
  all(db: Kysely<Tables>, args: Args): Promise<Row[]>;
  first(db: Kysely<Tables>, args: Args): Promise<Row | undefined>;
  /** For a query that always has a row. */
  one(db: Kysely<Tables>, args: Args): Promise<Row>;
  /** A write of which nothing is to be known. `check`: what must be true of it for the transaction to be committed. */
  run(db: Kysely<Tables>, args: Args, check?: ChangeCheck): Promise<void>;
  /** Returns how many rows were changed. */
  count(db: Kysely<Tables>, args: Args): Promise<number>;
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
    const direct = isDirect(adapter) && (db.isTransaction || adapter.isIdle) ? adapter : null;
    return { sql, bound, direct, session: hasSession(adapter) ? adapter.sent : null };
  };

  /** Rows that are there at once are not awaited. */
  const rows = (db: Kysely<Tables>, args: Args): Row[] | Promise<Row[]> => {
    const { sql, bound, direct, session } = bind(db, args);
    if (direct !== null) return direct.rows(sql, bound) as Row[];
    return session === null ? queried(db, sql, bound) : (session.rows(sql, bound) as Promise<Row[]>);
  };

  const queried = async (db: Kysely<Tables>, sql: string, bound: unknown[]): Promise<Row[]> =>
    (await db.executeQuery<Row>(CompiledQuery.raw(sql, bound))).rows;

  const count = async (db: Kysely<Tables>, args: Args): Promise<number> => {
    const { sql, bound, direct, session } = bind(db, args);
    if (direct !== null) return direct.change(sql, bound);
    if (session !== null) return await session.change(sql, bound);
    return Number((await db.executeQuery(CompiledQuery.raw(sql, bound))).numAffectedRows ?? 0);
  };

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
    async run(db, args, check) {
      const { sql, bound, direct, session } = bind(db, args);
      if (session !== null) return session.send(sql, bound, check);
      const changed = direct === null ? await count(db, args) : direct.change(sql, bound);
      check?.(changed);
    },
    count,
  };
}

function isDirect(adapter: object): adapter is DirectExecution {
  return "rows" in adapter && "change" in adapter;
}

function hasSession(adapter: object): adapter is { readonly sent: SentExecution } {
  return "sent" in adapter;
}
