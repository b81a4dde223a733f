// Many processes use one database.

import { sql } from "kysely";
import { expect, test } from "vitest";
import { expectRowsToEqualLogs } from "../../../test/support/logs.ts";
import { onPostgres, openEmptyStore, openStoreAt, postgresAddress, queryAt } from "../../../test/support/postgres.ts";
import { chainOf } from "../../../test/support/sample-runs.ts";
import { soon, startWorkers } from "../../../test/support/store-workers.ts";
import { Transitions } from "../../../test/support/transitions.ts";
import type { RunId } from "../../domain/ids.ts";
import { schemaVersion } from "../migrate.ts";

onPostgres();

test("[SO61] processes that open a new store at the same moment all find it complete", async () => {
  const address = postgresAddress();
  const workers = await startWorkers(4, "open", address);
  const time = soon();
  for (const worker of workers) worker.tell(time);
  for (const worker of workers) expect([await worker.hear(), await worker.end()]).toStrictEqual([{ runs: 0 }, ""]);
  const migrations = await queryAt(address, (db) => db.selectFrom("migrations").select("version").execute());
  expect(migrations).toHaveLength(schemaVersion);
  await (await openStoreAt(address)).close();
});

test("[SO61] writers that are killed at any moment lose nothing committed and leave nothing half-written", async () => {
  const { address, store } = await openEmptyStore();
  const acknowledged = new Map<RunId, number>();
  for (let round = 0; round < 2; round += 1) {
    const workers = await startWorkers(3, "write", address);
    const ends = workers.map(async (worker, index) => {
      worker.tell("go");
      // Each after another number of commits, and somewhere in its next transaction.
      for (let commits = 0; commits < 4 + 3 * index; commits += 1) note(await worker.hear());
      worker.kill();
      for (const heard of await worker.hearAll()) note(heard);
    });
    await Promise.all(ends);
  }
  function note(heard: unknown): void {
    const { run, events } = heard as { readonly run: RunId; readonly events: number };
    acknowledged.set(run, (acknowledged.get(run) ?? 0) + events);
  }
  await expectRowsToEqualLogs(store);
  expect(acknowledged.size).toBeGreaterThan(6);
  for (const [run, events] of acknowledged)
    expect((await store.events(run, 0, 1000)).length).toBeGreaterThanOrEqual(events);
});

test("[SO61] a transaction waits for another one while timers fire, and reading waits for none", async () => {
  const { store, another } = await openEmptyStore();
  const other = await another();
  const run = await new Transitions(store).start(chainOf(1));
  const [held, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holding = other.transaction(async () => {
    held.resolve();
    await release.promise;
  });
  await held.promise;
  let isStarted = false;
  const starting = new Transitions(store).start(chainOf(1)).then(() => (isStarted = true));
  expect((await store.wholeRun(run))?.header.id).toBe(run);
  await expect.poll(async () => await waitingForLock()).toBe(1);
  expect(isStarted).toBe(false);
  release.resolve();
  await Promise.all([holding, starting]);
  expect(isStarted).toBe(true);
});

/** How many transactions in the database of this file wait for another one. The poll for it takes timers. */
async function waitingForLock(): Promise<number> {
  const waiting = sql`select from pg_locks where locktype = 'advisory' and not granted
    and database = (select oid from pg_database where datname = current_database())`;
  return (await queryAt(postgresAddress("public"), (db) => waiting.execute(db))).rows.length;
}
