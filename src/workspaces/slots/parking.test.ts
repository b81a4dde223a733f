import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commitFile, log, makeRepository, runGit, writeFiles } from "../../../test/support/repository.ts";
import { slotsFor } from "../../../test/support/slots.ts";
import { removeWorktree } from "../trees/removal.ts";
import { restoreSnapshot } from "../trees/restore.ts";
import { takeSnapshot } from "../trees/snapshot.ts";
import { dropRunRefs, parkStory, readParked } from "./parking.ts";
import { leaveStory, occupantOf } from "./slot.ts";

const status = (path: string) => runGit(path, "status", "--porcelain=v2", "--branch", "--untracked-files=all");
const pawlRefs = (repo: string) => runGit(repo, "for-each-ref", "--format=%(refname)", "refs/pawl");
const branches = (repo: string) => runGit(repo, "for-each-ref", "--format=%(refname:short)", "refs/heads").split("\n");

async function atWork() {
  const world = slotsFor(makeRepository({ "a.txt": "1", "b.txt": "1", ".gitignore": "*.log\n" }));
  const { path } = await world.enter("US-1");
  writeFiles(path, { "early.txt": "before the attempt" });
  const early = await takeSnapshot(path);
  commitFile(path, "c.txt", "committed");
  writeFiles(path, { "a.txt": "staged", "d.txt": "untracked", "dir/bin": new Uint8Array([0, 255, 10, 13]) });
  runGit(path, "add", "a.txt");
  writeFiles(path, { "a.txt": "staged, then changed", "b.txt": "changed" });
  const park = () => parkStory({ path, run: "r1", story: "US-1", file: world.parked("US-1") });
  return { world, path, park, early };
}

test("[WS11] a parked story is entered again as it was, in another slot, after its tree is gone and git gc has run", async () => {
  const { world, path, park, early } = await atWork();
  const before = status(path);
  const exact = await takeSnapshot(path);
  await park();
  expect([occupantOf(path), readParked(world.parked("US-1"))]).toEqual([null, exact]);
  await park();
  await world.enter("US-2");
  await park();
  expect(occupantOf(path)).toBe("US-2");
  await parkStory({ path, run: "r1", story: "US-2", file: world.parked("US-2") });
  await removeWorktree({ repo: world.repo, path, keepAs: "pawl/kept", force: true });
  expect(branches(world.repo)).toEqual(["main", "pawl/1/US-1", "pawl/1/US-2"]);
  runGit(world.repo, "reflog", "expire", "--expire=now", "--all");
  runGit(world.repo, "gc", "--quiet", "--prune=now");

  const again = await world.enter("US-1", 2);
  expect(again).toMatchObject({ branch: "pawl/1/US-1", fresh: false });
  expect(status(again.path)).toBe(before);
  expect(await takeSnapshot(again.path)).toBe(exact);
  expect(readParked(world.parked("US-1"))).toBe(null);
  // What an attempt of the story began with is there, too.
  await restoreSnapshot(again.path, early);
  expect(runGit(again.path, "status", "--porcelain")).toBe("?? early.txt");
  expect(runGit(world.repo, "fsck", "--no-dangling")).toBe("");
});

test("[WS11] a parked story that is entered and parked again is what it became, not what it was", async () => {
  const { world, path, park } = await atWork();
  await park();
  await world.enter("US-1", 2);
  const second = world.slot(2);
  commitFile(second, "e.txt", "more");
  const now = await takeSnapshot(second);
  await parkStory({ path: second, run: "r1", story: "US-1", file: world.parked("US-1") });
  await world.enter("US-1", 1);
  expect(await takeSnapshot(path)).toBe(now);
  expect(occupantOf(second)).toBe(null);
});

test("[WS11] a branch that somebody moved or checked out while its story was parked is left to them", async () => {
  const { world, path, park } = await atWork();
  const exact = await takeSnapshot(path);
  await park();
  runGit(world.repo, "checkout", "--quiet", "pawl/1/US-1");
  const theirs = commitFile(world.repo, "theirs.txt", "1");
  const again = await world.enter("US-1");
  expect(again).toMatchObject({ branch: "pawl/1/US-1-2", fresh: false });
  expect(runGit(world.repo, "rev-parse", "pawl/1/US-1")).toBe(theirs);
  expect((await takeSnapshot(path)).replace("-2", "")).toBe(exact);
  expect(log(path)).toEqual(["change c.txt", "first"]);
});

test("[WS11] a story whose agent left HEAD detached is parked with its commits, and no branch is made for them", async () => {
  const { world, path, park } = await atWork();
  runGit(path, "checkout", "--quiet", "--detach");
  commitFile(path, "loose.txt", "on no branch");
  const exact = await takeSnapshot(path);
  await park();
  await removeWorktree({ repo: world.repo, path, keepAs: "pawl/kept", force: true });
  expect(branches(world.repo)).toEqual(["main", "pawl/1/US-1"]);
  runGit(world.repo, "gc", "--quiet", "--prune=now");
  await world.enter("US-1");
  expect(await takeSnapshot(path)).toBe(exact);
});

test("[WS11] leaving lets go of what was kept for a story, and the end of a run of the rest", async () => {
  const { world, path, park } = await atWork();
  await park();
  await world.enter("US-2");
  writeFiles(path, { "x.txt": "1" });
  await parkStory({ path, run: "r1", story: "US-2", file: world.parked("US-2") });
  await world.enter("US-1");
  await leaveStory({ path, repo: world.repo, commit: runGit(path, "rev-parse", "main") });
  expect(pawlRefs(world.repo)).toMatch(/^(refs\/pawl\/parked\/r1\/US-2\/[0-9a-f]+\n?)+$/);
  runGit(world.repo, "update-ref", "refs/pawl/parked/r10/US-2/x", "main");
  await dropRunRefs(world.repo, "r1");
  await dropRunRefs(world.repo, "r1");
  expect(pawlRefs(world.repo)).toBe("refs/pawl/parked/r10/US-2/x");
  expect(existsSync(join(path, "x.txt"))).toBe(false);
});

test("[WS9] a run's id is looked at before it becomes part of a ref", async () => {
  const repo = makeRepository();
  await expect(dropRunRefs(repo, "*")).rejects.toMatchObject({ code: "INPUT_INVALID" });
  await expect(dropRunRefs(repo, "../heads")).rejects.toMatchObject({ code: "INPUT_INVALID" });
});
