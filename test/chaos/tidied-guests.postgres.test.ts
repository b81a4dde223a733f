// What a guest has of runs that are over, until it looks for it.

import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { farStories, guestOf, guestWorld, machinesOf, startHostOf } from "../support/guest-world.ts";
import { expectCode } from "../support/pawl.ts";
import { onPostgres } from "../support/postgres.ts";
import { runGit } from "../support/repository.ts";
import { until } from "../support/until.ts";

onPostgres();

test("[WK44] a guest that is drained removes what it has of runs that are over before it ends, also of one that it only looked at", async () => {
  const world = guestWorld();
  const { site, call, statusOf } = world;
  expectCode(await call("runs"), 0);
  const two = await guestOf(world, "two");
  await startHostOf(world);
  expectCode(await call("run", ...farStories(site, 1), "--detach"), 0);
  await until(async () => (await statusOf()).run.status === "done");
  const done = (await statusOf()).run.id;
  // As a worker leaves it that is killed before its result is stored, or while it enters a tree.
  const record = join(two.home, "logs", done, "US-1-code-1.end.json");
  writeFileSync(record, "{}");
  const dead = JSON.stringify({ host: machinesOf(site, "code")[0], pid: 1, startedAt: "of another process" });
  writeFileSync(join(two.home, "worktrees", `${done}-1.entering.turn`), JSON.stringify({ by: dead }));
  expectCode(await call("run", ...farStories(site, 1, "[of-nobody]"), "--detach"), 0);
  const [name = ""] = readdirSync(join(two.home, "repositories"));
  const refs = () => runGit(join(two.home, "repositories", name), "for-each-ref", "--format=%(refname)").split("\n");
  const { id } = (await statusOf("2")).run;
  await until(() => refs().some((ref) => ref.startsWith(`refs/pawl/handed/${id}/`)));
  expectCode(await call("cancel", "2"), 0);
  await until(async () => (await statusOf("2")).run.status === "cancelled");
  process.kill(two.pid, "SIGUSR2");
  expectCode(await two.ended, 0);
  expect(readdirSync(join(two.home, "worktrees"))).toEqual([]);
  expect(existsSync(record)).toBe(false);
  // Its clone follows the branches of the repository.
  expect(refs().filter((ref) => !/^refs\/(heads\/main$|remotes\/|pawl\/host\/)/.test(ref))).toEqual([]);
});

test("[WK44] a guest that removes what it has of a run leaves a branch to the story of another run that has its name now", async () => {
  const world = guestWorld();
  const { site, call, statusOf } = world;
  expectCode(await call("runs"), 0);
  const two = await guestOf(world, "two", "--slots", "4");
  await startHostOf(world);
  // The last one gets the slot of another one, whose branch goes.
  expectCode(await call("run", ...farStories(site, 5), "--detach"), 0);
  await until(async () => (await statusOf()).run.status === "done");
  const first = (await statusOf()).run.id;
  writeFileSync(site.path("hold-code"), "");
  expectCode(await call("run", ...farStories(site, 5), "--detach"), 0);
  await until(() => machinesOf(site, "code").length === 5 + 4);
  const trees = join(two.home, "worktrees");
  const heads = () => {
    const names = readdirSync(trees).filter((name) => /-\d+$/.test(name) && !name.startsWith(first));
    return names
      .map((name) => runGit(join(trees, name), "for-each-ref", "--points-at=HEAD", "--format=%(HEAD)"))
      .join("");
  };
  expect(heads()).toContain("*");
  const before = heads();
  await until(() => !readdirSync(trees).join(" ").includes(first));
  expect(heads()).toBe(before);
  rmSync(site.path("hold-code"));
  await until(async () => (await statusOf("2")).run.status !== "running");
  expect((await statusOf("2")).run.status).toBe("done");
});
