// A store with a damaged row: what shows all runs shows the others.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { makeRepository, tempDir } from "../../../test/support/repository.ts";
import { Application } from "../application.ts";
import { run } from "../driving/drive.ts";
import { openGates } from "../gates/gates.ts";
import { Watched } from "./watch.ts";

const { signal } = new AbortController();

/** Two runs, each of which asks; `text` then damages their store, which a process opens that has read nothing of it. */
async function damagedBy(text: string): Promise<Application> {
  const dir = tempDir("pawl-damaged-");
  const repo = makeRepository(undefined, { dir: join(dir, "repo") });
  writeFileSync(join(dir, "ask.yml"), 'pawl: 1\nid: ask\nsteps: [{ id: look, gate: "Good?" }]\n');
  const open = () => {
    const app = new Application({ cwd: dir, env: { ...process.env, PAWL_HOME: "home" } });
    onTestFinished(async () => await app.close());
    return app;
  };
  const first = open();
  for (const task of ["one", "two"]) await run(first, { workflow: "./ask.yml", task, repo, signal });
  await first.close();
  const database = new DatabaseSync(join(dir, "home", "pawl.db"));
  database.exec(text);
  database.close();
  return open();
}

test.each([
  ["a gate", "update gates set body = '{broken' where run_id = (select id from runs where number = 1)", [2]],
  ["a run", "update runs set header = '{broken' where number = 1", [1, 2]],
])("[SO22] %s that cannot be read keeps no other from being listed", async (_, text, asking) => {
  const app = await damagedBy(text);
  expect((await openGates(app)).map(({ run: { number } }) => number)).toEqual(asking);
  const watched = new Watched(app);
  await watched.refresh();
  const { needsYou, working } = watched.look(Date.now());
  expect([...needsYou, ...working].map(({ number }) => number).toSorted((one, other) => one - other)).toEqual([1, 2]);
});
