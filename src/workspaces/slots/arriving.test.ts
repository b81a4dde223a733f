// A story that comes back from another machine.

import { expect, test } from "vitest";
import { commitFile, makeRepository, runGit, writeFiles } from "../../../test/support/repository.ts";
import { slotsFor } from "../../../test/support/slots.ts";
import { parseSnapshot, takeSnapshot } from "../trees/snapshot.ts";
import { receiveStory } from "./arriving.ts";
import { parkStory, readWhereabouts, writeWhereabouts } from "./parking.ts";

const branchOf = "pawl/1/US-1";

/** A story that was here, was taken elsewhere, and has one commit more there. */
async function gone() {
  const world = slotsFor(makeRepository());
  const { path } = await world.enter("US-1");
  const here = commitFile(path, "here.txt", "1");
  const parking = { path, run: "r1", story: "US-1", file: world.parked("US-1"), branch: branchOf };
  await parkStory(parking);
  const left = readWhereabouts(parking.file);
  // What the other machine made of it.
  await world.enter("US-1");
  const there = commitFile(path, "there.txt", "1");
  writeFiles(path, { "loose.txt": "1" });
  const snapshot = await takeSnapshot(path);
  await parkStory(parking);
  const { repo } = world;
  // And what is still here.
  if (left !== null) writeWhereabouts(parking.file, left);
  runGit(repo, "update-ref", `refs/heads/${branchOf}`, here);
  return { world, path, parking, here, there, snapshot };
}

const commitOf = (repo: string, name: string) => runGit(repo, "rev-parse", name);

test("[WK41] a story that comes back has its branch and its loose files as they were elsewhere", async () => {
  const story = await gone();
  const { world, parking, there, snapshot } = story;
  await receiveStory({ ...parking, repo: world.repo, snapshot, start: null });
  const { path, branch } = await world.enter("US-1");
  expect([branch, commitOf(path, "HEAD"), commitOf(world.repo, branchOf)]).toEqual([branchOf, there, there]);
  expect(runGit(path, "status", "--porcelain")).toBe("?? loose.txt");
});

test("[WK64] a branch on which a person has put commits stays where it is; the story gets another", async () => {
  const story = await gone();
  const { world, parking, there, snapshot } = story;
  const theirs = runGit(world.repo, "commit-tree", "-m", "by a person", "-p", branchOf, `${branchOf}^{tree}`);
  runGit(world.repo, "update-ref", `refs/heads/${branchOf}`, theirs);
  await receiveStory({ ...parking, repo: world.repo, snapshot, start: null });
  const { path, branch } = await world.enter("US-1");
  expect([commitOf(world.repo, branchOf), commitOf(path, "HEAD")]).toEqual([theirs, there]);
  expect(branch).not.toBe(branchOf);
});

test("[WK64] a branch that a person has checked out stays where it is", async () => {
  const story = await gone();
  const { world, parking, here, there, snapshot } = story;
  runGit(world.repo, "checkout", "--quiet", branchOf);
  await receiveStory({ ...parking, repo: world.repo, snapshot, start: null });
  const { path, branch } = await world.enter("US-1");
  expect([commitOf(world.repo, branchOf), commitOf(path, "HEAD")]).toEqual([here, there]);
  expect([branch, runGit(world.repo, "status", "--porcelain")]).toEqual([`${branchOf}-2`, ""]);
});

test("[WK41] work that is not in the repository is refused in words, and what is here of the story stays", async () => {
  const { world, parking } = await gone();
  const before = readWhereabouts(parking.file);
  const snapshot = "1".repeat(40);
  const received = receiveStory({ ...parking, repo: world.repo, snapshot, start: null });
  await expect(received).rejects.toThrow("has not got the work that another machine had handed over");
  expect(readWhereabouts(parking.file)).toEqual(before);
});

test("[WK64] a story that arrives on a branch of the user gets one of its own, also where both are at the same commit", async () => {
  const { world, path, parking } = await gone();
  const { repo } = world;
  runGit(repo, "checkout", "--quiet", "--detach");
  const main = commitOf(repo, "main");
  // Nothing is known of it here, and its agent has committed nothing.
  await world.enter("US-1");
  runGit(path, "checkout", "--quiet", "--detach", "main");
  writeFiles(path, { "loose.txt": "1" });
  const snapshot = `${await takeSnapshot(path)}@main`;
  await parkStory(parking);
  const other = { ...parking, file: world.parked("elsewhere"), story: "US-2", branch: "pawl/1/US-2" };
  await receiveStory({ ...other, repo, snapshot, start: null });
  expect(readWhereabouts(other.file)).toMatchObject({
    branch: "pawl/1/US-2",
    parked: snapshot.replace("@main", "@pawl/1/US-2"),
  });
  expect(commitOf(repo, "main")).toBe(main);
});

const branches = (repo: string) => runGit(repo, "for-each-ref", "--format=%(refname:short)", "refs/heads").split("\n");

/** A story that was worked on here, and what another machine has made of it. */
async function awayAndBack() {
  const world = slotsFor(makeRepository({ "a.txt": "1" }));
  const { repo } = world;
  const { path } = await world.enter("US-1");
  const mine = commitFile(path, "here.txt", "1");
  writeFiles(path, { "loose.txt": "1" });
  const { content } = parseSnapshot(await takeSnapshot(path));
  const receive = async (snapshot: string) => {
    const file = world.parked("US-1");
    await receiveStory({ path, run: "r1", repo, story: "US-1", file, branch: branchOf, snapshot, start: null });
  };
  return { world, repo, path, mine, content, receive };
}

test("[WK41 FT8] a story whose branch has got another name elsewhere has its own when it comes back, and no other is left", async () => {
  const { world, repo, path, mine, content, receive } = await awayAndBack();
  await receive(`${mine}+${content}@pawl/1/US-1-2`);
  expect(await world.enter("US-1")).toMatchObject({ branch: branchOf, fresh: false });
  expect(runGit(path, "status", "--porcelain")).toBe("?? loose.txt");
  expect(branches(repo)).toEqual(["main", branchOf]);
});

test("[WK41 FT8] its branch stays where a person has put commits on it, or has it checked out", async () => {
  const { world, repo, mine, content, receive } = await awayAndBack();
  await receive(`${mine}+${content}@pawl/1/US-1`);
  runGit(repo, "checkout", "--quiet", "pawl/1/US-1");
  await receive(`${mine}+${content}@pawl/1/US-1-2`);
  expect(branches(repo)).toEqual(["main", "pawl/1/US-1"]);
  const theirs = commitFile(repo, "theirs.txt", "1");
  runGit(repo, "checkout", "--quiet", "main");
  await receive(`${mine}+${content}@pawl/1/US-1-3`);
  expect(runGit(repo, "rev-parse", "pawl/1/US-1")).toBe(theirs);
  expect(await world.enter("US-1")).toMatchObject({ fresh: false });
});
