// The limits of time that every session has, and what follows when one of them is reached.

import { expect, onTestFinished, test } from "vitest";
import { administer, onPostgres, owner, postgresAddress } from "../../../test/support/postgres.ts";
import { systemClock } from "../../system/clock.ts";
import { openPostgres } from "./open.ts";

onPostgres();

async function open() {
  const opened = await openPostgres(postgresAddress(), systemClock, owner);
  onTestFinished(() => opened.store.close());
  return opened;
}

const settings = `select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
  current_setting('idle_in_transaction_session_timeout') as silence`;
const expected = { statement: "30s", lock: "15s", silence: "10s" };

test("[SO102] every session limits a statement, the wait for a lock, and silence within a transaction", async () => {
  const { store, server } = await open();
  expect(await server.query(settings, [])).toStrictEqual([expected]);
  const [first, second] = await Promise.all(
    [1, 2].map(async () =>
      store.transaction(async (tx) => await tx.query(`${settings}, pg_backend_pid() as session`, [])),
    ),
  );
  expect([first, second]).toMatchObject([[expected], [expected]]);
});

test("[SO102] a statement that takes too long is reported with what to do", async () => {
  const { server } = await open();
  await expect(server.query("set statement_timeout = 20; select pg_sleep(60)", [])).rejects.toMatchObject({
    code: "STORE_UNUSABLE",
    message: expect.stringContaining("took too long to answer"),
    hint: expect.stringContaining("nothing was lost"),
  });
});

test("[SO102 SO62] a process that was silent within a transaction for too long tries it again", async () => {
  const { store } = await open();
  let tries = 0;
  const number = await store.transaction(async (tx) => {
    const next = await tx.nextRunNumber();
    tries += 1;
    if (tries > 1) return next;
    const [row] = await tx.query("select pg_backend_pid() as pid", []);
    await tx.query("set local idle_in_transaction_session_timeout = 20", []);
    // The server ends the session, and with it the lock that other writers wait for.
    await expect.poll(async () => await isThere((row as { readonly pid: number }).pid)).toBe(false);
    return await tx.nextRunNumber();
  });
  expect([number, tries]).toStrictEqual([1, 2]);
});

async function isThere(pid: number): Promise<boolean> {
  const found = await administer((client) => client.query("select from pg_stat_activity where pid = $1", [pid]));
  return found.rowCount !== 0;
}
