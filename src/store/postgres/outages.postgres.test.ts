// Connections that are lost, and what the server tells.

import { sql } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import { onPostgres, openEmptyStore, openStoreAt, owner, queryAt } from "../../../test/support/postgres.ts";
import { chainOf } from "../../../test/support/sample-runs.ts";
import { TcpProxy } from "../../../test/support/tcp-proxy.ts";
import { Transitions } from "../../../test/support/transitions.ts";
import { systemClock } from "../../system/clock.ts";
import type { Store } from "../store.ts";
import { openPostgres } from "./open.ts";

onPostgres();

test("[SO62] a server that is away for a while is waited for", async () => {
  const { store, proxy } = await openThroughProxy();
  const run = await new Transitions(store).start(chainOf(1));
  proxy.cut();
  const asked = [store.runById(run), store.wholeRun(run), new Transitions(store).start(chainOf(1))] as const;
  await expect.poll(() => proxy.refused).toBeGreaterThan(5);
  proxy.restore();
  const [found, whole] = await Promise.all(asked);
  expect([found?.id, whole?.header.id]).toStrictEqual([run, run]);
  expect(await store.listRuns({ statuses: null, limit: 10 })).toHaveLength(2);
});

test("[SO89] what a queue asks a server that is away fails as STORE_UNUSABLE, and works again when it is back", async () => {
  const { proxy, url } = await storeBehindProxy();
  const { store, server } = await openPostgres(url, systemClock, owner);
  onTestFinished(() => store.close());
  proxy.cut();
  await expect(server.query("select 1", [])).rejects.toMatchObject({ code: "STORE_UNUSABLE" });
  proxy.restore();
  expect(await server.query("select 1 as one", [])).toStrictEqual([{ one: 1 }]);
});

test.for(["request", "answer"] as const)("[SO62] a commit whose %s is lost is made once", async (what) => {
  const { store, proxy } = await openThroughProxy();
  // The whole statement: "read committed" begins the transaction.
  proxy.loseNext("commit\0", what);
  const run = await new Transitions(store).start(chainOf(1));
  const runs = await store.listRuns({ statuses: null, limit: 10 });
  expect(runs.map(({ number }) => number)).toStrictEqual([1]);
  // Tried again, it makes another run.
  expect(runs.map(({ id }) => id)).toStrictEqual([run]);
});

test("[SO62] a transaction that loses its connection is tried again", async () => {
  const { store, proxy } = await openThroughProxy();
  let tries = 0;
  const number = await store.transaction(async (tx) => {
    const next = await tx.nextRunNumber();
    tries += 1;
    if (tries === 1) {
      proxy.cut();
      proxy.restore();
    }
    await tx.holds();
    return next;
  });
  expect([number, tries]).toStrictEqual([1, 2]);
});

test("[SO63] a watcher is told of commits of others, and again after its connection was lost", async () => {
  const { store, proxy, address } = await openThroughProxy();
  const other = await opened(address);
  let told = 0;
  store.watch(() => {
    told += 1;
  });
  // Once when it begins to listen: something may have been committed just before.
  await expect.poll(() => told).toBe(1);
  await new Transitions(store).start(chainOf(1));
  await new Transitions(other).start(chainOf(1));
  // Announcements come in the order of the commits, so its own would have been counted.
  await expect.poll(() => told).toBe(2);
  proxy.cut();
  await new Transitions(other).start(chainOf(1));
  await expect.poll(() => proxy.refused).toBeGreaterThan(0);
  proxy.restore();
  await expect.poll(() => told).toBe(3);
  await new Transitions(other).start(chainOf(1));
  await expect.poll(() => told).toBe(4);
});

test("[SO63] many watchers have one connection, and none is left without a watcher", async () => {
  const { address, store } = await openEmptyStore();
  const name = `pawl ${new URL(address).searchParams.get("schema")}`;
  const listening = async () => {
    const { rows } = await queryAt(address, (db) =>
      sql`select from pg_stat_activity where application_name = ${name} and query = 'listen pawl'`.execute(db),
    );
    return rows.length;
  };
  const told = new Set<number>();
  const watches = Array.from({ length: 50 }, (_, index) => store.watch(() => told.add(index)));
  await expect.poll(() => told.size).toBe(50);
  expect(await listening()).toBe(1);
  for (const watch of watches) watch.close();
  await expect.poll(async () => await listening()).toBe(0);
});

/** `address`: past the proxy. */
async function openThroughProxy() {
  const { address, proxy, url } = await storeBehindProxy();
  return { address, proxy, store: await opened(url) };
}

async function storeBehindProxy() {
  const { address, store: direct } = await openEmptyStore();
  await direct.close();
  const url = new URL(address);
  const proxy = await TcpProxy.to({ host: url.hostname, port: Number(url.port) });
  onTestFinished(() => proxy.close());
  url.hostname = "127.0.0.1";
  url.port = String(proxy.port);
  return { address, proxy, url: url.href };
}

async function opened(address: string): Promise<Store> {
  const store = await openStoreAt(address);
  onTestFinished(() => store.close());
  return store;
}
