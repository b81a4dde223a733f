// A Kysely dialect for `node:sqlite`. Statements are prepared once. All queries of a process share one connection, so a
// transaction must never wait for anything slow.

import type { DatabaseSync, StatementSync } from "node:sqlite";
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type TransactionSettings,
} from "kysely";
import type { DirectExecution } from "../statement.ts";

export class NodeSqliteDialect implements Dialect {
  readonly #connection: NodeSqliteConnection;

  constructor(database: DatabaseSync) {
    this.#connection = new NodeSqliteConnection(database);
  }

  createDriver(): Driver {
    return new NodeSqliteDriver(this.#connection);
  }

  createQueryCompiler(): SqliteQueryCompiler {
    return new SqliteQueryCompiler();
  }

  createAdapter(): SqliteAdapter {
    return new NodeSqliteAdapter(this.#connection);
  }

  createIntrospector(db: Kysely<never>): SqliteIntrospector {
    return new SqliteIntrospector(db);
  }
}

class NodeSqliteAdapter extends SqliteAdapter implements DirectExecution {
  readonly #connection: NodeSqliteConnection;

  constructor(connection: NodeSqliteConnection) {
    super();
    this.#connection = connection;
  }

  get isIdle(): boolean {
    return !this.#connection.inTransaction;
  }

  rows(sql: string, parameters: readonly unknown[]): unknown[] {
    return this.#connection.rows(sql, parameters);
  }

  change(sql: string, parameters: readonly unknown[]): number {
    return this.#connection.change(sql, parameters);
  }
}

class NodeSqliteDriver implements Driver {
  readonly #connection: NodeSqliteConnection;
  readonly #lock = new Mutex();

  constructor(connection: NodeSqliteConnection) {
    this.#connection = connection;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    await this.#lock.acquire();
    return this.#connection;
  }

  /** IMMEDIATE takes the write lock first, so that no other process can change what this transaction reads. */
  async beginTransaction(_: DatabaseConnection, { accessMode }: TransactionSettings): Promise<void> {
    this.#connection.execute(accessMode === "read only" ? "begin" : "begin immediate");
  }

  async commitTransaction(): Promise<void> {
    this.#connection.execute("commit");
  }

  async rollbackTransaction(): Promise<void> {
    // On a full disk SQLite rolls back by itself. A second rollback would fail and hide the first error.
    if (this.#connection.inTransaction) this.#connection.execute("rollback");
  }

  async releaseConnection(): Promise<void> {
    this.#lock.release();
  }

  async destroy(): Promise<void> {
    await this.#lock.acquire();
    this.#connection.close();
  }
}

class NodeSqliteConnection implements DatabaseConnection {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, { statement: StatementSync; reads: boolean }>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  get inTransaction(): boolean {
    return this.#database.isTransaction;
  }

  execute(sql: string): void {
    this.#database.exec(sql);
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#prepare(sql).reads) return { rows: this.rows(sql, parameters) as R[] };
    return { rows: [], numAffectedRows: BigInt(this.change(sql, parameters)) };
  }

  rows(sql: string, parameters: readonly unknown[]): unknown[] {
    return this.#prepare(sql).statement.all(...(parameters as never[]));
  }

  change(sql: string, parameters: readonly unknown[]): number {
    return Number(this.#prepare(sql).statement.run(...(parameters as never[])).changes);
  }

  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    yield await this.executeQuery<R>(query);
  }

  #prepare(sql: string): { statement: StatementSync; reads: boolean } {
    let found = this.#statements.get(sql);
    if (!found) {
      const statement = this.#database.prepare(withPlainLimits(sql));
      found = { statement, reads: statement.columns().length > 0 };
      this.#statements.set(sql, found);
    }
    return found;
  }
}

/**
 * SQLite plans with the value of a parameter that is a limit, and prepares the statement again whenever one is bound, which takes five
 * times as long as a short query. It does not look into a sum.
 */
function withPlainLimits(sql: string): string {
  return sql.replaceAll(/\blimit \?/gi, "limit ? + 0");
}

class Mutex {
  #held = false;
  readonly #waiting: (() => void)[] = [];

  async acquire(): Promise<void> {
    if (!this.#held) {
      this.#held = true;
      return;
    }
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  release(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#held = false;
  }
}
