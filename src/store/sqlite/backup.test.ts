// Backups: whole, sound, private, also while another process writes.

import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { expectRowsToEqualLogs } from "../../../test/support/logs.ts";
import { freshFile } from "../../../test/support/programs.ts";
import { chainOf } from "../../../test/support/sample-runs.ts";
import { startWorkers } from "../../../test/support/store-workers.ts";
import { Transitions } from "../../../test/support/transitions.ts";
import { systemClock } from "../../system/clock.ts";
import type { Store } from "../store.ts";
import { openSqliteStore } from "./open.ts";

async function opened(file: string): Promise<Store> {
  const store = await openSqliteStore(file, systemClock);
  onTestFinished(() => store.close());
  return store;
}

test("[SO32] a backup has everything that was committed, while another process writes and holds the lock", async () => {
  const file = freshFile("pawl.db");
  const copy = join(dirname(file), "copy.db");
  const store = await opened(file);
  const run = await new Transitions(store).start(chainOf(3));
  const [holder] = await startWorkers(1, "hold", file);
  holder?.tell(2000);
  expect(await holder?.hear()).toBe("held");

  expect(await store.backup(copy)).toEqual({ file: copy, bytes: statSync(copy).size, runs: 1 });
  expect(statSync(copy).mode & 0o777).toBe(0o600);
  const kept = await opened(copy);
  expect(await kept.wholeRun(run)).toEqual(await store.wholeRun(run));
  expect(await kept.events(run, 0, 1000)).toEqual(await store.events(run, 0, 1000));
  await expectRowsToEqualLogs(kept);
});

test("[SO32] a file that exists is not replaced, and a backup that fails leaves nothing", async () => {
  const file = freshFile("pawl.db");
  const store = await opened(file);
  const mine = join(dirname(file), "mine.txt");
  writeFileSync(mine, "mine");
  await expect(store.backup(mine)).rejects.toMatchObject({ code: "REFUSED", hint: expect.stringContaining("name") });
  expect(readFileSync(mine, "utf8")).toBe("mine");
  await expect(store.backup(join(mine, "copy.db"))).rejects.toMatchObject({
    code: "STORE_UNUSABLE",
    message: expect.stringContaining("could not be written"),
  });
  const there = join(dirname(file), "there");
  mkdirSync(there);
  await store.close();
  await expect(store.backup(join(there, "copy.db"))).rejects.toThrow("could not be written");
  expect(readdirSync(there)).toEqual([]);
});
