// Runs the dispatch contract on a SQLite store.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { openSqliteStore } from "../../store/sqlite/open.ts";
import type { Store } from "../../store/store.ts";
import { systemClock } from "../../system/clock.ts";
import { describeDispatch } from "../dispatch.contract.ts";
import { EmbeddedDispatch } from "./embedded.ts";

describeDispatch("embedded in SQLite", async () => {
  const directory = mkdtempSync(join(tmpdir(), "pawl-dispatch-"));
  const opened: Store[] = [];
  onTestFinished(async () => {
    for (const store of opened) await store.close();
    rmSync(directory, { recursive: true, force: true });
  });
  const another = async () => {
    const store = await openSqliteStore(join(directory, "pawl.db"), systemClock);
    opened.push(store);
    return { store, dispatch: new EmbeddedDispatch(store) };
  };
  return { ...(await another()), another };
});
