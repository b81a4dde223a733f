// Many processes compete for the same work.

import { expect, onTestFinished, test } from "vitest";
import { expectRowsToEqualLogs } from "../../../test/support/logs.ts";
import { freshFile } from "../../../test/support/programs.ts";
import { chainOf } from "../../../test/support/sample-runs.ts";
import { soon, startWorkers } from "../../../test/support/store-workers.ts";
import { Transitions } from "../../../test/support/transitions.ts";
import { openSqliteStore } from "../../store/sqlite/open.ts";
import { systemClock } from "../../system/clock.ts";
import { EmbeddedDispatch } from "./embedded.ts";

test("[DI3] when 16 processes claim one step at the same moment, exactly one gets it, round after round", async () => {
  const { file, store, runs } = await emptyStore();
  const workers = await startWorkers(16, "claim", file);
  const rounds = 40;
  for (let round = 0; round < rounds; round += 1) {
    await runs.start(chainOf(1), { at: Date.now() });
    const time = soon();
    for (const worker of workers) worker.tell(time);
    const claims = await Promise.all(workers.map((worker) => worker.hear()));
    expect(claims.filter((claim) => typeof claim === "string")).toHaveLength(1);
    expect(claims.filter((claim) => claim === null)).toHaveLength(15);
  }
  for (const worker of workers) expect(await worker.end()).toBe("");
  expect(await expectRowsToEqualLogs(store)).toBe(rounds);
});

test("[DI13] 8 processes finish 40 runs; each step is claimed once and no process fails on a lock", async () => {
  const { file, store, runs } = await emptyStore();
  for (let run = 0; run < 40; run += 1) await runs.start(chainOf(6), { at: Date.now() });
  const workers = await startWorkers(8, "drive", file);
  const time = soon();
  for (const worker of workers) worker.tell(time);
  const heard = await Promise.all(workers.map((worker) => worker.hearAll()));
  for (const worker of workers) expect(await worker.end()).toBe("");

  const claims = heard.flat() as readonly { run: string; step: string; attempt: string }[];
  expect(claims).toHaveLength(240);
  expect(new Set(claims.map(({ run, step }) => `${run}/${step}`)).size).toBe(240);
  expect(await store.listRuns({ statuses: ["done"], limit: 100 })).toHaveLength(40);
  expect(await expectRowsToEqualLogs(store)).toBe(40);
  expect(await new EmbeddedDispatch(store).leases({ endedBefore: null })).toStrictEqual([]);
});

async function emptyStore() {
  const file = freshFile("pawl.db");
  const store = await openSqliteStore(file, systemClock);
  onTestFinished(() => store.close());
  return { file, store, runs: new Transitions(store, new EmbeddedDispatch(store)) };
}
