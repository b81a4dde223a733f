// Databases that an older Pawl wrote. `old/schema-2.sql` has real runs; older schemas are derived from it.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { queryFile } from "../../../test/support/database.ts";
import { expectRowsToEqualLog, expectRowsToEqualLogs } from "../../../test/support/logs.ts";
import { freshFile } from "../../../test/support/programs.ts";
import { completed, finishOf } from "../../../test/support/sample-runs.ts";
import { Transitions } from "../../../test/support/transitions.ts";
import { runId, storyId } from "../../domain/ids.ts";
import { systemClock } from "../../system/clock.ts";
import { schemaVersion } from "../migrate.ts";
import { openSqliteStore } from "./open.ts";

const withStories = runId("run-with-stories");
const withoutStories = runId("run-without");

test("[SO27] a database of an older version gets the new tables and keeps its data", async () => {
  const file = oldDatabase((old) => {
    old.exec("DROP TABLE holds; DELETE FROM migrations WHERE version = 2;");
    for (const table of ["totals", "attempts"]) {
      for (const column of ["cache_read_tokens", "estimated_usd"])
        old.exec(`ALTER TABLE ${table} DROP COLUMN ${column}`);
    }
    for (const column of ["model", "agent_version"]) old.exec(`ALTER TABLE attempts DROP COLUMN ${column}`);
  });
  const store = await opened(file);
  await expectRowsToEqualLog(store, withoutStories);
  expect((await store.wholeRun(withStories))?.header.attempts[0]).toMatchObject({ session: "s-1", model: null });
  expect(await store.transaction((tx) => tx.holds())).toEqual([]);
});

test("[SO30] the runs of a schema 2 database are the same after the migration", async () => {
  const file = oldDatabase();
  const store = await opened(file);
  expect(queryFile(file, "select version from migrations")).toHaveLength(schemaVersion);
  expect(await expectRowsToEqualLogs(store)).toBe(2);
  const run = await store.wholeRun(withStories);
  expect(run?.header.stories.map(({ id, status, openDependencies }) => `${id} ${status} ${openDependencies}`)).toEqual([
    "A done 0",
    "B failed 0",
    "C running 0",
    "D waiting 1",
    "E blocked 1",
    "F waiting 1",
  ]);
  expect(run?.header.attempts[0]).toMatchObject({
    session: "s-1",
    model: "m-1",
    version: "2.1",
    usage: { costUsd: 0.25, cacheReadTokens: 40, estimatedUsd: 0.05 },
  });
});

test("[SO30] an unfinished run of a schema 2 database continues to its end", async () => {
  const store = await opened(oldDatabase());
  const runs = new Transitions(store);
  const [attempt] = (await store.wholeRun(withStories))?.stories[storyId("C")]?.attempts ?? [];
  if (!attempt) throw new Error("the old run has no running attempt of C");
  await runs.apply(withStories, finishOf(attempt.id, completed(), { story: storyId("C") }));
  await runs.perform(withStories, "verify", completed(), storyId("C"));
  for (const id of ["D", "F"]) {
    for (const step of ["code", "verify"]) await runs.perform(withStories, step, completed(), storyId(id));
  }
  await runs.apply(withStories, { type: "retry_run", at: 2900, author: "user:ada", story: null, step: null });
  for (const id of ["B", "E"]) {
    for (const step of ["code", "verify"]) await runs.perform(withStories, step, completed(), storyId(id));
  }
  await runs.perform(withStories, "ship");
  expect(await store.runById(withStories)).toMatchObject({ status: "done" });
  await expectRowsToEqualLogs(store);
});

test("[SO30 SO9] a run of an older database is found by its folder and its file", async () => {
  const place = `json_set(header, '$.place.prd', '/prd.json', '$.place.shared', '/folder')`;
  const file = oldDatabase((old) => old.exec(`UPDATE runs SET header = ${place} WHERE id = '${withStories}'`));
  const store = await opened(file);
  expect(await store.runsAt({ shared: null, source: "/prd.json" })).toMatchObject([
    { id: withStories, shared: "/folder", source: "/prd.json" },
  ]);
});

function oldDatabase(older: (database: DatabaseSync) => void = () => undefined): string {
  const file = freshFile("pawl.db");
  const database = new DatabaseSync(file);
  database.exec(readFileSync(join(import.meta.dirname, "..", "migrations", "old", "schema-2.sql"), "utf8"));
  older(database);
  database.close();
  return file;
}

async function opened(file: string) {
  const store = await openSqliteStore(file, systemClock);
  onTestFinished(() => store.close());
  return store;
}
