// Guests that are killed or frozen, until others notice it.

import { rmSync, writeFileSync } from "node:fs";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { farStories, guestOf, guestWorld, machinesOf, startHostOf } from "../support/guest-world.ts";
import { type GuestWorker } from "../support/machines.ts";
import { expectCode } from "../support/pawl.ts";
import { onPostgres, queryAt } from "../support/postgres.ts";
import { runGit } from "../support/repository.ts";
import { linesOf } from "../support/service.ts";
import { until } from "../support/until.ts";

onPostgres();

test("[WK6 WK43 WK45] guests that are killed or frozen: their stories go on elsewhere from what was handed over within 45 seconds", async () => {
  const world = guestWorld();
  const { site, call, statusOf } = world;
  expectCode(await call("runs"), 0);
  const guests = [await guestOf(world, "two", "--labels", "far"), await guestOf(world, "three", "--labels", "far")];
  await startHostOf(world, "--slots", "2");
  writeFileSync(site.path("hold-check"), "");
  expectCode(await call("run", ...farStories(site, 2, "[far]"), "--detach"), 0);
  await until(() => machinesOf(site, "check").length === 2);
  const [killed, frozen] = guests as [GuestWorker, GuestWorker];
  const had = (guest: GuestWorker) => linesOf(site, "where").some((line) => line.includes(`${guest.home}/worktrees/`));
  expect([had(killed), had(frozen)]).toEqual([true, true]);
  process.kill(killed.pid, "SIGKILL");
  process.kill(frozen.pid, "SIGSTOP");
  const stoppedAt = Date.now();
  await until(() => machinesOf(site, "check").length === 4);
  expect((Date.now() - stoppedAt) / 1000).toBeLessThan(45);
  process.kill(frozen.pid, "SIGCONT");
  rmSync(site.path("hold-check"));
  await until(async () => (await statusOf()).run.status !== "running");
  expect((await statusOf()).run.status).toBe("done");
  const events = (await call("events", "1", "--json")).stdout;
  for (const { home } of guests)
    expect(events).toMatch(new RegExp(`what it had not handed over is on \\w+\\.[0-9a-f]{8} in ${home}/worktrees/`));
  const done = linesOf(site, "done").filter((line) => line.startsWith("code"));
  expect(done.toSorted()).toEqual(["code US-1 done", "code US-2 done"]);
  const passed = events.split("\n").filter((line) => line.includes('"attempt_ended"') && line.includes('"passed"'));
  expect(passed).toHaveLength(1 + 2 * 3);
  const files = runGit(site.repo, "ls-tree", "--name-only", "HEAD").trim().split("\n");
  expect(files).toEqual(["README.md", "US-1.loose", "US-1.txt", "US-2.loose", "US-2.txt"]);
});

test("[WK43 WK46] the first attempt of a story is lost with its guest: another guest begins it, which has the labels that the host has not", async () => {
  const world = guestWorld();
  const { site, call, statusOf } = world;
  expectCode(await call("runs"), 0);
  const two = await guestOf(world, "two", "--labels", "far");
  await startHostOf(world);
  writeFileSync(site.path("hold-code"), "");
  expectCode(await call("run", ...farStories(site, 1, "[far]"), "--detach"), 0);
  await until(() => machinesOf(site, "code").length === 1);
  process.kill(two.pid, "SIGKILL");
  await guestOf(world, "three", "--labels", "far");
  await until(() => machinesOf(site, "code").length === 2);
  rmSync(site.path("hold-code"));
  await until(async () => (await statusOf()).run.status !== "running");
  expect((await statusOf()).run.status).toBe("done");
  const files = runGit(site.repo, "ls-tree", "--name-only", "HEAD").trim().split("\n");
  expect(files).toEqual(["README.md", "US-1.loose", "US-1.txt"]);
});

test("[WK44 FT8] a guest that wakes when its run is long over leaves nothing on the host", async () => {
  const world = guestWorld();
  const { site, env, call, statusOf } = world;
  expectCode(await call("runs"), 0);
  const two = await guestOf(world, "two", "--labels", "far");
  await startHostOf(world);
  writeFileSync(site.path("hold-code"), "");
  expectCode(await call("run", ...farStories(site, 1, "[far]"), "--detach"), 0);
  await until(() => machinesOf(site, "code").length === 1);
  process.kill(two.pid, "SIGSTOP");
  await guestOf(world, "three", "--labels", "far");
  await until(() => machinesOf(site, "code").length === 2);
  rmSync(site.path("hold-code"));
  const { id } = (await statusOf()).run;
  const refs = () => runGit(site.repo, "for-each-ref", `refs/pawl/handed/${id}`).trim();
  await until(async () => (await statusOf()).run.status === "done" && refs() === "");
  process.kill(two.pid, "SIGCONT");
  process.kill(two.pid, "SIGUSR2");
  expectCode(await two.ended, 0);
  const count = async (table: string) =>
    await queryAt(env.PAWL_STORE, async (db) => (await sql`select * from ${sql.table(table)}`.execute(db)).rows.length);
  expect([refs(), await count("log_parts"), await count("hand_overs"), await count("shared_texts")]).toEqual([
    "",
    0,
    0,
    0,
  ]);
});
