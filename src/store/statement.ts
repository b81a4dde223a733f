// Compiles a query once and keeps its SQL and the order of its parameters. Building and compiling a Kysely query costs more than
// SQLite needs to run it, and a transition runs a dozen.

import { type Compilable, CompiledQuery, type Kysely } from "kysely";
import type { Tables } from "./schema.ts";

/** Stands for a value while the query is compiled. */
class Placeholder {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
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

/** `build` is called once for each dialect; `p("name")` marks where an argument goes. */
export function statement<Args extends object, Row = never>(
  build: (db: Kysely<Tables>, p: Parameter<Args>) => Compilable<Row>,
): Statement<Args, Row> {
  const compiled = new Map<string, CompiledQuery<Row>>();

  const bind = (db: Kysely<Tables>, args: Args): CompiledQuery<Row> => {
    const dialect = db.getExecutor().adapter.constructor.name;
    let query = compiled.get(dialect);
    if (!query) {
      // The placeholder travels through Kysely as an opaque value and comes back in `parameters`.
      const { sql, parameters } = build(db, (name) => new Placeholder(name) as never).compile();
      query = CompiledQuery.raw(sql, [...parameters]);
      compiled.set(dialect, query);
    }
    const values = args as Readonly<Record<string, unknown>>;
    const parameters = query.parameters.map((value) => (value instanceof Placeholder ? values[value.name] : value));
    return { ...query, parameters };
  };

  return {
    async all(db, args) {
      return (await db.executeQuery(bind(db, args))).rows;
    },
    async first(db, args) {
      return (await db.executeQuery(bind(db, args))).rows[0];
    },
    async one(db, args) {
      const [row] = (await db.executeQuery(bind(db, args))).rows;
      if (row === undefined) throw new Error("a statement that must return a row returned none");
      return row;
    },
    async run(db, args) {
      return Number((await db.executeQuery(bind(db, args))).numAffectedRows ?? 0);
    },
  };
}
