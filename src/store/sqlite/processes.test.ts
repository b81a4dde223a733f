// Many processes use one SQLite file.

import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { queryFile } from "../../../test/support/database.ts";
import { expectRowsToEqualLogs } from "../../../test/support/logs.ts";
import { freshFile } from "../../../test/support/programs.ts";
import { chainOf } from "../../../test/support/sample-runs.ts";
import { soon, startWorkers } from "../../../test/support/store-workers.ts";
import { Transitions } from "../../../test/support/transitions.ts";
import type { RunId } from "../../domain/ids.ts";
import { systemClock } from "../../system/clock.ts";
import { schemaVersion } from "../migrate.ts";
import type { Store } from "../store.ts";
import { openSqliteStore } from "./open.ts";

test("[SO19] processes that open a new store at the same moment all find it complete", async () => {
  const file = freshFile("pawl.db");
  const workers = await startWorkers(8, "open", file);
  const time = soon();
  for (const worker of workers) worker.tell(time);
  for (const worker of workers) expect([await worker.hear(), await worker.end()]).toStrictEqual([{ runs: 0 }, ""]);
  await opened(file);
  expect(queryFile(file, "select version from migrations")).toHaveLength(schemaVersion);
});

test("[SO18] a commit of another process is noticed within a second", async () => {
  const file = freshFile("pawl.db");
  const store = await opened(file);
  const [writer] = await startWorkers(1, "write", file);
  // On a busy machine one of several tries is soon enough.
  let fastest = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 10 && fastest >= 1_000; tries += 1) {
    const noticed = Promise.withResolvers<number>();
    const watch = store.watch(() => noticed.resolve(Date.now()));
    writer?.tell("go");
    await writer?.hear();
    const committed = Date.now();
    fastest = Math.min(fastest, (await noticed.promise) - committed);
    watch.close();
  }
  expect(fastest).toBeLessThan(1_000);
});

test("[SO20] while another process holds the lock, this one waits and its timers keep running", async () => {
  const file = freshFile("pawl.db");
  const store = await opened(file);
  const [holder] = await startWorkers(1, "hold", file);
  holder?.tell(1_500);
  expect(await holder?.hear()).toBe("held");
  let beats = 0;
  const timer = setInterval(() => (beats += 1), 10);
  onTestFinished(() => clearInterval(timer));
  await new Transitions(store).start(chainOf(1));
  // Waiting without a pause would keep every timer until the lock is free.
  expect(beats).toBeGreaterThan(10);
  expect(await holder?.hear()).toBe("released");
});

test("[SO20] a read does not wait for a writer", async () => {
  const file = freshFile("pawl.db");
  const store = await opened(file);
  const run = await new Transitions(store).start(chainOf(1));
  const [holder] = await startWorkers(1, "hold", file);
  holder?.tell(10_000);
  expect(await holder?.hear()).toBe("held");
  const read = store.wholeRun(run).then((found) => found?.header.id);
  expect(await Promise.race([read, holder?.hear()])).toBe(run);
});

test("[SO21] writers that are killed at any moment lose nothing committed and leave nothing half-written", async () => {
  const file = freshFile("pawl.db");
  const store = await opened(file);
  const acknowledged = new Map<RunId, number>();
  let kills = 0;
  for (let round = 0; round < 8; round += 1) {
    // Half of them are killed from outside, half between two statements of a transaction.
    const workers = await startWorkers(4, "write", file);
    for (const [index, worker] of workers.entries()) {
      worker.tell(index % 2 ? "go" : "die");
      if (index % 2) void sleep(10 + Math.random() * 120).then(() => worker.kill());
    }
    for (const worker of workers) {
      for (const heard of (await worker.hearAll()) as readonly { run: RunId; events: number }[]) {
        acknowledged.set(heard.run, (acknowledged.get(heard.run) ?? 0) + heard.events);
      }
      expect(await worker.end()).toBe("");
      kills += 1;
    }
    expect(new DatabaseSync(file, { readOnly: true }).prepare("pragma integrity_check").get()).toMatchObject({
      integrity_check: "ok",
    });
  }
  expect(kills).toBeGreaterThanOrEqual(30);
  await expectRowsToEqualLogs(await opened(file));
  expect(acknowledged.size).toBeGreaterThan(20);
  for (const [run, events] of acknowledged) {
    expect((await store.events(run, 0, 1000)).length).toBeGreaterThanOrEqual(events);
  }
});

async function opened(file: string): Promise<Store> {
  const store = await openSqliteStore(file, systemClock);
  onTestFinished(() => store.close());
  return store;
}
