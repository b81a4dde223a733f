// A transaction on a server whose statements are sent before the answers to those before them have come.

import { CompiledQuery } from "kysely";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { onPostgres, openEmptyStore, postgresAddress } from "../../../test/support/postgres.ts";
import { VersionConflict } from "../store.ts";
import { inSession, type WriteSession } from "./write-session.ts";

onPostgres();

async function openSessions() {
  const url = new URL(postgresAddress());
  url.search = "";
  const pool = new pg.Pool({ connectionString: url.href, pipeline: true, max: 2 });
  onTestFinished(async () => await pool.end());
  const within = async <T>(work: (session: WriteSession) => Promise<T>) =>
    await inSession(await pool.connect(), "begin", work);
  await pool.query("create table if not exists marks (id int primary key)");
  await pool.query("truncate marks");
  const marks = async () =>
    (await pool.query("select id from marks order by id")).rows.map(({ id }: { id: number }) => id);
  const mark = (session: WriteSession, id: number) => session.send("insert into marks values ($1)", [id]);
  return { within, marks, mark, pool };
}

test("[SO110] statements that are sent are seen by those behind them, and committed together", async () => {
  const { within, marks, mark } = await openSessions();
  const seen = await within(async (session) => {
    for (const id of [1, 2, 3]) mark(session, id);
    return await session.rows("select count(*)::int as count from marks", []);
  });
  expect(seen).toStrictEqual([{ count: 3 }]);
  expect(await marks()).toStrictEqual([1, 2, 3]);
});

test("[SO110] a statement that fails while nobody waits for it takes all back, and its error is the one that is told", async () => {
  const { within, marks, mark, pool } = await openSessions();
  const failing = within(async (session) => {
    mark(session, 1);
    mark(session, 1);
    mark(session, 2);
  });
  await expect(failing).rejects.toMatchObject({ code: "23505" });
  const awaiting = within(async (session) => {
    mark(session, 1);
    mark(session, 1);
    // The server refuses it because of the one before.
    await session.rows("select 1", []);
  });
  await expect(awaiting).rejects.toMatchObject({ code: "23505" });
  expect(await marks()).toStrictEqual([]);
  expect(pool.idleCount).toBe(pool.totalCount);
});

test("[SO3 SO110] a write that finds nothing to change is a conflict, also where a later statement fails for it", async () => {
  const { within, marks, mark } = await openSessions();
  const changing = within(async (session) => {
    mark(session, 1);
    session.send("update marks set id = 8 where id = 7", [], (changed) => {
      if (changed === 0) throw new VersionConflict("mark 7");
    });
    mark(session, 1);
    await session.rows("select 1", []);
  });
  await expect(changing).rejects.toBeInstanceOf(VersionConflict);
  expect(await marks()).toStrictEqual([]);
});

test("[SO110] what throws within a transaction takes back what was sent", async () => {
  const { within, marks, mark } = await openSessions();
  const throwing = within(async (session) => {
    mark(session, 1);
    throw new Error("not today");
  });
  await expect(throwing).rejects.toThrow("not today");
  expect(await marks()).toStrictEqual([]);
});

test("[SO112] a process whose statements were planned before another one changed the tables says what to do", async () => {
  const { store, query } = await openEmptyStore();
  const leases = async () => await store.leases({ endedBefore: null });
  for (let times = 0; times < 3; times += 1) expect(await leases()).toStrictEqual([]);
  await query((db) => db.executeQuery(CompiledQuery.raw("alter table leases add column news text")));
  await expect(leases()).rejects.toMatchObject({
    code: "STORE_NEWER",
    hint: expect.stringContaining("start it again"),
  });
  await query((db) => db.executeQuery(CompiledQuery.raw("alter table leases drop column news")));
});
