// Copies between a file and a server, in both directions.

import { sql } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import { queryFile } from "../../../test/support/database.ts";
import { awkward, copied, fillStore, offeringTransitions } from "../../../test/support/full-store.ts";
import { expectRowsToEqualLogs } from "../../../test/support/logs.ts";
import { onPostgres, openEmptyStore, openStoreAt, postgresAddress, queryAt } from "../../../test/support/postgres.ts";
import { freshFile } from "../../../test/support/programs.ts";
import { chainOf, completed, finishOf, runningAttempt, startOf } from "../../../test/support/sample-runs.ts";
import type { RunId } from "../../domain/ids.ts";
import { systemClock } from "../../system/clock.ts";
import { openSqliteStore } from "../sqlite/open.ts";
import type { Store } from "../store.ts";
import { copiedTables, serverTables, tablesLeftOut } from "./copied-tables.ts";

onPostgres();

async function openFile() {
  const file = freshFile("pawl.db");
  const store = await openSqliteStore(file, systemClock);
  onTestFinished(() => store.close());
  return { file, store };
}

test("[SO80] every table of a database is in a copy, apart from those that are its own", async () => {
  const { query } = await openEmptyStore();
  const found = await query((db) =>
    sql<{ name: string }>`select tablename as name from pg_tables where schemaname = current_schema`.execute(db),
  );
  const known = [...copiedTables.map(({ name }) => name), ...tablesLeftOut, ...serverTables];
  expect(found.rows.map(({ name }) => name).toSorted()).toEqual(known.toSorted());
});

test("[SO80 SO81 SO85] there and back again gives the same rows, and the runs continue", async () => {
  const [one, two] = [await openFile(), await openFile()];
  const asked = await fillStore(one.store);
  const server = await openEmptyStore();
  const there = await copied(one.store, server.store);
  expect(await expectRowsToEqualLogs(server.store)).toBe(there.runs);
  const back = await copied(server.store, two.store);
  expect(back).toEqual(there);
  for (const { name } of copiedTables) {
    const rows = queryFile(one.file, `select * from ${name} order by 1, 2`);
    expect({ name, rows: rows.length }).not.toEqual({ name, rows: 0 });
    expect({ name, rows: queryFile(two.file, `select * from ${name} order by 1, 2`) }).toEqual({ name, rows });
  }
  for (const { store } of [server, two]) {
    const [running] = await store.listRuns({ statuses: ["running"], limit: 1, search: "漢" });
    expect(running?.task).toBe(awkward);
    await finishRun(store, asked, running?.id as RunId);
    await expectRowsToEqualLogs(store);
  }
});

/** The gate of the one is answered and its offer performed; the attempt of the other is lost, and then it ends. */
async function finishRun(store: Store, asked: RunId, running: RunId): Promise<void> {
  const runs = offeringTransitions(store);
  const [open] = await store.openGates(asked);
  const given = { at: 9_000, author: "user:ada", story: null, note: "", tree: null };
  if (open === undefined) throw new Error("nothing is asked");
  await runs.apply(asked, { type: "answer_gate", ...given, gate: open.gate.id, option: "approve" });
  expect(await store.offers({ run: asked, agent: null, now: 1e15, limit: 9 })).toMatchObject([{ step: "ship" }]);
  await runs.perform(asked, "ship");
  const run = await store.wholeRun(running);
  if (run === null) throw new Error("the run is gone");
  const lost = { outcome: "lost", why: "its driver is gone", retryAt: null, notes: [] } as const;
  const ended = { usage: { costUsd: 0, inputTokens: 0, outputTokens: 0 }, session: null, tree: null };
  await runs.apply(running, finishOf(runningAttempt(run), { ...ended, ...lost }));
  for (const step of ["step-1", "step-2"]) await runs.perform(running, step, completed());
  for (const id of [asked, running]) expect(await store.runById(id)).toMatchObject({ status: "done" });
}

test("[SO81] numbers that the database counts continue after the highest that was ever given, in both directions", async () => {
  const [one, two] = [await openFile(), await openFile()];
  const run = await fillStore(one.store, 1);
  const [given] = queryFile(one.file, "select seq from sqlite_sequence where name = 'outbox'");
  const next = Number(given?.["seq"]) + 1;
  const server = await openEmptyStore();
  await copied(one.store, server.store);
  await copied(server.store, two.store);
  for (const { store } of [server, two]) {
    const [due] = await store.dueEffects(1e15, 1);
    await store.replaceEffect(due?.id ?? 0, [{ type: "close_run", run, status: "done" } as never], 1);
  }
  const highest = await server.query((db) => sql<{ id: number }>`select max(id) as id from outbox`.execute(db));
  expect(highest.rows).toEqual([{ id: next }]);
  expect(queryFile(two.file, "select max(id) as id from outbox")).toEqual([{ id: next }]);
});

test("[SO81 SO84] a copy on a server belongs to the home that made it, and a spoiled one is taken back", async () => {
  const { store } = await openFile();
  await fillStore(store, 1);
  const address = postgresAddress();
  const target = await openStoreAt(address);
  onTestFinished(() => target.close());
  await queryAt(address, async (db) => {
    await sql`create function spoil() returns trigger language plpgsql as
      $$ begin new.task := 'another'; return new; end $$`.execute(db);
    await sql`create trigger spoil before insert on runs for each row execute function spoil()`.execute(db);
  });
  await expect(copied(store, target)).rejects.toMatchObject({
    code: "STORE_DAMAGED",
    details: expect.arrayContaining([expect.stringMatching(/^run #\d+ \(\S+\): header\.task: its row has "another"/)]),
  });
  expect(await target.listRuns({ statuses: null, limit: 1 })).toEqual([]);
  expect(await target.tokens()).toEqual([]);
  await queryAt(address, (db) => sql`drop trigger spoil on runs`.execute(db));
  await copied(store, target);
  const owners = await queryAt(address, (db) => sql<{ id: string }>`select id from homes`.execute(db));
  expect(owners.rows).toEqual([{ id: "a-home" }]);
});

test("[SO83] a text that a server does not take is named, and nothing is copied", async () => {
  const { file, store } = await openFile();
  const run = await offeringTransitions(store).start(chainOf(1), startOf(chainOf(1), { task: "a\0b" }));
  expect(queryFile(file, "select task from runs")).toEqual([{ task: "a\0b" }]);
  const server = await openEmptyStore();
  await expect(copied(store, server.store)).rejects.toMatchObject({
    code: "REFUSED",
    message: `runs (id ${run}) has a NUL character in task, which PostgreSQL does not take`,
  });
  expect(await server.store.listRuns({ statuses: null, limit: 1 })).toEqual([]);
  const other = await openFile();
  await copied(store, other.store);
});
