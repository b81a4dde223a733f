import { join } from "node:path";
import { expect, test } from "vitest";
import { commitFile, log, makeRepository, runGit, writeFiles } from "../../../test/support/repository.ts";
import { type SlotWorld, slotsFor } from "../../../test/support/slots.ts";
import { parkStory } from "../slots/parking.ts";
import { leaveStory } from "../slots/slot.ts";
import { type Integration, type IntegrationRequest, integrateStory, publishSide, takenOutNote } from "./integration.ts";

/** A person who works in the checkout of main, and whose second commit should not have been made. */
function makeWorld(): SlotWorld & { readonly reset: (to: string) => void } {
  const repo = makeRepository({ "a.txt": "1\n" });
  commitFile(repo, "leaked.env", "password\n", "leaked a password");
  return { ...slotsFor(repo), reset: (to) => void runGit(repo, "reset", "--quiet", "--hard", to) };
}

async function integrated(world: SlotWorld, story: string, more: Partial<IntegrationRequest> = {}) {
  const integration: Integration = await integrateStory(world.request(story, more));
  if (integration.result !== "integrated") throw new Error(JSON.stringify(integration));
  return integration;
}

/** One story from its start to its end in the first slot; `meanwhile` happens before it is integrated. */
async function story(world: SlotWorld, id: string, meanwhile: () => void = () => undefined) {
  const { path } = await world.enter(id);
  commitFile(path, `${id}.txt`, "work\n");
  meanwhile();
  const done = await integrated(world, id);
  await leaveStory({ path, repo: world.repo, commit: done.commit });
  return done;
}

const filesOf = (repo: string, ref: string) => runGit(repo, "ls-tree", "--name-only", ref).split("\n");

test("[WS18] a base that a person reset to before the start of the run is not touched, and the work is beside it", async () => {
  const world = makeWorld();
  const one = await story(world, "US-1", () => world.reset("HEAD~1"));
  expect([one.on, log(world.repo)]).toEqual(["pawl/1-side", ["first"]]);
  expect(one.notes.join()).toMatch(/lost the commit that the run started from.*cherry-pick/);

  // Nor does the end of the run bring it back.
  const { published, note } = await publishSide(world.request("US-1"));
  expect([published, log(world.repo)]).toEqual([false, ["first"]]);
  expect(note).toContain("lost the commit that the run started from");
  runGit(world.repo, "cherry-pick", one.commit);
  expect(filesOf(world.repo, "main")).toEqual(["US-1.txt", "a.txt"]);
});

test("[WS18] a story that was taken out of the base stays out, and the next story says so", async () => {
  const world = makeWorld();
  const one = await story(world, "US-1");
  // The second one started from the first: what it has of it is not its own work.
  const two = await story(world, "US-2", () => world.reset("HEAD~1"));
  expect(two.on).toBe("main");
  expect(log(world.repo)).toEqual(["feat: US-2", "leaked a password", "first"]);
  expect(filesOf(world.repo, "main")).toEqual(["US-2.txt", "a.txt", "leaked.env"]);
  const said = `US-1 (${one.commit.slice(0, 12)}) had been put on main and is not there any more`;
  expect(two.notes).toEqual([said]);

  // It is said once by a story, and again at the end of the run.
  expect((await story(world, "US-3")).notes).toEqual([]);
  expect(await takenOutNote(world.request("US-3"), false)).toBe(said);
});

test("[WS18] a story that is parked meanwhile does not bring back what it started from", async () => {
  const world = makeWorld();
  await story(world, "US-1");
  const { path } = await world.enter("US-2");
  writeFiles(path, { "US-2.txt": "work\n" });
  await parkStory({ path, run: "r1", story: "US-2", file: world.parked("US-2") });
  world.reset("HEAD~1");
  await world.enter("US-2", 2);
  await integrated(world, "US-2", { path: world.slot(2) });
  expect(filesOf(world.repo, "main")).toEqual(["US-2.txt", "a.txt", "leaked.env"]);
});

test("[WS18] a commit of a person's that a story started from, and that the person took out again, stays out", async () => {
  const world = makeWorld();
  commitFile(world.repo, "mine.txt", "a try\n");
  await story(world, "US-1", () => world.reset("HEAD~1"));
  expect(filesOf(world.repo, "main")).toEqual(["US-1.txt", "a.txt", "leaked.env"]);
});

test("[WS18] a base that a person rebases meanwhile has every story once", async () => {
  const world = makeWorld();
  await story(world, "US-1");
  const two = await story(world, "US-2", () => {
    runGit(world.repo, "checkout", "--quiet", "-b", "other", "HEAD~1");
    commitFile(world.repo, "other.txt", "theirs\n");
    runGit(world.repo, "checkout", "--quiet", "main");
    runGit(world.repo, "rebase", "--quiet", "other");
  });
  expect(log(world.repo)).toEqual(["feat: US-2", "feat: US-1", "change other.txt", "leaked a password", "first"]);
  expect(runGit(world.repo, "diff", "--name-only", "HEAD~1")).toBe("US-2.txt");
  expect(two.notes).toEqual([]);
});

test("[WS18] what was taken out of the base does not come back with the side branch", async () => {
  const world = makeWorld();
  await story(world, "US-1");
  const two = await story(world, "US-2", () => writeFiles(world.repo, { "a.txt": "uncommitted\n" }));
  expect(two.on).toBe("pawl/1-side");
  world.reset("HEAD~1");
  const three = await story(world, "US-3");
  expect(three.on).toBe("pawl/1-side");
  expect((await publishSide(world.request("US-3"))).note).toMatch(/main no longer has [0-9a-f]{12}.*cherry-pick/);
  expect(log(world.repo)).toEqual(["leaked a password", "first"]);
  expect(runGit(world.repo, "for-each-ref", "--format=%(refname)", join("refs/pawl/published", "r1"))).not.toBe("");
});
