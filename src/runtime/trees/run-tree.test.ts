// The run's own tree: what the steps after stories see, and what becomes of files that a step leaves uncommitted.

import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runGit } from "../../../test/support/repository.ts";
import { overriding } from "../../../test/support/store-overrides.ts";
import { makeWorld, type World } from "../../../test/support/world.ts";
import type { RunId } from "../../domain/ids.ts";
import { hostName } from "../../system/home.ts";
import { findWorkBranch } from "./work-branch.ts";

const planned = `STORIES_JSON: [${["US-001", "US-002"]
  .map((id) => `{"id":"${id}","title":"Story ${id}","description":"d","acceptanceCriteria":["c"]}`)
  .join(",")}]`;

const parallel = `
  - { id: plan, agent: worker, input: "plan" }
  - id: all
    stories: { workspace: worktree, concurrency: 2 }
    body: [{ id: work, agent: worker, input: "{{current_story}}" }, { id: land, integrate: true }]
  - { id: check, command: "test -f US-001.txt && test -f US-002.txt && ls > $PAWL_SHARED/checked" }
  - { id: review, agent: worker, input: "review" }
  - { id: docs, agent: worker, input: "docs" }
`;

/** Plans two stories, leaves one file each in a story, and lets the shell text do the steps of the run. */
const agent = (more: string) => `
case $PAWL_STEP in
  plan) printf '%s\\n' '${planned}' ;;
  work) echo "$PAWL_STORY" > "$PAWL_STORY.txt"; git status --porcelain >> "$PAWL_SHARED/work"; ls >> "$PAWL_SHARED/work" ;;
  review) ls > "$PAWL_SHARED/review"; git log --format=%s >> "$PAWL_SHARED/review" ;;
esac
${more}
echo STATUS: done`;

function leftIn(world: World): { refs: string; branches: string; trees: readonly string[] } {
  const { worktrees } = world.home;
  return {
    refs: runGit(world.repo, "for-each-ref", "--format=%(refname)", "refs/pawl"),
    branches: runGit(world.repo, "branch", "--format=%(refname:short)"),
    trees: existsSync(worktrees) ? readdirSync(worktrees).filter((name) => !name.endsWith(".turn.lock")) : [],
  };
}

async function branchOf(world: World, run: RunId): Promise<string | null> {
  return await findWorkBranch((await world.run(run)).header, 1);
}

const subjects = (world: World, range: string) => runGit(world.repo, "log", "--format=%s", range).split("\n");

test("[OT1 OT2 OT3] steps after parallel stories see their work, and what the run's own steps leave reaches the base", async () => {
  const world = await makeWorld({
    agent: agent(
      `case $PAWL_STEP in plan) echo plan > plan.md; mkdir coverage; echo x > coverage/lcov.info ;; docs) echo docs > docs.md ;; esac`,
    ),
    steps: parallel,
  });
  const run = await world.begin("Build it");
  expect(await world.drive(run)).toBe("done");
  expect(world.read("work")).toContain("plan.md");
  expect(world.read("checked").split("\n")).toEqual(expect.arrayContaining(["US-001.txt", "US-002.txt", "plan.md"]));
  expect(world.read("review")).toContain("US-002.txt");
  expect(subjects(world, "main")[0]).toBe("docs: Build it");
  expect(subjects(world, "main").toReversed().slice(0, 2)).toEqual(["first", "plan: Build it"]);
  expect(runGit(world.repo, "ls-files").split("\n")).toEqual([
    "README.md",
    "US-001.txt",
    "US-002.txt",
    "docs.md",
    "plan.md",
  ]);
  expect(await branchOf(world, run)).toBe("main");
  expect(leftIn(world)).toEqual({ refs: "", branches: "main", trees: [] });
});

test("[OT1 OT3] a run that fails after its stories publishes no commit of its own steps, and names the branch that has them", async () => {
  const world = await makeWorld({
    agent: agent(
      `case $PAWL_STEP in docs) echo docs > docs.md; git add .; git commit -qm docs ;; last) exit 1 ;; esac`,
    ),
    steps: `${parallel}  - { id: last, agent: worker, on_error: fail, input: "last" }\n`,
  });
  const run = await world.begin("Build it");
  expect(await world.drive(run)).toBe("failed");
  expect(subjects(world, "main")).not.toContain("docs");
  expect(subjects(world, "main")).toHaveLength(3);
  expect(await branchOf(world, run)).toBe("pawl/1-build-it");
  expect(subjects(world, "main..pawl/1-build-it")).toEqual(["docs"]);
});

test("[RC8] what a process left that was killed while it removed the tree of a run goes when the run is closed", async () => {
  const world = await makeWorld({ agent: agent(""), steps: parallel });
  const run = await world.begin("Build it");
  const blind = { ...world.parts, store: overriding(world.parts.store, { dueEffects: async () => [] }) };
  expect(await world.drive(run, { parts: blind })).toBe("done");
  const { worktrees } = world.home;
  const tree = join(worktrees, run);
  rmSync(runGit(tree, "rev-parse", "--absolute-git-dir"), { recursive: true });
  renameSync(tree, `${tree}.gone`);
  const dead = { host: hostName(), pid: 1, startedAt: "of another process" };
  writeFileSync(`${tree}-2.entering.turn`, JSON.stringify({ by: JSON.stringify(dead) }));
  writeFileSync(`${tree}.parts.turn.lock`, JSON.stringify(dead));
  expect(await world.drive(run)).toBe("done");
  expect(readdirSync(worktrees)).toEqual([]);
});

const chain = `
  - { id: work, agent: worker, input: "work" }
  - { id: test, agent: worker, input: "test" }
`;

const leaves = `
git status --porcelain >> "$PAWL_SHARED/$PAWL_STEP"
if [ $PAWL_STEP = work ]; then echo work > work.txt; fi
if [ $PAWL_STEP = test ]; then mkdir -p coverage src; echo x > coverage/lcov.info; echo t > src/test.txt; fi
echo STATUS: done`;

test.each([
  ["moved", "git mv README.md READ.me", ["READ.me"]],
  ["removed", "git rm -q README.md; echo a > a.txt", ["a.txt"]],
  ["forgotten", "git rm -q --cached README.md", ["README.md"]],
  ["added and removed", "echo a > a.txt; git add a.txt; rm a.txt; echo b > b.txt", ["README.md", "b.txt"]],
])("[OT2] what a step staged and left is committed, too: %s", async (_, slip, files) => {
  const steps = `
  - { id: work, agent: worker, input: "x" }
  - { id: look, command: "git status --porcelain > $PAWL_SHARED/look; git ls-files >> $PAWL_SHARED/look" }
`;
  const world = await makeWorld({ agent: `${slip}\necho STATUS: done`, steps });
  const run = await world.begin("Move it");
  expect(await world.drive(run)).toBe("done");
  expect(world.read("look").trim().split("\n")).toEqual(files);
});

test("[OT2 OT3] what a step left uncommitted is a commit under its name, by-products are not, and nothing stays behind", async () => {
  const world = await makeWorld({ agent: leaves, steps: chain });
  const run = await world.begin("Build it");
  expect(await world.drive(run)).toBe("done");
  expect(world.read("test")).toBe("");
  expect(subjects(world, "main..pawl/1-build-it")).toEqual(["test: Build it", "work: Build it"]);
  expect(runGit(world.repo, "ls-tree", "-r", "--name-only", "pawl/1-build-it").split("\n")).not.toContain(
    "coverage/lcov.info",
  );
  expect(await branchOf(world, run)).toBe("pawl/1-build-it");
  expect(leftIn(world)).toEqual({ refs: "", branches: "main\npawl/1-build-it", trees: [] });
});

test("[OT2] `uncommitted: keep` leaves it for a later step, and commits what is left at the end", async () => {
  const world = await makeWorld({ agent: leaves, steps: `${chain}workspace: { uncommitted: keep }\n` });
  const run = await world.begin("Build it");
  expect(await world.drive(run)).toBe("done");
  expect(world.read("test")).toBe("?? work.txt\n");
  expect(subjects(world, "main..pawl/1-build-it")).toEqual(["test: Build it"]);
  expect(leftIn(world).trees).toEqual([]);
});

test.each([
  ["on a detached HEAD", "git checkout --quiet --detach"],
  ["on a branch of its own", "git checkout --quiet -b mine"],
  ["after it deleted the branch of the run", "git checkout --quiet -b mine && git branch --quiet -D pawl/1-build-it"],
])("[OT5] the branch of a run gets what an agent committed %s", async (_where, leaving) => {
  const world = await makeWorld({ agent: `[ $PAWL_STEP != test ] || { ${leaving}; }\n${leaves}`, steps: chain });
  const run = await world.begin("Build it");
  expect(await world.drive(run)).toBe("done");
  expect(subjects(world, "main..pawl/1-build-it")).toEqual(["test: Build it", "work: Build it"]);
  expect(await branchOf(world, run)).toBe("pawl/1-build-it");
  expect(leftIn(world).branches).not.toContain("pawl/1-build-it-2");
});

test("[OT5] commits that do not continue the branch of a run stay where they are, and that is said", async () => {
  const warnings: string[] = [];
  const leaving = "git checkout --quiet -b mine main && echo x > x.txt && git add . && git commit --quiet -m mine";
  const agent = `[ $PAWL_STEP != test ] || { ${leaving}; }\n${leaves}`;
  const world = await makeWorld({ agent, steps: chain });
  const run = await world.begin("Build it");
  const parts = { ...world.parts, warn: (text: string) => void warnings.push(text) };
  expect(await world.drive(run, { parts })).toBe("done");
  expect(subjects(world, "main..pawl/1-build-it")).toEqual(["work: Build it"]);
  expect(warnings.join("\n")).toContain("an agent committed on mine, which does not continue pawl/1-build-it");
});

test("[OT3] a run that commits nothing names no branch", async () => {
  const world = await makeWorld({ agent: "echo STATUS: done", steps: chain });
  const run = await world.begin("Build it");
  expect(await branchOf(world, run)).toBe(null);
  expect(await world.drive(run)).toBe("done");
  expect(await branchOf(world, run)).toBe(null);
});

test("[OT2] what a rejected attempt left is continued by the next one, not committed", async () => {
  const world = await makeWorld({
    agent: `git status --porcelain >> "$PAWL_SHARED/seen"; echo x >> work.txt
if [ $PAWL_ATTEMPT = 1 ]; then echo STATUS: retry; else echo STATUS: done; fi`,
    steps: `\n  - { id: work, agent: worker, input: "work", on: { rejected: { again, at_most: 2 } } }\n`,
  });
  const run = await world.begin("Build it");
  expect(await world.drive(run)).toBe("done");
  expect(world.read("seen")).toBe("?? work.txt\n");
  expect(subjects(world, "main..pawl/1-build-it")).toEqual(["work: Build it"]);
});
