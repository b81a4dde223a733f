// Queues that cannot be used: another version of pg-boss, and rights that are missing.

import { randomBytes } from "node:crypto";
import { expect, onTestFinished, test, vi } from "vitest";
import { addressAs, administer, execute, onPostgres, owner, postgresAddress } from "../../../test/support/postgres.ts";
import { openPostgres } from "../../store/postgres/open.ts";
import { systemClock } from "../../system/clock.ts";
import { PgBossDispatch } from "./pg-boss.ts";
import { queueSchema } from "./queues.ts";

onPostgres();

async function open(address: string): Promise<void> {
  const { store, server } = await openPostgres(address, systemClock, owner);
  try {
    const dispatch = await PgBossDispatch.open(store, server, { home: owner.id, onTrouble: () => undefined });
    await dispatch.close();
  } finally {
    await store.close();
  }
}

test("[DI40] queues of a newer version of pg-boss are refused and left as they are", async () => {
  const address = postgresAddress("newer");
  await open(address);
  const table = `${queueSchema("newer")}.version`;
  await execute(`update ${table} set version = version + 1`);
  const { store, server } = await openPostgres(address, systemClock, owner);
  onTestFinished(() => store.close());
  const before = await server.query(`select * from ${table}`, []);
  await expect(open(address)).rejects.toMatchObject({
    code: "STORE_NEWER",
    message: expect.stringContaining("are of a newer Pawl"),
    hint: expect.stringContaining("use the newer Pawl"),
  });
  expect(await server.query(`select * from ${table}`, [])).toStrictEqual(before);
});

test("[DI40] another minor version of the package pg-boss is refused with what to install", async () => {
  vi.doMock("pg-boss/package.json", () => ({ default: { version: "12.36.0", pgboss: { schema: 99 } } }));
  onTestFinished(() => {
    vi.doUnmock("pg-boss/package.json");
  });
  await expect(open(postgresAddress())).rejects.toMatchObject({
    code: "STORE_UNUSABLE",
    message: expect.stringContaining("is version 12.36.0, and Pawl needs 12.35"),
    hint: expect.stringContaining("npm install"),
  });
});

test("[DI41] a user who owns the schemas of the store and of its queues needs no right to create one", async () => {
  const user = `u_${randomBytes(6).toString("hex")}`;
  await administer((client) => client.query(`create role ${user} login password 'own'`));
  onTestFinished(
    async () =>
      void (await execute(`drop owned by ${user}`).then(() => administer((c) => c.query(`drop role ${user}`)))),
  );
  const address = addressAs(postgresAddress("owned"), user, "own");
  await execute(`create schema owned authorization ${user}`);
  const refused = { code: "STORE_UNUSABLE", hint: expect.stringContaining("owned_boss") };
  await expect(open(address)).rejects.toMatchObject(refused);
  await execute(`create schema owned_boss authorization ${user}`);
  await open(address);
  await execute(`alter schema owned_boss owner to current_user`);
  await expect(open(address)).rejects.toMatchObject({
    ...refused,
    message: expect.stringContaining("permission denied for schema owned_boss"),
  });
});

test("[DI42] the queues serve while a process begins to look for dead workers", async () => {
  const { store, server } = await openPostgres(postgresAddress(), systemClock, owner);
  const dispatch = await PgBossDispatch.open(store, server, { home: owner.id, onTrouble: () => undefined });
  onTestFinished(async () => {
    await dispatch.close();
    await store.close();
  });
  let isAttending = false;
  const attending = dispatch.attend().then((attendance) => {
    isAttending = true;
    return attendance;
  });
  // Again and again, until it has begun: each look uses the queues.
  do expect(await dispatch.leases({ endedBefore: null })).toStrictEqual([]);
  while (!isAttending);
  (await attending).close();
});
