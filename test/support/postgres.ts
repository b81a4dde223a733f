// The PostgreSQL server of the tests, which test/postgres/server.ts starts: a database for each test file, a schema for each test.

import { randomBytes } from "node:crypto";
import { CompiledQuery, type DatabaseConnection, Kysely, PostgresDialect, sql } from "kysely";
import pg from "pg";
import { beforeAll, beforeEach, inject, onTestFinished } from "vitest";
import { openPostgresStore } from "../../src/store/postgres/open.ts";
import type { Tables } from "../../src/store/schema.ts";
import type { Store } from "../../src/store/store.ts";
import { systemClock } from "../../src/system/clock.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** The address of the server, or why there is none. */
    postgres: FoundServer;
  }
}

export type FoundServer = (
  | { readonly url: string; readonly why: null }
  | { readonly url: null; readonly why: string }
) & {
  /** It is there after the tests, too. */
  readonly lasts: boolean;
};

/** The home of the tests that open stores themselves. */
export const owner = { id: "a-home", host: "here", dir: "/home/of/tests", version: "1", joins: false };

/** How often a random walk is tried: it takes ten times as long as on SQLite. `PAWL_ALL_ROUNDS=1`: as often as there. */
export const walksOnPostgres = (onSqlite: number) =>
  process.env["PAWL_ALL_ROUNDS"] === "1" ? onSqlite : Math.ceil(onSqlite / 8);

let database = "";
/** Empty stores that a test has used and closed: to clean one takes a tenth of the time that it takes to make one. */
const usedAddresses: string[] = [];

/** To be called once by a test file: skips its tests where there is no server, and makes a database for them. */
export function onPostgres(): void {
  beforeEach((context) => {
    const { why } = inject("postgres");
    if (why !== null) context.skip(why);
  });
  beforeAll(async () => {
    if (inject("postgres").why !== null) return undefined;
    const name = `pawl_${randomBytes(6).toString("hex")}`;
    await administer((client) => client.query(`create database ${name}`));
    database = name;
    // A server of the tests ends with all that it has.
    if (!inject("postgres").lasts) return undefined;
    return async () => void (await administer((client) => client.query(`drop database ${name} with (force)`)));
  });
}

/** An address in the database of this file: of a new store, or of the one in this schema. */
export function postgresAddress(schema = `s_${randomBytes(6).toString("hex")}`): string {
  const url = serverUrl();
  url.pathname = `/${database}`;
  url.searchParams.set("schema", schema);
  return url.href;
}

/** With a user or a password of its own. */
export function addressAs(address: string, user: string, password: string): string {
  const url = new URL(address);
  url.username = user;
  url.password = password;
  return url.href;
}

export async function openStoreAt(address: string): Promise<Store> {
  return await openPostgresStore(address, systemClock, owner);
}

/** A store for one test, as the contracts want it. */
export async function openEmptyStore() {
  const address = usedAddresses.pop() ?? postgresAddress();
  const opened: Store[] = [];
  onTestFinished(async () => {
    for (const store of opened) await store.close();
    await clean(address);
    usedAddresses.push(address);
  });
  const another = async () => {
    const store = await openStoreAt(address);
    opened.push(store);
    return store;
  };
  const store = await another();
  const reopen = async () => {
    for (const each of opened.splice(0)) await each.close();
    return await another();
  };
  const query = async <T>(work: (db: Kysely<Tables>) => Promise<T>) => await queryAt(address, work);
  return { address, store, another, reopen, query };
}

/** Direct access to the tables of a store. */
export async function queryAt<T>(address: string, work: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
  const url = new URL(address);
  const schema = url.searchParams.get("schema") ?? "pawl";
  url.searchParams.delete("schema");
  const numbers = new Set<number>([pg.types.builtins.INT8]);
  const getTypeParser = ((oid: number, format: never) =>
    numbers.has(oid) ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser;
  const pool = new pg.Pool({
    connectionString: url.href,
    max: 1,
    types: { getTypeParser },
  });
  const onCreateConnection = async (connection: DatabaseConnection) =>
    void (await connection.executeQuery(CompiledQuery.raw(`set search_path to "${schema}"`)));
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool, onCreateConnection }) });
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}

async function clean(address: string): Promise<void> {
  await queryAt(address, async (db) => {
    const { rows } = await sql<{ name: string }>`select tablename as name from pg_tables
      where schemaname = current_schema and tablename not in ('migrations', 'homes')`.execute(db);
    await sql`truncate ${sql.join(rows.map(({ name }) => sql.table(name)))}`.execute(db);
    await db.insertInto("counters").values({ name: "change", value: 0 }).execute();
  });
}

/** As the user of the tests, on the database of this file. */
export async function execute(words: string): Promise<void> {
  await queryAt(postgresAddress("public"), (db) => sql.raw(words).execute(db));
}

/** On no database of a test. */
export async function administer<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: serverUrl().href });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function serverUrl(): URL {
  const { url, why } = inject("postgres");
  if (url === null) throw new Error(why);
  return new URL(url);
}
