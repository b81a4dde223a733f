// Opens a SQLite file as a store. It waits for the file's lock without blocking the process and notices commits of other
// processes.

import { existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Kysely, sql } from "kysely";
import type { Clock } from "../../system/clock.ts";
import { makePrivateDirectory, makePrivateFile } from "../../system/private-home.ts";
import type { ColumnTypes } from "../column-types.ts";
import { type Database, KyselyStore } from "../kysely-store.ts";
import { retryWhileLocked } from "../lock-retry.ts";
import { migrate, schemaVersion } from "../migrate.ts";
import type { Tables } from "../schema.ts";
import type { Backup, Store } from "../store.ts";
import { backUp } from "./backup.ts";
import { CommitWatch } from "./commit-watch.ts";
import { NodeSqliteDialect } from "./dialect.ts";
import { isLocked, noSuchFile, notAStore, storeError } from "./trouble.ts";

export const columnTypes: ColumnTypes = {
  integer: "integer",
  real: "real",
  id: "text",
  // Without AUTOINCREMENT SQLite reuses the number of a deleted row.
  serial: sql`integer primary key autoincrement`,
};

/** "Pawl" in ASCII. It marks the file as a Pawl store, so that Pawl never writes its tables into another database. */
const applicationId = 0x5061776c;

/** `mustExist`: throws where there is no store yet, and makes none. */
export async function openSqliteStore(file: string, clock: Clock, mustExist = false): Promise<Store> {
  if (mustExist && !(statSync(file, { throwIfNoEntry: false })?.size ?? 0)) throw noSuchFile(file);
  const connection = connect(file);
  const database = new SqliteDatabase(connection, clock, file);
  try {
    await database.prepare();
  } catch (error) {
    connection.close();
    throw error;
  }
  return new KyselyStore(database);
}

function connect(file: string): DatabaseSync {
  try {
    makePrivateDirectory(dirname(file));
    // SQLite gives the files beside it the mode of this one. Those of an older version may be wider.
    makePrivateFile(file);
    for (const beside of [`${file}-wal`, `${file}-shm`]) if (existsSync(beside)) makePrivateFile(beside);
    // No busy timeout: SQLite would sleep inside the call and block every timer of this process.
    return new DatabaseSync(file, { timeout: 0 });
  } catch (error) {
    throw storeError(error, file);
  }
}

class SqliteDatabase implements Database {
  readonly db: Kysely<Tables>;
  readonly #connection: DatabaseSync;
  readonly #clock: Clock;
  readonly #file: string;
  readonly #watch: CommitWatch;

  constructor(connection: DatabaseSync, clock: Clock, file: string) {
    this.#connection = connection;
    this.#clock = clock;
    this.#file = file;
    this.#watch = new CommitWatch(connection);
    this.db = new Kysely<Tables>({ dialect: new NodeSqliteDialect(connection) });
  }

  async prepare(): Promise<void> {
    // Checked first: a database of another program must stay unchanged, including its journal mode.
    const current = await this.#retryWhileLocked(async () => this.#isCurrent());
    // Changing the journal mode needs exclusive access for a moment. The file remembers the mode.
    await this.#retryWhileLocked(async () => this.#connection.exec("pragma journal_mode = wal"));
    this.#connection.exec("pragma synchronous = full");
    this.#connection.exec("pragma foreign_keys = on");
    if (current) return;
    await this.write(async (db) => {
      this.#connection.exec(`pragma application_id = ${applicationId}`);
      await migrate(db, columnTypes, this.#clock.now(), this.#file);
    });
  }

  async write<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    return await this.#retryWhileLocked(() => this.db.transaction().execute((trx) => work(trx)));
  }

  async read<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    return await this.#retryWhileLocked(() => work(this.db));
  }

  /** All of its reads see the same snapshot. */
  async snapshot<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    return await this.#retryWhileLocked(() => this.db.transaction().setAccessMode("read only").execute(work));
  }

  watch(onChange: () => void): { close(): void } {
    return this.#watch.add(onChange);
  }

  async backup(file: string): Promise<Backup> {
    return await this.#retryWhileLocked(async () => backUp(this.#connection, file));
  }

  async close(): Promise<void> {
    this.#watch.close();
    await this.db.destroy();
    // Kysely closes only a connection that it has used. A store that was only opened has used none.
    if (this.#connection.isOpen) this.#connection.close();
  }

  #isCurrent(): boolean {
    const tables = this.#connection.prepare("select name from sqlite_master where type = 'table'").all();
    if (tables.length === 0) return false;
    const owner = this.#connection.prepare("pragma application_id").get();
    if (owner?.["application_id"] !== applicationId) throw notAStore(this.#file, "it belongs to another program");
    const row = this.#connection.prepare("select count(*) as version from migrations").get();
    return row?.["version"] === schemaVersion;
  }

  async #retryWhileLocked<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await retryWhileLocked(this.#clock, isLocked, work);
    } catch (error) {
      throw storeError(error, this.#file);
    }
  }
}
