// One look serves every watcher of a store.

import { StatementSync } from "node:sqlite";
import { expect, onTestFinished, test, vi } from "vitest";
import { freshFile } from "../../../test/support/programs.ts";
import { chainOf } from "../../../test/support/sample-runs.ts";
import { Transitions } from "../../../test/support/transitions.ts";
import { systemClock } from "../../system/clock.ts";
import { openSqliteStore } from "./open.ts";

test("[SM2] two hundred watchers cost one look, and none is left without a watcher", async () => {
  const file = freshFile("pawl.db");
  const [store, other] = [await openSqliteStore(file, systemClock), await openSqliteStore(file, systemClock)];
  onTestFinished(async () => void (await Promise.all([store.close(), other.close()])));
  const looks = countLooks();
  const told = new Set<number>();
  const watches = Array.from({ length: 200 }, (_, index) => store.watch(() => told.add(index)));
  const began = Date.now();
  await new Transitions(other).start(chainOf(1));
  await expect.poll(() => told.size).toBe(200);
  // One at the beginning, then one every 100 ms. A look of each watcher would be 200 at least.
  expect(looks()).toBeLessThanOrEqual(2 + (Date.now() - began) / 90);
  for (const watch of watches) watch.close();
  const before = looks();
  await new Transitions(other).start(chainOf(1));
  await new Promise((resolve) => setTimeout(resolve, 250));
  expect([looks(), told.size]).toEqual([before, 200]);
});

function countLooks(): () => number {
  const get = vi.spyOn(StatementSync.prototype, "get");
  onTestFinished(() => get.mockRestore());
  return () => get.mock.contexts.filter((each) => (each as StatementSync).sourceSQL.includes("data_version")).length;
}
