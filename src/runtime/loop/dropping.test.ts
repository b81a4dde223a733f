// Dropping a story while its agent works: real processes, real git.

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { until } from "../../../test/support/until.ts";
import { makeWorld } from "../../../test/support/world.ts";
import { storyId } from "../../domain/ids.ts";
import { transition } from "../transition/transition.ts";

const steps = `
  - { id: plan, agent: worker, input: "{{task}}" }
  - id: all
    stories: { workspace: worktree, concurrency: 1 }
    body:
      - { id: code, agent: worker, input: "{{current_story}}" }
      - { id: look, agent: worker, input: "{{current_story}}" }
      - { id: land, integrate: {} }
`;
const agent = `
if [ "$PAWL_STEP" = plan ]; then
  echo 'STORIES_JSON: [{"id":"US-1","title":"one","description":"d","acceptanceCriteria":["a"]},{"id":"US-2","title":"two","description":"d","acceptanceCriteria":["a"],"dependsOn":["US-1"]}]'
  echo STATUS: done; exit
fi
if [ "$PAWL_STEP" = code ]; then
  echo "$PAWL_STORY" > "$PAWL_STORY.txt"; git add -A; git -c user.name=a -c user.email=a@b commit -qm "$PAWL_STORY"
elif [ "$PAWL_STORY" = US-1 ]; then
  echo left > left.txt
  echo $$ > "$PAWL_SHARED/pid.new"; mv "$PAWL_SHARED/pid.new" "$PAWL_SHARED/pid"
  sleep 600
fi
echo STATUS: done`;

test("[DP2 DP5 DR40] a dropped story's agent is gone, its work is kept and not integrated, and the next story gets its slot", async () => {
  const world = await makeWorld({ agent, steps });
  const run = await world.begin();
  const driving = world.drive(run);
  await world.appears("pid");
  const pid = Number(world.read("pid"));
  const at = world.parts.clock.now();
  const decision = await transition(world.parts, run, {
    type: "drop_story",
    of: storyId("US-1"),
    as: "done",
    reason: "bought",
    at,
    author: "user:ann",
  });
  expect(decision.accepted).toBe(true);
  expect(await driving).toBe("done");
  await until(() => !isAlive(pid));
  const git = (...args: string[]) => execFileSync("git", args, { cwd: world.repo, encoding: "utf8" });
  const { place, stories } = (await world.run(run)).header;
  expect(stories.map(({ status }) => status)).toEqual(["done", "done"]);
  const base = git("ls-tree", "-r", "--name-only", place.baseName ?? "");
  expect([base.includes("US-1.txt"), base.includes("US-2.txt")]).toEqual([false, true]);
  expect(git("log", "-1", "--format=%s", "pawl/US-1")).toBe("US-1\n");
  const salvage = join(world.home.dir, "salvage", run);
  const diffs = readdirSync(salvage).map((name) => readFileSync(join(salvage, name), "utf8"));
  expect(diffs.some((diff) => diff.includes("left.txt"))).toBe(true);
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
