import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  commitFile,
  fingerprint,
  makeRepository,
  runGit,
  tempDir,
  writeFiles,
} from "../../../test/support/repository.ts";
import { slips } from "../../../test/support/slips.ts";
import { type SlotWorld, slotsFor } from "../../../test/support/slots.ts";
import { integrateStory } from "../integration/integration.ts";
import { parkStory } from "../slots/parking.ts";
import { discardTree, healTree, withHealing } from "./heal.ts";
import { removeWorktree } from "./removal.ts";
import { restoreSnapshot } from "./restore.ts";
import { takeSnapshot } from "./snapshot.ts";

/** A story with a commit and an uncommitted file, in a slot; the home lies in a repository of the user, as some do. */
async function makeStory(): Promise<SlotWorld & { readonly path: string; readonly before: string }> {
  const repo = makeRepository({ "a.txt": "1\n" });
  runGit(repo, "checkout", "--quiet", "-b", "elsewhere");
  const world = slotsFor(repo);
  runGit(world.home, "init", "--quiet");
  const { path } = await world.enter("US-1");
  commitFile(path, "work.txt", "committed\n");
  writeFiles(path, { "more.txt": "not committed\n" });
  return { ...world, path, before: await takeSnapshot(path) };
}

const slip = (path: string, script: string) => execFileSync("sh", ["-c", script], { cwd: path, stdio: "ignore" });

test.each(slips)(
  "[WS21] %s: the tree is mended with its files, free for the next story, and can be removed",
  async (_, script) => {
    const { path, before, ...world } = await makeStory();
    slip(path, script);
    const told: string[] = [];
    const act = () => takeSnapshot(path);
    const now = await withHealing({ path, act, told: (broken) => told.push(...broken) });
    expect(told).not.toEqual([]);
    expect(runGit(path, "rev-parse", "--path-format=absolute", "--git-common-dir")).toBe(join(world.repo, ".git"));
    expect([readFileSync(join(path, "work.txt"), "utf8"), now]).toEqual(["committed\n", before]);

    slip(path, script);
    const park = () => parkStory({ path, run: "r1", story: "US-1", file: world.parked("US-1") });
    await withHealing({ path, act: park, told: () => undefined });
    await world.enter("US-2");
    expect(runGit(path, "status", "--porcelain", "--branch")).toBe("## pawl/1/US-2");
    slip(path, script);
    expect(await removeWorktree({ repo: world.repo, path, keepAs: "kept", force: true })).toMatchObject({
      removed: true,
    });
    expect([existsSync(path), readdirSync(join(world.home, "trees"))]).toEqual([false, []]);
    expect(runGit(world.repo, "worktree", "list").split("\n")).toHaveLength(1);
    // The story that was parked has its work.
    await world.enter("US-1", 2);
    expect(readFileSync(join(world.slot(2), "more.txt"), "utf8")).toBe("not committed\n");
  },
);

test("[WS21] all work of a story whose git directory was deleted is integrated", async () => {
  const { path, repo, request } = await makeStory();
  slip(path, 'rm -rf "$(git rev-parse --absolute-git-dir)" .git');
  await withHealing({ path, act: () => takeSnapshot(path), told: () => undefined });
  expect((await integrateStory(request("US-1"))).result).toBe("integrated");
  expect(runGit(repo, "diff", "--name-status", "main~1", "main")).toBe("A\tmore.txt\nA\twork.txt");
  runGit(repo, "fsck", "--no-dangling");
});

test("[WS21] a tree that is in order is not touched, and a checkout of a person's never", async () => {
  const { path, repo } = await makeStory();
  const before = fingerprint(path);
  expect(await healTree(path)).toEqual([]);
  expect(fingerprint(path)).toEqual(before);

  rmSync(join(repo, ".git/HEAD"));
  writeFileSync(join(repo, ".git/index"), "junk");
  expect(await healTree(repo)).toEqual([]);
  discardTree(repo);
  expect([readFileSync(join(repo, ".git/index"), "utf8"), existsSync(join(repo, ".git/HEAD"))]).toEqual([
    "junk",
    false,
  ]);
  const other = join(tempDir(), "other");
  expect(await withHealing({ path: other, act: async () => 1, told: () => undefined })).toBe(1);
});

test("[WS21] an error that has another cause stays the error, and nothing is discarded", async () => {
  const { path } = await makeStory();
  const failing = () => restoreSnapshot(path, "1".repeat(40));
  const orElse = async () => discardTree(path);
  await expect(withHealing({ path, act: failing, told: () => undefined, orElse })).rejects.toMatchObject({
    code: "GIT_FAILED",
  });
  expect(existsSync(join(path, "more.txt"))).toBe(true);
});
