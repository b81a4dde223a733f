// The queues of pg-boss that a store uses, with every setting that an attempt of hours needs. Owns: what of pg-boss is called, and how.

import { createHash } from "node:crypto";
import type { Db, PgBoss } from "pg-boss";
import { AppError, errorText } from "../../domain/error.ts";
import type { Transaction } from "../../store/store.ts";

/** The database that has the store, too. */
export interface QueueServer {
  readonly schema: string;
  /** For people. */
  readonly label: string;
  query(words: string, values: readonly unknown[]): Promise<readonly unknown[]>;
}

/** A job, by what the store knows of it. Numbers are never given twice, and an older job has a smaller one. */
export interface Job {
  readonly queue: string;
  readonly number: number;
}

/** Jobs whose worker was not heard of for this long are dead; a worker is heard of every 5 seconds. */
const heartbeatSeconds = 20;
/** How often the server is asked for them, by one of all processes. */
const superviseSeconds = 5;

/** No job is tried again by pg-boss: what follows from a lost attempt is for the engine. */
const settings = {
  retryLimit: 0,
  heartbeatSeconds,
  // The longest that pg-boss takes.
  expireInSeconds: 24 * 60 * 60,
  // A step may wait for months, for a person or an account.
  retentionSeconds: 10 * 365 * 24 * 60 * 60,
  deleteAfterSeconds: 24 * 60 * 60,
};

/** Where pg-boss puts the jobs of dead workers. */
const lostQueue = "lost";

/** A worker that dies with one of these in its hands leaves it to the next. */
const lostSettings = { retryLimit: 1_000, expireInSeconds: 30, deleteAfterSeconds: 24 * 60 * 60 };

export class Queues {
  readonly #server: QueueServer;
  readonly #onTrouble: (why: string) => void;
  readonly #known = new Set<string>();
  #boss: PgBoss | null = null;
  #supervises = false;

  constructor(server: QueueServer, onTrouble: (why: string) => void) {
    this.#server = server;
    this.#onTrouble = onTrouble;
  }

  /** Before the first transaction that uses them. */
  async open(names: readonly string[]): Promise<void> {
    const boss = await this.#started();
    const wanted = [lostQueue, ...names].filter((name) => !this.#known.has(name));
    const found = new Set((await boss.getQueues(wanted)).map(({ name }) => name));
    for (const name of wanted) {
      if (!found.has(name)) {
        const options = name === lostQueue ? lostSettings : { ...settings, deadLetter: lostQueue };
        await boss.createQueue(name, options);
      }
      this.#known.add(name);
    }
  }

  /** From now on this process takes part in looking for dead workers. */
  async supervise(): Promise<void> {
    if (this.#supervises) return;
    this.#supervises = true;
    // The old one is used until the new one is there.
    const before = this.#boss;
    try {
      this.#boss = await this.#start();
    } catch (error) {
      this.#supervises = false;
      throw error;
    }
    await before?.stop({ graceful: false });
  }

  async close(): Promise<void> {
    await this.#boss?.stop({ graceful: false });
    this.#boss = null;
  }

  async send(tx: Transaction, { queue, number }: Job, data: object, afterSeconds: number): Promise<void> {
    const options = { id: idOf(number), priority: -number, db: within(tx) };
    await this.#use().send(queue, data, afterSeconds > 0 ? { ...options, startAfter: afterSeconds } : options);
  }

  /** False: it is not in the queue any more. Its priority is its own, so that nothing else is fetched. */
  async fetch(tx: Transaction, { queue, number }: Job): Promise<boolean> {
    const wanted = { minPriority: -number, maxPriority: -number, ignoreStartAfter: true, db: within(tx) };
    return (await this.#use().fetch(queue, wanted)).length === 1;
  }

  async remove(tx: Transaction, jobs: readonly Job[]): Promise<void> {
    for (const [queue, ids] of byQueue(jobs)) await this.#use().deleteJob(queue, ids, { db: within(tx) });
  }

  async complete(tx: Transaction, jobs: readonly Job[]): Promise<void> {
    for (const [queue, ids] of byQueue(jobs)) await this.#use().complete(queue, ids, null, { db: within(tx) });
  }

  /** The worker lives. Returns the numbers of the jobs that it still has. */
  async touch(jobs: readonly Job[]): Promise<ReadonlySet<number>> {
    const held = new Set<string>();
    const boss = this.#use();
    for (const [queue, ids] of byQueue(jobs)) {
      const areAllHeld = affected(await boss.touch(queue, ids)) === ids.length;
      for (const id of ids) if (areAllHeld || affected(await boss.touch(queue, id)) === 1) held.add(id);
    }
    return new Set(jobs.map(({ number }) => number).filter((number) => held.has(idOf(number))));
  }

  /** The numbers of jobs whose worker is dead. `keep` records them; one that fails leaves them for the next look. */
  async takeLost(keep: (numbers: readonly number[]) => Promise<void>): Promise<void> {
    const boss = this.#use();
    const jobs = await boss.fetch<{ readonly number: number }>(lostQueue, { batchSize: 100 });
    if (jobs.length === 0) return;
    await keep(jobs.map(({ data }) => data.number));
    const ids = jobs.map(({ id }) => id);
    await boss.complete(lostQueue, ids);
  }

  #use(): PgBoss {
    if (this.#boss === null) throw new Error("the queues are not open");
    return this.#boss;
  }

  async #started(): Promise<PgBoss> {
    this.#boss ??= await this.#start();
    return this.#boss;
  }

  async #start(): Promise<PgBoss> {
    const { PgBoss, schemaVersion } = await loadPackage();
    const schema = queueSchema(this.#server.schema);
    const found = await this.#found(schema);
    // pg-boss itself uses a schema of a newer version without a word.
    if (found.version > schemaVersion) {
      const versions = `they have schema ${found.version}, but this Pawl knows only ${schemaVersion}`;
      throw new AppError("STORE_NEWER", `the queues in ${this.#server.label} are of a newer Pawl: ${versions}`, {
        hint: "use the newer Pawl that made them, or another store with --store",
      });
    }
    const db: Db = {
      executeSql: async (words, values) => ({ rows: [...(await this.#server.query(words, values ?? []))] }),
    };
    const make = () => {
      const boss = new PgBoss({
        db,
        schema,
        migrate: true,
        // Its CREATE SCHEMA needs the right to create one even where there is one.
        createSchema: !found.exists,
        schedule: false,
        supervise: this.#supervises,
        superviseIntervalSeconds: superviseSeconds,
        monitorIntervalSeconds: superviseSeconds,
        maintenanceIntervalSeconds: 300,
      });
      // Without a listener, a server that restarts would end this process.
      boss.on("error", (error) => this.#onTrouble(errorText(error)));
      return boss;
    };
    for (let tries = 1; ; tries += 1) {
      const boss = make();
      try {
        return await boss.start();
      } catch (error) {
        await boss.stop({ graceful: false }).catch(() => undefined);
        if (tries < mostTries && isAlreadyThere(error)) continue;
        throw this.#unusable(error, schema);
      }
    }
  }

  /** What is there already. */
  async #found(schema: string): Promise<{ readonly exists: boolean; readonly version: number }> {
    try {
      const [there] = (await this.#server.query(
        "select to_regnamespace($1) is not null as exists, to_regclass($2) is not null as installed",
        [schema, `${schema}.version`],
      )) as readonly { exists: boolean; installed: boolean }[];
      if (there?.installed !== true) return { exists: there?.exists === true, version: 0 };
      const [row] = (await this.#server.query(`select version from ${schema}.version`, [])) as readonly {
        version: number;
      }[];
      return { exists: true, version: row?.version ?? 0 };
    } catch (error) {
      throw this.#unusable(error, schema);
    }
  }

  #unusable(error: unknown, schema: string): AppError {
    const why = error instanceof AppError && error.cause !== undefined ? error.cause : error;
    return new AppError("STORE_UNUSABLE", `the queues in ${this.#server.label} cannot be used: ${errorText(why)}`, {
      hint: `the user of the store must be able to create the schema ${schema}, or own it with all that it has`,
      cause: error,
    });
  }
}

/** Processes that open a new store at the same moment all make the queues, and pg-boss lets only one of them do it. */
const mostTries = 5;

/** A row, a schema, a table, a function or a type that another process has made since pg-boss looked. */
function isAlreadyThere(error: unknown): boolean {
  const codes = ["23505", "42P06", "42P07", "42723", "42710"];
  return error instanceof Error && "code" in error && codes.includes(String(error.code));
}

/** Of pg-boss, whose minor versions change its tables. */
const usedVersion = "12.35";

/** Only stores on a server need it, so it is not part of Pawl. */
async function loadPackage(): Promise<{ readonly PgBoss: typeof PgBoss; readonly schemaVersion: number }> {
  const hint = `install it beside Pawl: \`npm install --global pg-boss@${usedVersion}\` where Pawl is installed globally`;
  const [main, about] = await Promise.all([
    import("pg-boss"),
    import("pg-boss/package.json", { with: { type: "json" } }),
  ]).catch((error: unknown) => {
    const message = "a store on PostgreSQL needs the npm package `pg-boss`, which is not installed";
    throw new AppError("STORE_UNUSABLE", message, { hint, cause: error });
  });
  const { version, pgboss } = about.default;
  if (!version.startsWith(`${usedVersion}.`)) {
    const message = `the npm package \`pg-boss\` that is installed is version ${version}, and Pawl needs ${usedVersion}`;
    throw new AppError("STORE_UNUSABLE", message, { hint });
  }
  return { PgBoss: main.PgBoss, schemaVersion: pgboss.schema };
}

/** Beside the schema of the store. pg-boss takes names of up to 50 characters. */
export function queueSchema(store: string): string {
  const name = `${store}_boss`;
  return name.length <= 50
    ? name
    : `${store.slice(0, 36)}_${createHash("sha256").update(store).digest("hex").slice(0, 8)}_boss`;
}

function idOf(number: number): string {
  return `00000000-0000-4000-8000-${number.toString(16).padStart(12, "0")}`;
}

/** Its types leave out what it answers. */
function affected(response: object): number {
  return "affected" in response && typeof response.affected === "number" ? response.affected : 0;
}

function within(tx: Transaction): Db {
  return { executeSql: async (words, values) => ({ rows: [...(await tx.query(words, values ?? []))] }) };
}

function byQueue(jobs: readonly Job[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { queue, number } of jobs) found.set(queue, [...(found.get(queue) ?? []), idOf(number)]);
  return found;
}
