// A transaction on one connection of the pool. Statements go to the server one behind the other, and only answers that something depends
// on are awaited: the way there and back takes as long as most statements do.

import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from "kysely";
import type { PoolClient } from "pg";
import type { Tables } from "../schema.ts";
import type { ChangeCheck, SentExecution } from "../statement.ts";

/** What the driver answers. */
interface Answer {
  readonly command: string;
  readonly rowCount: number | null;
  readonly rows: unknown[];
}

export class WriteSession implements SentExecution {
  /** For queries within the transaction. */
  readonly db: Kysely<Tables>;
  readonly #client: PoolClient;
  readonly #unanswered = new Set<Promise<void>>();
  #asked = 0;
  /** Of all statements that failed, the first: the server refuses those that follow. */
  #failure: { readonly place: number; readonly error: unknown } | null = null;

  constructor(client: PoolClient) {
    this.#client = client;
    this.db = new Kysely<Tables>({ dialect: new SessionDialect(this) });
  }

  /** What it changes is there for every later statement. If it fails, the next answer that is awaited says so. */
  send(sql: string, values: readonly unknown[], check?: ChangeCheck): void {
    const place = this.#next();
    const answered = this.#ask(sql, values)
      .then(({ rowCount }) => check?.(rowCount ?? 0))
      .catch((error: unknown) => this.#failed(place, error))
      .finally(() => this.#unanswered.delete(answered));
    this.#unanswered.add(answered);
  }

  async answer(sql: string, values: readonly unknown[]): Promise<Answer> {
    const place = this.#next();
    try {
      return await this.#ask(sql, values);
    } catch (error) {
      this.#failed(place, error);
      await this.settle();
      throw error;
    }
  }

  async rows(sql: string, values: readonly unknown[]): Promise<unknown[]> {
    return (await this.answer(sql, values)).rows;
  }

  async change(sql: string, values: readonly unknown[]): Promise<number> {
    return (await this.answer(sql, values)).rowCount ?? 0;
  }

  /** Waits for all that was sent. Throws what went wrong first, which is the reason for everything after it. */
  async settle(): Promise<void> {
    while (this.#unanswered.size > 0) await Promise.all(this.#unanswered);
    if (this.#failure !== null) throw this.#failure.error;
  }

  #next(): number {
    this.#asked += 1;
    return this.#asked;
  }

  /** The driver may tell an error before the answer to an earlier statement. */
  #failed(place: number, error: unknown): void {
    if (this.#failure === null || place < this.#failure.place) this.#failure = { place, error };
  }

  async #ask(sql: string, values: readonly unknown[]): Promise<Answer> {
    return await this.#client.query(sql, [...values]);
  }
}

/** Runs `work` between `begin` and `commit`, or takes everything back. */
export async function inSession<T>(
  client: PoolClient,
  begin: string,
  work: (session: WriteSession) => Promise<T>,
): Promise<T> {
  const session = new WriteSession(client);
  let isBroken = false;
  try {
    session.send(begin, []);
    const result = await work(session);
    await session.settle();
    await session.answer("commit", []);
    return result;
  } catch (error) {
    const first = await session.settle().then(
      () => error,
      (failure: unknown) => failure,
    );
    await client.query("rollback").catch(() => {
      isBroken = true;
    });
    throw first;
  } finally {
    client.release(isBroken);
  }
}

/** Kysely for the queries of one session. In a transaction of its own, each query would wait for the one before. */
class SessionDialect implements Dialect {
  readonly #session: WriteSession;

  constructor(session: WriteSession) {
    this.#session = session;
  }

  createAdapter(): SessionAdapter {
    return new SessionAdapter(this.#session);
  }

  createDriver(): Driver {
    return new SessionDriver(this.#session);
  }

  createQueryCompiler(): PostgresQueryCompiler {
    return new PostgresQueryCompiler();
  }

  createIntrospector(db: Kysely<never>): PostgresIntrospector {
    return new PostgresIntrospector(db);
  }
}

/** By it a statement finds its session. */
class SessionAdapter extends PostgresAdapter {
  readonly sent: SentExecution;

  constructor(session: WriteSession) {
    super();
    this.sent = session;
  }
}

class SessionDriver implements Driver {
  readonly #connection: DatabaseConnection;

  constructor(session: WriteSession) {
    this.#connection = {
      executeQuery: async <R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> => {
        const { command, rowCount, rows } = await session.answer(sql, parameters);
        const isChange = ["INSERT", "UPDATE", "DELETE", "MERGE"].includes(command);
        return { rows: rows as R[], ...(isChange ? { numAffectedRows: BigInt(rowCount ?? 0) } : {}) };
      },
      streamQuery: () => {
        throw new Error("a session streams nothing");
      },
    };
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }

  async beginTransaction(): Promise<void> {
    throw new Error("a session is a transaction");
  }

  async commitTransaction(): Promise<void> {}

  async rollbackTransaction(): Promise<void> {}

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {}
}
