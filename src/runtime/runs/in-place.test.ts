// Stories in the user's own checkout: one at a time, nothing integrated, and nothing of a person's work touched. And the files of a
// protocol, which no story can integrate.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { log, runGit } from "../../../test/support/repository.ts";
import { toy } from "../../../test/support/toy-protocol.ts";
import { makeToyWorld } from "../../../test/support/toy-world.ts";
import { findWorkBranch } from "../trees/work-branch.ts";

const workflow = `
pawl: 1
protocol: toy
id: toy-work
agents: { worker: {} }
steps:
  - id: all
    stories: { workspace: worktree, concurrency: 3 }
    body:
      - { id: make, agent: worker, input: go, on_error: { again, at_most: 1, then: fail }, on: { rejected: { again, at_most: 1, then: fail } } }
      - { id: land, integrate: true }
`;

const read = (...path: string[]) => readFileSync(join(...path), "utf8");

test("[WS25 WS26 D4] work stays in the checkout as it was left, beside what a person edits meanwhile, and nothing is rolled back", async () => {
  const agent = `cat >/dev/null
echo "attempt $PAWL_ATTEMPT" >> made.txt
case $PAWL_ATTEMPT in
1) echo "mine too, while it works" >> "$TOY_SHARED_DIR/../mine.txt"; exit 3 ;;
2) echo "STATUS: retry" ;;
*) echo "STATUS: done" ;;
esac`;
  const toys = await makeToyWorld(toy, { agent, workflow, inPlace: true });
  const { world } = toys;
  writeFileSync(join(world.repo, "mine.txt"), "mine\n");
  const head = runGit(world.repo, "rev-parse", "HEAD");
  const run = await toys.begin();
  expect(await toys.drive(run)).toBe("done");
  const { header, stories } = await world.run(run);
  expect(header.place).toMatchObject({ kind: "in_place", repo: world.repo });
  expect(header.definition.steps).toMatchObject([{ concurrency: 1 }]);
  expect(Object.values(stories).map(({ chain }) => chain.map(({ id }) => id))).toEqual([["make"]]);
  expect(read(world.repo, "made.txt")).toBe("attempt 1\nattempt 2\nattempt 3\n");
  expect(read(world.repo, "mine.txt")).toBe("mine\nmine too, while it works\n");
  expect(runGit(world.repo, "rev-parse", "HEAD")).toBe(head);
  expect(runGit(world.repo, "for-each-ref", "--format=%(refname)", "refs/pawl")).toBe("");
  expect(await findWorkBranch(header, 1)).toBeNull();
  expect(runGit(world.repo, "status", "--porcelain").split("\n").toSorted()).toEqual(["?? made.txt", "?? mine.txt"]);
});

test("[WS25] a step that leads to the integration is refused in place, and nothing is recorded", async () => {
  const jumps = workflow
    .replace("on_error: { again, at_most: 1, then: fail },", "on_error: fail,")
    .replace("on: { rejected: { again, at_most: 1, then: fail } }", "on: { passed: { go_to: land }, rejected: fail }");
  const toys = await makeToyWorld(toy, { workflow: jumps, inPlace: true });
  await expect(toys.begin()).rejects.toThrow("a step of this workflow leads to land, which is left out in place");
  expect(await toys.parts.store.listRuns({ statuses: null, limit: 9 })).toEqual([]);
});

test("[WS27 PO4] files of a protocol are not integrated, even if an agent has added and committed them by force", async () => {
  const agent = `cat >/dev/null
echo work > work.txt
git add -f TOY.md work.txt
git -c user.name=A -c user.email=a@example.invalid commit --quiet --message=mine
echo more >> work.txt
echo again >> TOY.md
git add -f TOY.md
echo STATUS: done`;
  const toys = await makeToyWorld(toy, { agent, workflow });
  const { world } = toys;
  expect(await toys.drive(await toys.begin())).toBe("done");
  expect(runGit(world.repo, "show", "main:work.txt")).toBe("work\nmore");
  expect(runGit(world.repo, "ls-tree", "-r", "--name-only", "main")).toBe("README.md\nwork.txt");
  expect(log(world.repo, "main")).toHaveLength(2);
});

test("[WS7 WS26] without stories, uncommitted work of a person still refuses a run in place; files of its protocol do not", async () => {
  const plain = `pawl: 1\nprotocol: toy\nid: plain\nagents: { worker: {} }\nsteps: [{ id: make, agent: worker, input: go }]\n`;
  const toys = await makeToyWorld(toy, { workflow: plain, inPlace: true, agent: "echo STATUS: done" });
  writeFileSync(join(toys.world.repo, "TOY.md"), "left by an earlier run\n");
  expect(await toys.drive(await toys.begin())).toBe("done");
  writeFileSync(join(toys.world.repo, "mine.txt"), "mine\n");
  await expect(toys.begin()).rejects.toMatchObject({ code: "REPOSITORY_DIRTY", message: /has 1 uncommitted file$/ });
});
