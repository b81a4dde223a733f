import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { countGit } from "../../../../test/support/git-count.ts";
import { runGit } from "../../../../test/support/repository.ts";
import { storyOf } from "../../../../test/support/sample-runs.ts";
import { makeWorld, type World } from "../../../../test/support/world.ts";
import type { RunId } from "../../../domain/ids.ts";
import { plainProject } from "../../config/config.ts";
import { beginRun } from "../../runs/start.ts";
import { openWorkflow } from "../../runs/workflow-library.ts";

/** Each story writes a file of its own; the work of every second one is committed by its agent. */
const agent = `
echo "$PAWL_STORY" > "$PAWL_STORY.txt"
case "$PAWL_STORY" in *[02468]) git add -A; git commit -qm "work of $PAWL_STORY";; esac
echo STATUS: done
`;

const steps = (slots: number) => `
  - id: stories
    stories: { concurrency: ${slots}, workspace: worktree }
    body:
      - { id: code, agent: worker }
      - { id: integrate, integrate: { message: "feat: {{story}}" } }
`;

async function begin(world: World, stories: number): Promise<RunId> {
  const { run } = await beginRun(world.parts, {
    workflow: openWorkflow(world.home, join(world.dir, "workflow.yml"), world.parts.protocols),
    task: "count",
    repo: world.repo,
    base: null,
    inPlace: false,
    context: {},
    executor: `command: sh ${join(world.dir, "agent.sh")}`,
    author: "test",
    tighten: (definition) => definition,
    project: plainProject,
    given: {
      stories: Array.from({ length: stories }, (_, index) => storyOf(`S-${index + 1}`)),
      adopted: [],
      source: null,
      shared: null,
    },
  });
  return run;
}

test("[GP5] a story of one step starts at most 12 git processes, from its tree to the base", async () => {
  const world = await makeWorld({ agent, steps: steps(1) });
  const run = await begin(world, 6);
  const count = countGit();
  expect(await world.drive(run)).toBe("done");
  const calls = count();
  const entered = calls.flatMap((call, index) => (/^checkout .* -b /.test(call) ? [index] : []));
  expect(entered).toHaveLength(6);
  // The first stories make the tree and read the configuration.
  for (const story of [3, 4]) {
    const ofStory = calls.slice(entered[story], entered[story + 1]);
    expect(ofStory.length).toBeLessThanOrEqual(12);
  }
  vi.unstubAllEnvs();
  expect(runGit(world.repo, "log", "--format=%s", "main").split("\n")).toHaveLength(7);
});

test("[GP5] several stories at once, whose base moves meanwhile, start no more", async () => {
  const world = await makeWorld({ agent, steps: steps(4) });
  const run = await begin(world, 12);
  const count = countGit();
  expect(await world.drive(run)).toBe("done");
  const calls = count();
  expect(calls.filter((call) => call.startsWith("merge-tree")).length).toBeGreaterThan(0);
  // Making and removing trees, and reading the configuration of each, is not the work of one story.
  const isOfTree = /^(?:worktree|reset|config|rev-parse|rev-list|for-each-ref) /;
  const ofStories = calls.filter((call) => !isOfTree.test(call));
  const atEnd = 5;
  expect((ofStories.length - atEnd) / 12).toBeLessThanOrEqual(12);
  vi.unstubAllEnvs();
  expect(runGit(world.repo, "log", "--format=%s", "main").split("\n")).toHaveLength(13);
  expect(runGit(world.repo, "status", "--porcelain")).toBe("");
  expect(runGit(world.repo, "for-each-ref", "--format=%(refname)")).toBe("refs/heads/main");
});
