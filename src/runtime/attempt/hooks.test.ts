// Hooks of a workspace: real processes in real trees.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeWorld, type World } from "../../../test/support/world.ts";
import { hasEnded } from "../../domain/attempt.ts";
import type { RunId } from "../../domain/ids.ts";
import type { Parts } from "../parts.ts";

const diary = (world: World) => world.read("diary").split("\n").filter(Boolean);

/** The parts of a configuration with these hooks, which write into the diary of the home. */
async function hooked(world: World, hooks: Partial<Record<"beforeRun" | "afterRun" | "beforeRemove", string>>) {
  const say = (text: string | undefined) =>
    text === undefined ? [] : [text.replaceAll("$DIARY", join(world.home.dir, "diary"))];
  const { workspace } = world.config;
  const own = { beforeRun: say(hooks.beforeRun), afterRun: say(hooks.afterRun), beforeRemove: say(hooks.beforeRemove) };
  const settings = { workspace: { ...workspace, hooks: own } };
  return { ...world.parts, settings, settingsOf: async () => settings } satisfies Parts;
}

const lastOf = async (world: World, run: RunId) => {
  const last = (await world.attempts(run)).at(-1);
  return last && hasEnded(last) ? last.state : null;
};

test("[HK1 HK2 HK3] hooks run before and after each attempt and before the tree is removed, with its variables", async () => {
  const world = await makeWorld({
    agent: `echo agent >> "$PAWL_SHARED/diary"; [ -e "$PAWL_SHARED/once" ] && { echo STATUS: done; exit; }
touch "$PAWL_SHARED/once"; exit 3`,
  });
  const parts = await hooked(world, {
    beforeRun: 'echo "before $PAWL_STEP $PAWL_ATTEMPT $PWD" >> $DIARY',
    afterRun: 'echo "after $PAWL_STEP $PAWL_ATTEMPT" >> $DIARY',
    beforeRemove: 'echo "remove $PAWL_RUN $PWD" >> $DIARY',
  });
  const run = await world.begin("do it", parts);
  expect(await world.drive(run, { parts })).toBe("done");
  const tree = join(world.home.worktrees, run);
  expect(diary(world)).toEqual([
    `before work 1 ${tree}`,
    "agent",
    "after work 1",
    `before work 2 ${tree}`,
    "agent",
    "after work 2",
    `remove ${run} ${tree}`,
  ]);
  expect(existsSync(tree)).toBe(false);
});

test("[HK4] a before_run that fails fails the attempt before its agent starts, with what it printed", async () => {
  const world = await makeWorld({
    agent: 'echo agent >> "$PAWL_SHARED/diary"; echo STATUS: done',
    steps: "\n  - { id: work, agent: worker, on_error: fail }\n",
  });
  const parts = await hooked(world, { beforeRun: "echo no database; exit 4", afterRun: "echo after >> $DIARY" });
  const run = await world.begin("do it", parts);
  expect(await world.drive(run, { parts })).toBe("failed");
  expect(diary(world)).toEqual(["after"]);
  const last = await lastOf(world, run);
  expect([last?.outcome, last?.why]).toEqual(["failed", expect.stringContaining("the hook before_run failed")]);
  expect(last?.why).toContain("no database");
});

test("[HK5] an after_run or a before_remove that fails is said, and keeps neither the result nor the removal", async () => {
  const world = await makeWorld();
  const warnings: string[] = [];
  const parts = await hooked(world, { afterRun: "echo still up; exit 1", beforeRemove: "exit 9" });
  const run = await world.begin("do it", parts);
  expect(await world.drive(run, { parts: { ...parts, warn: (text) => warnings.push(text) } })).toBe("done");
  const last = await lastOf(world, run);
  expect([last?.outcome, last?.notes]).toEqual(["completed", [expect.stringContaining("the hook after_run failed")]]);
  expect(warnings).toEqual([expect.stringContaining("the hook before_remove failed")]);
  expect(existsSync(join(world.home.worktrees, run))).toBe(false);
});
