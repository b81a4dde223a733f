// A commit whose answer is lost together with its server.

import { chmodSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, onTestFinished, test } from "vitest";
import { openPostgresStore } from "../../src/store/postgres/open.ts";
import { systemClock } from "../../src/system/clock.ts";
import { onPostgres, owner } from "../support/postgres.ts";
import { tempDir } from "../support/repository.ts";
import { chainOf } from "../support/sample-runs.ts";
import { TcpProxy } from "../support/tcp-proxy.ts";
import { Transitions } from "../support/transitions.ts";
import { FaultyServer } from "./workers/server.ts";

onPostgres();

test("[SO90] a commit that its server forgot when it died is made again, also where another transaction has its id since then", async (context) => {
  if (inject("postgres").lasts) context.skip("it kills its server, so it needs one of its own");
  const dir = tempDir();
  // The server may run as another user.
  chmodSync(dir, 0o711);
  const server = await FaultyServer.start(join(dir, "server"));
  onTestFinished(() => server.close());
  const proxy = await TcpProxy.to({ host: "127.0.0.1", port: server.port });
  onTestFinished(() => proxy.close());
  const openAt = async (port: number) => {
    const opened = await openPostgresStore(server.address("127.0.0.1", port), systemClock, owner);
    onTestFinished(() => opened.close());
    return opened;
  };
  const other = await openAt(server.port);
  const store = await openAt(proxy.port);
  proxy.cutBefore("commit\0");
  const starting = new Transitions(store).start(chainOf(1));
  await expect.poll(() => proxy.refused).toBeGreaterThan(0);
  await server.kill();
  await server.restart();
  for (let count = 0; count < 5; count += 1) await new Transitions(other).start(chainOf(1));
  proxy.restore();
  const run = await starting;
  const runs = await other.listRuns({ statuses: null, limit: 10 });
  expect(runs.map(({ id }) => id)).toContain(run);
  expect(runs).toHaveLength(6);
});
