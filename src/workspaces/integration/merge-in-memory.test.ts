import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { countGit } from "../../../test/support/git-count.ts";
import { commitFile, makeRepository, runGit, writeFiles } from "../../../test/support/repository.ts";
import { shimGit, slotsFor } from "../../../test/support/slots.ts";
import { leaveStory } from "../slots/slot.ts";
import { restoreSnapshot, stateFile } from "../trees/restore.ts";
import { takeSnapshot } from "../trees/snapshot.ts";
import { isIn, recordParent } from "./ancestry.ts";
import { integrateStory } from "./integration.ts";

const gitDirOf = (path: string) => runGit(path, "rev-parse", "--absolute-git-dir");
const log = (repo: string, name: string) => runGit(repo, "log", "--format=%s", name).split("\n");

test("[GP6] a conflict is found without touching the tree", async () => {
  const world = slotsFor(makeRepository({ "a.txt": "1\n", "b.txt": "1\n" }));
  const { path } = await world.enter("US-1");
  writeFiles(path, { "a.txt": "mine\n", "new.txt": "mine\n" });
  commitFile(world.repo, "a.txt", "theirs\n");
  const before = { snapshot: await takeSnapshot(path), at: statSync(join(path, "a.txt")).mtimeMs };
  const count = countGit();
  expect(await integrateStory(world.request("US-1", { check: async () => null }))).toMatchObject({
    result: "conflict",
    files: ["a.txt"],
  });
  expect(count().filter((call) => /^(?:checkout|rebase|read-tree|reset|clean) /.test(call))).toEqual([]);
  vi.unstubAllEnvs();
  expect({ snapshot: await takeSnapshot(path), at: statSync(join(path, "a.txt")).mtimeMs }).toEqual(before);
  expect(existsSync(stateFile(gitDirOf(path)))).toBe(false);
});

test("[GP6] without checks the tree keeps its files; branch and HEAD move with the base, and the attempt can still be put back", async () => {
  const world = slotsFor(makeRepository({ "a.txt": "1\n" }));
  const { path, branch } = await world.enter("US-1");
  writeFiles(path, { "mine.txt": "mine\n" });
  const earlier = await takeSnapshot(path);
  writeFiles(path, { "mine.txt": "mine, better\n" });
  const theirs = commitFile(world.repo, "theirs.txt", "1\n");
  const snapshot = await takeSnapshot(path);
  const done = await integrateStory(world.request("US-1", { check: null, snapshot }));
  expect(done).toMatchObject({ result: "integrated", on: "main" });
  expect(log(world.repo, "main")).toEqual(["feat: US-1", "change theirs.txt", "first"]);
  expect(runGit(world.repo, "rev-parse", "main^")).toBe(theirs);
  expect(existsSync(join(path, "theirs.txt"))).toBe(false);
  expect(runGit(world.repo, "branch", "--list", branch)).toBe("");
  expect(runGit(path, "rev-parse", "HEAD")).toBe(runGit(world.repo, "rev-parse", "main"));

  // A crash here: the tree is put back, and the story is integrated already.
  runGit(world.repo, "gc", "--quiet", "--prune=now");
  await restoreSnapshot(path, snapshot);
  expect(await takeSnapshot(path)).toBe(snapshot);
  expect(earlier).not.toBe(snapshot);
  const commit = done.result === "integrated" ? done.commit : "";
  expect(await integrateStory(world.request("US-1", { check: null }))).toMatchObject({ result: "integrated", commit });
  await leaveStory({ path, repo: world.repo, commit });
  expect(runGit(world.repo, "branch", "--list", branch)).toBe("");

  const next = await world.enter("US-2");
  expect(runGit(next.path, "status", "--porcelain")).toBe("");
  expect(existsSync(join(path, "theirs.txt"))).toBe(true);
});

test("[GP6] a git that cannot merge in memory merges in the tree", async () => {
  const world = slotsFor(makeRepository({ "a.txt": "1\n" }));
  const { path } = await world.enter("US-1");
  writeFiles(path, { "mine.txt": "mine\n" });
  commitFile(world.repo, "theirs.txt", "1\n");
  vi.stubEnv("PATH", shimGit(`case " $* " in *" merge-tree "*) exit 129;; esac\nexec $real "$@"`));
  expect(await integrateStory(world.request("US-1"))).toMatchObject({ result: "integrated", on: "main" });
  expect(log(world.repo, "main")).toEqual(["feat: US-1", "change theirs.txt", "first"]);
});

test("[GP7] git is asked once whether a commit is an ancestor, and not about commits that were just made", async () => {
  const repo = makeRepository();
  const first = runGit(repo, "rev-parse", "HEAD");
  const second = commitFile(repo, "a.txt", "1");
  const third = commitFile(repo, "a.txt", "2");
  runGit(repo, "checkout", "--quiet", "-b", "side", first);
  const beside = commitFile(repo, "b.txt", "1");
  const count = countGit();
  expect([await isIn(repo, first, second), await isIn(repo, first, second), await isIn(repo, first, first)]).toEqual([
    true,
    true,
    true,
  ]);
  recordParent(third, second);
  expect([await isIn(repo, second, third), await isIn(repo, first, third)]).toEqual([true, true]);
  expect(count()).toHaveLength(1);
  expect([await isIn(repo, beside, third), await isIn(repo, beside, third)]).toEqual([false, false]);
  expect(count()).toHaveLength(3);
});
