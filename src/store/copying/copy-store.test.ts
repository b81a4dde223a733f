// Copies from file to file. Those to and from a server are in copy-store.postgres.test.ts.

import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { queryFile } from "../../../test/support/database.ts";
import { copied, fillStore } from "../../../test/support/full-store.ts";
import { expectRowsToEqualLogs } from "../../../test/support/logs.ts";
import { freshFile } from "../../../test/support/programs.ts";
import { chainOf } from "../../../test/support/sample-runs.ts";
import { startWorkers } from "../../../test/support/store-workers.ts";
import { Transitions } from "../../../test/support/transitions.ts";
import { systemClock } from "../../system/clock.ts";
import { openSqliteStore } from "../sqlite/open.ts";
import type { Store } from "../store.ts";
import { copiedTables, tablesLeftOut } from "./copied-tables.ts";

async function opened(file: string): Promise<Store> {
  const store = await openSqliteStore(file, systemClock);
  onTestFinished(() => store.close());
  return store;
}

async function twoStores() {
  const files = { from: freshFile("from.db"), to: freshFile("to.db") };
  return { files, from: await opened(files.from), to: await opened(files.to) };
}

const tablesOf = (file: string) =>
  queryFile(file, "select name from sqlite_master where type = 'table' and name not like 'sqlite_%'").map(
    ({ name }) => name,
  );

const rowsOf = (file: string, table: string) => queryFile(file, `select * from ${table} order by 1, 2`);

/** Without counters, which are there from the beginning. */
const rowsIn = (file: string) =>
  copiedTables.reduce((sum, { name }) => sum + (name === "counters" ? 0 : rowsOf(file, name).length), 0);

test("[SO80] every table of a database is in a copy, apart from those that are its own", async () => {
  const { files } = await twoStores();
  const known = [...copiedTables.map(({ name }) => name), ...tablesLeftOut];
  expect(new Set(tablesOf(files.from))).toEqual(new Set(known));
});

test("[SO80 SO81] a copy has every row of every table as it was, and says how many", async () => {
  const { files, from, to } = await twoStores();
  await fillStore(from);
  const copy = await copied(from, to);
  for (const { name } of copiedTables) {
    const rows = rowsOf(files.from, name);
    expect({ name, rows: rows.length }).not.toEqual({ name, rows: 0 });
    expect({ name, rows: rowsOf(files.to, name) }).toEqual({ name, rows });
    expect(copy.tables.find((table) => table.name === name)).toMatchObject({ rows: rows.length });
  }
  expect(await expectRowsToEqualLogs(to)).toBe(copy.runs);
});

test("[SO81] numbers that the database counts continue after the highest that was ever given", async () => {
  const { files, from, to } = await twoStores();
  const run = await fillStore(from);
  const [given] = queryFile(files.from, "select seq from sqlite_sequence where name = 'outbox'");
  const [kept] = queryFile(files.from, "select max(id) as id from outbox");
  expect(Number(given?.["seq"])).toBeGreaterThan(Number(kept?.["id"]));
  await copied(from, to);
  await to.transaction(async (tx) => {
    const loaded = await tx.load(run, () => []);
    expect(loaded?.run.header.id).toBe(run);
  });
  await to.replaceEffect(Number(kept?.["id"]), [{ type: "close_run", run, status: "done" } as never], 1);
  expect(queryFile(files.to, "select max(id) as id from outbox")).toEqual([{ id: Number(given?.["seq"]) + 1 }]);
});

test("[SO82] a process that is killed at any moment of a copy leaves an empty store, into which the next copy goes", async () => {
  const files = { from: freshFile("from.db"), to: freshFile("to.db") };
  const from = await opened(files.from);
  await fillStore(from, 1);
  const before = copiedTables.map(({ name }) => rowsOf(files.from, name));
  let kills = 0;
  for (let moment = 7; ; moment += 37) {
    const [worker] = await startWorkers(1, "copy", files.from);
    worker?.tell(`${files.to} ${moment}`);
    const heard = await worker?.hearAll();
    if (heard?.length === 1) break;
    expect({ moment, heard }).toEqual({ moment, heard: [] });
    expect(rowsIn(files.to)).toBe(0);
    kills += 1;
  }
  expect(kills).toBeGreaterThan(4);
  for (const [index, { name }] of copiedTables.entries()) {
    expect(rowsOf(files.to, name)).toEqual(before[index]);
    expect(rowsOf(files.from, name)).toEqual(before[index]);
  }
  expect(await expectRowsToEqualLogs(await opened(files.to))).toBe(3);
});

test("[SO83] a store that is not empty is refused, and keeps what it has", async () => {
  const { files, from, to } = await twoStores();
  await fillStore(from, 1);
  await new Transitions(to).start(chainOf(1));
  await expect(copied(from, to)).rejects.toMatchObject({ code: "REFUSED", message: expect.stringContaining("1 run") });
  expect(rowsOf(files.to, "runs")).toHaveLength(1);
  const other = await opened(join(files.to, "..", "other.db"));
  await other.addToken({ name: "ci", hash: "h", role: "read", createdAt: 1, expiresAt: null });
  await expect(copied(from, other)).rejects.toMatchObject({ message: expect.stringContaining("table tokens") });
});

test("[SO83] a store that is changed while it is copied is refused, and the copy is taken back", async () => {
  const { files, from, to } = await twoStores();
  await fillStore(from, 1);
  const another = await opened(files.from);
  let committed: Promise<unknown> = Promise.resolve();
  const assertIdle = () => void (committed = new Transitions(another).start(chainOf(1)));
  await expect(copied(from, to, assertIdle)).rejects.toMatchObject({
    code: "REFUSED",
    message: "FROM was changed while it was copied",
  });
  await committed;
  expect(rowsOf(files.to, "runs")).toEqual([]);
  expect(rowsOf(files.to, "tokens")).toEqual([]);
});

test("[SO84] a damaged event, and a row that its log does not give, are named, and nothing is copied", async () => {
  const { files, from, to } = await twoStores();
  const run = await fillStore(from, 1);
  const { number } = (await from.runById(run)) ?? { number: 0 };
  const [event] = queryFile(files.from, "select body from events where run_id = ? and seq = 3", run);
  queryFile(files.from, "update events set body = '{\"step\":' where run_id = ? and seq = 3", run);
  const problem = {
    code: "STORE_DAMAGED",
    exitCode: 1,
    message: "runs of FROM are not what their logs say, in 1 place",
    hint: expect.stringContaining("TO is an empty store"),
  };
  await expect(copied(from, to)).rejects.toMatchObject({
    ...problem,
    details: [`run #${number} (${run}): event 3: event 3 of run ${run} cannot be read`],
  });
  queryFile(files.from, "update events set body = ? where run_id = ? and seq = 3", event?.["body"] ?? "", run);
  queryFile(files.from, "update runs set task = 'another' where id = ?", run);
  await expect(copied(from, to)).rejects.toMatchObject({
    ...problem,
    details: [`run #${number} (${run}): header.task: its row has "another", and its log gives "Make it so"`],
  });
  expect(rowsIn(files.to)).toBe(0);
});

test("[SO84] a copy that became another one is found, by its runs and by its other rows", async () => {
  const { files, from, to } = await twoStores();
  await fillStore(from, 1);
  const spoil = (table: string, change: string) =>
    queryFile(files.to, `create trigger spoil after insert on ${table} begin update ${table} set ${change}; end`);
  spoil("gates", "status = 'lost'");
  await expect(copied(from, to)).rejects.toMatchObject({
    code: "STORE_DAMAGED",
    message: expect.stringContaining("runs of TO"),
    details: expect.arrayContaining([expect.stringMatching(/gates\.\S+\.status: its row has "lost"/)]),
  });
  queryFile(files.to, "drop trigger spoil");
  // The events and the row of the run agree with each other, and not with FROM.
  queryFile(
    files.to,
    `create trigger spoil after insert on events when new.type = 'run_started' begin
      update events set at = 7 where run_id = new.run_id and seq = 1;
      update runs set started_at = 7 where id = new.run_id; end`,
  );
  await expect(copied(from, to)).rejects.toMatchObject({
    code: "STORE_DAMAGED",
    details: [expect.stringMatching(/^run \S+: run\.header\.startedAt: FROM has 1000, and the copy 7$/)],
    hint: expect.stringContaining("TO is an empty store"),
  });
  queryFile(files.to, "drop trigger spoil");
  spoil("holds", "times = 99");
  await expect(copied(from, to)).rejects.toMatchObject({ details: ["holds: a row has another value"] });
  queryFile(files.to, "drop trigger spoil");
  await copied(from, to);
  expect(await expectRowsToEqualLogs(to)).toBe(3);
});
