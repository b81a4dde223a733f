// `need` of a `stories` step with real processes, real git and a real store.

import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { identityIn } from "../../../test/support/programs.ts";
import { until } from "../../../test/support/until.ts";
import { makeWorld, type World } from "../../../test/support/world.ts";
import { hasEnded } from "../../domain/attempt.ts";
import type { RunId } from "../../domain/ids.ts";
import { isAlive } from "../../system/process/identity.ts";

const steps = (need: string) => `
  - { id: plan, agent: worker, input: "Print STORIES_JSON for {{task}}" }
  - id: all
    stories: { workspace: worktree, concurrency: 3 }
    story_budget: { at_most: 0 }
    ${need}
    body:
      - { id: code, agent: worker, input: "{{current_story}}" }
      - { id: look, agent: worker, input: "{{current_story}}" }
      - { id: land, integrate: {} }
  - { id: end, agent: worker, input: "{{task}}" }
`;

const plan = `
if [ "$PAWL_STEP" = plan ]; then
  printf 'STORIES_JSON: ['
  for id in US-1 US-2 US-3; do
    [ $id = US-1 ] || printf ,
    printf '{"id":"%s","title":"%s","description":"d","acceptanceCriteria":["a"]}' $id $id
  done
  echo ']'; echo STATUS: done; exit
fi
if [ "$PAWL_STEP" = code ]; then
  echo "$PAWL_STORY" > "$PAWL_STORY.txt"; git add -A; git -c user.name=a -c user.email=a@b commit -qm "$PAWL_STORY"
  echo STATUS: done; exit
fi`;

/** US-2 ends when the others are at work; those never end. */
const race = (trap = "") => `${plan}
if [ "$PAWL_STEP" = end ]; then
  for id in US-1 US-3; do
    if kill -0 "$(cat "$PAWL_SHARED/$id")" 2> /dev/null; then echo alive; else echo gone; fi
  done > "$PAWL_SHARED/seen"
elif [ "$PAWL_STORY" = US-2 ]; then
  while [ ! -s "$PAWL_SHARED/US-1" ] || [ ! -s "$PAWL_SHARED/US-3" ]; do sleep 0.05; done
else
  echo left > left.txt
  ${trap}
  echo $$ > "$PAWL_SHARED/new-$PAWL_STORY"; mv "$PAWL_SHARED/new-$PAWL_STORY" "$PAWL_SHARED/$PAWL_STORY"
  while :; do sleep 0.1; done
fi
echo STATUS: done`;

const statuses = async (world: World, run: RunId) => (await world.run(run)).header.stories.map(({ status }) => status);
const git = (world: World, ...args: string[]) => execFileSync("git", args, { cwd: world.repo, encoding: "utf8" });

/** The base has the work of one story, in one commit; the others are as dropped stories are. */
async function expectOneOnBase(world: World, run: RunId): Promise<void> {
  expect(await statuses(world, run)).toEqual(["cancelled", "done", "cancelled"]);
  const { place } = (await world.run(run)).header;
  const base = place.baseName ?? "";
  expect(git(world, "log", "--format=%s", `${place.base}..${base}`).trim().split("\n")).toHaveLength(1);
  const files = git(world, "ls-tree", "-r", "--name-only", base).trim().split("\n");
  expect(files.filter((file) => file.endsWith(".txt"))).toEqual(["US-2.txt"]);
  for (const story of ["US-1", "US-3"])
    expect(git(world, "log", "-1", "--format=%s", `pawl/${story}`)).toBe(`${story}\n`);
  const salvage = join(world.home.dir, "salvage", run);
  const diffs = existsSync(salvage)
    ? readdirSync(salvage).map((name) => readFileSync(join(salvage, name), "utf8"))
    : [];
  expect(diffs.filter((diff) => diff.includes("left.txt")).length).toBeGreaterThanOrEqual(2);
}

test("[ND3 DR41] `need: first`: the agents of the other stories are gone before the run goes on, and the base has one story's commit", async () => {
  const world = await makeWorld({ agent: race(), steps: steps("need: first") });
  const run = await world.begin();
  expect(await world.drive(run)).toBe("done");
  expect(world.read("seen")).toBe("gone\ngone\n");
  await expectOneOnBase(world, run);
});

test("[ND1 ND2] `need: 2` of three passes although one has failed", async () => {
  const agent = `${plan}
if [ "$PAWL_STORY" = US-1 ]; then echo STATUS: retry; else echo STATUS: done; fi`;
  const world = await makeWorld({ agent, steps: steps("need: 2") });
  const run = await world.begin();
  expect(await world.drive(run)).toBe("done");
  expect(await statuses(world, run)).toEqual(["failed", "done", "done"]);
  const { place } = (await world.run(run)).header;
  const files = git(world, "ls-tree", "-r", "--name-only", place.baseName ?? "")
    .trim()
    .split("\n");
  expect(files.filter((file) => file.endsWith(".txt"))).toEqual(["US-2.txt", "US-3.txt"]);
});

test("[DR41 RC1] a driver that is killed while stories are being stopped: the next one ends them, and the run goes on", async () => {
  // They do not obey, so that the driver is still stopping them when it dies.
  const world = await makeWorld({ agent: race("trap '' TERM INT HUP"), steps: steps("need: first") });
  const run = await world.begin();
  const driver = world.startDriver(run);
  const stopping = async () =>
    (await world.attempts(run)).filter((attempt) => !hasEnded(attempt) && attempt.state.phase === "stopping");
  for (const story of ["US-1", "US-3"]) await world.appears(story, "\n");
  const agents = await Promise.all(["US-1", "US-3"].map((story) => identityIn(join(world.home.dir, story))));
  await until(async () => (await stopping()).length > 0);
  await driver.kill();
  expect(await statuses(world, run)).toContain("running");
  expect(await world.drive(run)).toBe("done");
  expect(agents.map(isAlive)).toEqual([false, false]);
  await expectOneOnBase(world, run);
});
