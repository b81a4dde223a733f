// Who enters the tree of a story or of a run.

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeWorld } from "../../../test/support/world.ts";
import { occupantOf } from "../../workspaces/slots/slot.ts";
import { prepareWorkspace } from "../attempt/prepare/workspace.ts";
import { slotPath, workspacePath } from "./places.ts";
import { enterTree } from "./story-tree.ts";

const planned = JSON.stringify(
  ["US-1", "US-2"].map((id) => ({ id, title: id, description: "d", acceptanceCriteria: ["c"] })),
);
const agent = `
case $PAWL_STEP in
plan) printf '%s\\n' 'STORIES_JSON: ${planned}' ;;
work)
  echo "$PAWL_STORY" > "$PAWL_STORY.txt"
  touch "$PAWL_SHARED/begun-$PAWL_STORY"
  if [ "$PAWL_STORY" = US-2 ]; then while [ ! -e "$PAWL_SHARED/go" ]; do sleep 0.05; done; fi ;;
esac
echo STATUS: done`;
const steps = `
  - { id: plan, agent: worker, input: "plan" }
  - id: all
    stories: { workspace: worktree, concurrency: 1 }
    body: [{ id: work, agent: worker, input: "do it" }, { id: land, integrate: true }]
`;

test("[FT7 FT8] a process whose attempt has ended without it does not enter the tree in which another story is worked on", async () => {
  const world = await makeWorld({ agent, steps });
  const run = await world.begin();
  const driving = world.drive(run);
  await world.appears("begun-US-1");
  // What a process sees that claims now, and then hears nothing for a while.
  const seen = await world.run(run);
  await world.appears("begun-US-2");
  const attempt = (await world.attempts(run)).find(({ story, name }) => story === "US-1" && name === "work");
  if (attempt === undefined) throw new Error("nobody has worked on US-1");
  const late = await world.open();
  const entering = enterTree(late, seen, attempt, 1, () => undefined);
  await expect(entering).rejects.toThrow(/has ended/);
  const path = slotPath(world.parts, run, 1);
  expect([occupantOf(path), existsSync(join(path, "US-2.txt"))]).toEqual(["US-2", true]);
  writeFileSync(join(world.home.dir, "go"), "");
  expect(await driving).toBe("done");
});

test("[FT7 FT8] a process whose attempt has ended without it does not make the tree of its run again", async () => {
  const world = await makeWorld();
  const run = await world.begin();
  const seen = await world.run(run);
  expect(await world.drive(run)).toBe("done");
  const [attempt] = await world.attempts(run);
  if (attempt === undefined) throw new Error("nobody has worked on it");
  await expect(prepareWorkspace(await world.open(), seen, attempt)).rejects.toThrow(/has ended/);
  expect(existsSync(workspacePath(world.parts, seen, null))).toBe(false);
});
