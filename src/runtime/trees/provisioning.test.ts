// What `workspace:` of the configuration gives to the run's own tree.

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runGit } from "../../../test/support/repository.ts";
import { makeWorld } from "../../../test/support/world.ts";
import { plainWorkspace } from "../config/config.ts";
import { provisionTree } from "./provisioning.ts";

test("[OT4] the run's own tree gets the copied files and the setup, once, and neither is committed", async () => {
  const world = await makeWorld({
    agent: `cat .env made >> "$PAWL_SHARED/seen"; echo "$A $PAWL_PORT" >> "$PAWL_SHARED/seen"; echo work > "$PAWL_STEP.txt"; echo STATUS: done`,
    steps: `
  - { id: one, agent: worker, input: "one" }
  - { id: two, agent: worker, input: "two" }
`,
  });
  writeFileSync(join(world.repo, ".env"), "KEY=1\n");
  const workspace = {
    ...plainWorkspace,
    copy: [".env"],
    setup: ["echo set up >> made"],
    env: { A: "{{slot}}-{{run}}" },
  };
  const parts = { ...world.parts, settings: { workspace } };
  const run = await world.begin("Do it", parts);
  expect(await world.drive(run, { parts })).toBe("done");
  const seen = world.read("seen").trim().split("\n");
  expect(seen).toHaveLength(6);
  expect(seen.slice(0, 2)).toEqual(["KEY=1", "set up"]);
  expect(seen[2]).toMatch(new RegExp(`^0-${run} \\d+$`));
  expect(seen.slice(3)).toEqual(seen.slice(0, 3));
  const files = runGit(world.repo, "ls-tree", "-r", "--name-only", "pawl/1-do-it").split("\n");
  expect(files).toEqual(["README.md", "one.txt", "two.txt"]);
  expect(existsSync(`${join(world.home.worktrees, run)}.slot.json`)).toBe(false);
});

test("[FT8] a tree that was removed while it was made ready leaves nothing beside its place", async () => {
  const world = await makeWorld();
  const run = await world.run(await world.begin());
  const path = join(world.home.worktrees, "gone");
  await provisionTree(world.parts, run, { path, slot: null, story: null, attempt: "a" }, () => undefined);
  expect(existsSync(`${path}.slot.json`)).toBe(false);
});
