// SQLite on disk keeps the store's promise.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { systemClock } from "../../system/clock.ts";
import { describeStore } from "../store.contract.ts";
import type { Store } from "../store.ts";
import { columnTypes, openSqliteStore } from "./open.ts";

describeStore("SQLite on disk", async () => {
  const directory = mkdtempSync(join(tmpdir(), "pawl-store-"));
  const opened: Store[] = [];
  onTestFinished(async () => {
    for (const store of opened) await store.close();
    rmSync(directory, { recursive: true, force: true });
  });
  const another = async () => {
    const store = await openSqliteStore(join(directory, "pawl.db"), systemClock);
    opened.push(store);
    return store;
  };
  const store = await another();
  const reopen = async () => {
    for (const each of opened.splice(0)) await each.close();
    return await another();
  };
  return { store, another, reopen, columnTypes };
});
