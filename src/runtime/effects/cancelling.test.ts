// A cancel while a story is being integrated: either nothing is published, or it is said what was.

import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { log, runGit, tempDir } from "../../../test/support/repository.ts";
import { shimGit } from "../../../test/support/slots.ts";
import { until } from "../../../test/support/until.ts";
import { makeWorld, type World } from "../../../test/support/world.ts";
import type { RunId } from "../../domain/ids.ts";
import { transition } from "../transition/transition.ts";

const planned = 'STORIES_JSON: [{"id":"US-001","title":"One","description":"d","acceptanceCriteria":["c"]}]';
const agent = `
case $PAWL_STEP in
  plan) printf '%s\\n' '${planned}' ;;
  work) echo 1 > one.txt ;;
esac
echo STATUS: done`;

function steps(check: string): string {
  return `
  - { id: plan, agent: worker, input: "plan" }
  - id: all
    stories: { workspace: worktree, concurrency: 1 }
    body: [{ id: work, agent: worker, input: "do it" }, { id: land, integrate: true, checks: ["${check}"] }]
`;
}

/** Tells that it is there, and waits until the test goes on. */
const waitAt = (place: string) => `touch ${place}; while [ -e ${place} ]; do sleep 0.05; done`;

/** Cancels the run as another process does, when its driver has reached the place. */
async function cancelAt(world: World, run: RunId, place: string): Promise<readonly string[]> {
  const said: string[] = [];
  const driving = world.drive(run, { parts: { ...world.parts, warn: (text) => said.push(text) } });
  await until(() => existsSync(place));
  const at = world.parts.clock.now();
  await transition(world.parts, run, { type: "cancel_run", reason: "enough", at, author: "test" });
  rmSync(place);
  expect(await driving).toBe("cancelled");
  return said;
}

test("[WS22] a cancel during the checks of an integration: nothing is published", async () => {
  const place = join(tempDir(), "checking");
  const world = await makeWorld({ agent, steps: steps(`${waitAt(place)}; true`) });
  const run = await world.begin();
  expect((await cancelAt(world, run, place)).join()).not.toContain("too late");
  expect(log(world.repo, "main")).toEqual(["first"]);
  expect((await world.run(run)).header.stories).toMatchObject([{ status: "cancelled" }]);
});

test("[WS22] a cancel while the base is being moved: the story is there, and it is said", async () => {
  const world = await makeWorld({ agent, steps: steps("true") });
  const run = await world.begin();
  const place = join(world.dir, "moving");
  const wait = `input=$(cat); case "$input" in *"update refs/heads/main "*) ${waitAt(place)};; esac; printf '%s\\n' "$input" | $real "$@"`;
  vi.stubEnv("PATH", shimGit(`case " $* " in *" update-ref --stdin "*) ${wait};; *) exec $real "$@";; esac`));
  const said = await cancelAt(world, run, place);
  const commit = runGit(world.repo, "rev-parse", "--short=12", "main");
  expect(log(world.repo, "main")).toHaveLength(2);
  expect(said).toContain(`the cancel came too late for US-001 (${commit} on main); \`git revert\` takes a commit back`);
});
