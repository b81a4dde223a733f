// Runs the store contracts on SQLite on disk.

import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Kysely } from "kysely";
import { expect, onTestFinished, test, vi } from "vitest";
import { freshFile } from "../../../test/support/programs.ts";
import { systemClock } from "../../system/clock.ts";
import { describeApiTables } from "../api.contract.ts";
import { describeEntries } from "../entries.contract.ts";
import { describeFigures } from "../figures.contract.ts";
import { describeMessages } from "../messages.contract.ts";
import { describeOffersAndLeases } from "../offers-and-leases.contract.ts";
import { describeSchedules } from "../schedules.contract.ts";
import type { Tables } from "../schema.ts";
import { describeStore } from "../store.contract.ts";
import type { Store } from "../store.ts";
import { NodeSqliteDialect } from "./dialect.ts";
import { columnTypes, openSqliteStore } from "./open.ts";

describeStore("SQLite on disk", openEmpty);
describeEntries("SQLite on disk", openEmpty);
describeOffersAndLeases("SQLite on disk", openEmpty);
describeApiTables("SQLite on disk", openEmpty);
describeMessages("SQLite on disk", openEmpty);
describeSchedules("SQLite on disk", openEmpty);
describeFigures("SQLite on disk", openEmpty);

async function openEmpty() {
  const directory = mkdtempSync(join(tmpdir(), "pawl-store-"));
  const opened: Store[] = [];
  onTestFinished(async () => {
    for (const store of opened) await store.close();
    rmSync(directory, { recursive: true, force: true });
  });
  const file = join(directory, "pawl.db");
  const another = async () => {
    const store = await openSqliteStore(file, systemClock);
    opened.push(store);
    return store;
  };
  const store = await another();
  const reopen = async () => {
    for (const each of opened.splice(0)) await each.close();
    return await another();
  };
  const query = async <T>(work: (db: Kysely<Tables>) => Promise<T>) => {
    const db = new Kysely<Tables>({ dialect: new NodeSqliteDialect(new DatabaseSync(file)) });
    try {
      return await work(db);
    } finally {
      await db.destroy();
    }
  };
  return { store, another, reopen, query, columnTypes };
}

test("[SO18] a watch keeps no process alive, and ends with its store", async () => {
  const { store } = await openEmpty();
  const started = vi.spyOn(globalThis, "setInterval");
  const ended = vi.spyOn(globalThis, "clearInterval");
  onTestFinished(() => void vi.restoreAllMocks());
  store.watch(() => undefined);
  const timer = started.mock.results[0]?.value as NodeJS.Timeout;
  expect(timer.hasRef()).toBe(false);
  await store.close();
  expect(ended.mock.calls).toContainEqual([timer]);
});

test("[SO13] a store that was only opened releases its file when it is closed", async () => {
  const file = freshFile("pawl.db");
  const close = async () => {
    await (await openSqliteStore(file, systemClock)).close();
    return [file, `${file}-wal`, `${file}-shm`].map((name) => existsSync(name));
  };
  expect(await close()).toStrictEqual([true, false, false]);
  // The second time there is nothing to migrate, so no query ran.
  expect(await close()).toStrictEqual([true, false, false]);
});
