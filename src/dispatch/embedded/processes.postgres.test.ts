// Many processes compete for the same work on a PostgreSQL store.

import { expect, test } from "vitest";
import { expectRowsToEqualLogs } from "../../../test/support/logs.ts";
import { onPostgres, openEmptyStore } from "../../../test/support/postgres.ts";
import { chainOf } from "../../../test/support/sample-runs.ts";
import { soon, startWorkers } from "../../../test/support/store-workers.ts";
import { Transitions } from "../../../test/support/transitions.ts";
import { EmbeddedDispatch } from "./embedded.ts";

onPostgres();

test("[DI3] [DI13] processes finish all runs: each step is claimed once, and none fails because of a lock", async () => {
  const { address, store } = await openEmptyStore();
  const dispatch = new EmbeddedDispatch(store);
  const runs = new Transitions(store, dispatch);
  for (let run = 0; run < 8; run += 1) await runs.start(chainOf(4), { at: Date.now() });
  const workers = await startWorkers(4, "drive", address);
  const time = soon();
  for (const worker of workers) worker.tell(time);
  const heard = await Promise.all(workers.map((worker) => worker.hearAll()));
  for (const worker of workers) expect(await worker.end()).toBe("");
  const claims = heard.flat() as readonly { run: string; step: string }[];
  expect(claims).toHaveLength(32);
  expect(new Set(claims.map(({ run, step }) => `${run}/${step}`)).size).toBe(32);
  expect(await store.listRuns({ statuses: ["done"], limit: 100 })).toHaveLength(8);
  expect(await expectRowsToEqualLogs(store)).toBe(8);
  expect(await dispatch.leases({ endedBefore: null })).toStrictEqual([]);
});
