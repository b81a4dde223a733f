// Parts that change files: real processes, real git, a real store.

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runGit } from "../../../test/support/repository.ts";
import { until } from "../../../test/support/until.ts";
import { makeWorld, type World } from "../../../test/support/world.ts";
import { type RunId, stepId } from "../../domain/ids.ts";
import { recover } from "../loop/recover.ts";
import { transition } from "../transition/transition.ts";

const team = (more = "", parts = "[api, web]") => `
  - id: build
    agent: worker
    parts: ${parts}
    input: "Write {{part}} in {{repo}}. {{feedback}}"
    ${more}
  - { id: ship, agent: worker, input: "ship" }
`;

/** What the step after the parts sees, and what is left of it at the end. */
const atShip = `
if [ "$PAWL_STEP" = ship ]; then
  ls > "$PAWL_SHARED/seen"
  git status --porcelain > "$PAWL_SHARED/left"
  git log --format=%s > "$PAWL_SHARED/log"
  if [ -e shared.txt ]; then cat shared.txt >> "$PAWL_SHARED/seen"; fi
fi
echo STATUS: done
`;

async function counts(world: World, run: RunId): Promise<Record<string, number>> {
  const groups = Map.groupBy(await world.attempts(run), ({ name, part }) => part ?? name);
  return Object.fromEntries([...groups].map(([name, attempts]) => [name, attempts.length]));
}

/** Nothing of the parts is left: no tree, no entry in the repository, no branch and no ref. */
function expectNoTraces(world: World): void {
  const trees = existsSync(world.home.worktrees) ? readdirSync(world.home.worktrees) : [];
  expect(trees.filter((name) => name.includes(".parts"))).toEqual([]);
  expect(runGit(world.repo, "worktree", "list").split("\n")).toHaveLength(1);
  expect(runGit(world.repo, "for-each-ref", "--format=%(refname)")).not.toMatch(/kept|snapshots/);
}

describe("parts that change files", () => {
  test("[PT18 PF24] work at the same time in trees of their own, and the step after them has all of it in one commit", async () => {
    const agent = `
if [ "$PAWL_STEP" = build ]; then
  cat > "$PAWL_SHARED/prompt-$PAWL_PART"
  pwd > "$PAWL_SHARED/at-$PAWL_PART"
  for part in api web; do while [ ! -e "$PAWL_SHARED/at-$part" ]; do sleep 0.05; done; done
  ls > "$PAWL_SHARED/files-$PAWL_PART"
  mkdir -p $PAWL_PART && echo code > $PAWL_PART/main.txt
  if [ "$PAWL_PART" = api ]; then git add --all; git commit --quiet --message="my own commit"; else rm README.md; fi
fi
${atShip}`;
    const world = await makeWorld({ agent, steps: team() });
    const run = await world.begin();
    expect(await world.drive(run)).toBe("done");
    expect(world.read("at-api")).not.toBe(world.read("at-web"));
    expect(world.read("prompt-api")).toContain(`Write api in ${world.read("at-api").trim()}.`);
    expect(world.read("files-web")).toBe("README.md\n");
    expect(world.read("seen")).toBe("api\nweb\n");
    expect(world.read("left")).toBe("");
    expect(world.read("log").split("\n")[0]).toContain("build: do it");
    expectNoTraces(world);
  });

  test("[PT19 D85] a file that two of them change differently sends the later one back, onto the work of the one before", async () => {
    const agent = `
if [ "$PAWL_STEP" = build ]; then
  cat > "$PAWL_SHARED/prompt-$PAWL_PART-$PAWL_ATTEMPT"
  if [ "$PAWL_PART" = web ] && [ "$PAWL_ATTEMPT" = 2 ]; then
    ls > "$PAWL_SHARED/second"; cat shared.txt >> "$PAWL_SHARED/second"
  fi
  echo "$PAWL_PART" > $PAWL_PART.txt
  echo "by $PAWL_PART" >> shared.txt
fi
${atShip}`;
    const world = await makeWorld({ agent, steps: team() });
    const run = await world.begin();
    expect(await world.drive(run)).toBe("done");
    expect(world.read("second")).toBe("README.md\napi.txt\nshared.txt\nby api\n");
    const prompt = world.read("prompt-web-2");
    expect(prompt).toContain("web changed files that api changed, too: shared.txt");
    expect(world.read("seen")).toBe("README.md\napi.txt\nshared.txt\nweb.txt\nby api\nby web\n");
    expect(await counts(world, run)).toEqual({ api: 1, web: 2, join: 2, ship: 1 });
    const refused = (await world.events(run)).filter(({ type }) => type === "join_refused");
    expect(refused).toMatchObject([{ part: "web", files: ["shared.txt"] }]);
    const [diff = ""] = readdirSync(join(world.home.salvage, run));
    expect(readFileSync(join(world.home.salvage, run, diff), "utf8")).toContain("+by web");
    expectNoTraces(world);
  });

  test("[PT19] the same change by two is no conflict, and what tools left behind is no work", async () => {
    const agent = `
if [ "$PAWL_STEP" = build ]; then echo same > shared.txt; mkdir coverage; echo "$PAWL_PART" > coverage/lcov.info; fi
${atShip}`;
    const world = await makeWorld({ agent, steps: team() });
    const run = await world.begin();
    expect(await world.drive(run)).toBe("done");
    expect(world.read("seen")).toBe("README.md\nshared.txt\nsame\n");
    expect(await counts(world, run)).toEqual({ api: 1, web: 1, join: 1, ship: 1 });
  });

  test("[PT20] checks are about the joined work, and run once", async () => {
    const agent = `
if [ "$PAWL_STEP" = build ]; then echo "$PAWL_PART" > $PAWL_PART.txt; fi
${atShip}`;
    const check = 'test -e api.txt && test -e web.txt && echo checked >> "$(git rev-parse --git-common-dir)/checks"';
    const world = await makeWorld({ agent, steps: team(`checks: ['${check}']`) });
    const run = await world.begin();
    expect(await world.drive(run)).toBe("done");
    expect(readFileSync(join(world.repo, ".git/checks"), "utf8")).toBe("checked\n");
  });

  test("[PT20 PT5] a red check of the joined work fails the step, and no part has failed", async () => {
    const agent = `
if [ "$PAWL_STEP" = build ]; then echo "$PAWL_PART" > $PAWL_PART.txt; fi
${atShip}`;
    const world = await makeWorld({ agent, steps: team("checks: ['test ! -e web.txt']") });
    const run = await world.begin();
    expect(await world.drive(run)).toBe("failed");
    expect((await world.run(run)).header.end?.reason).toContain("test ! -e web.txt");
    expect(await world.outcomes(run)).toEqual(["completed", "completed", "completed"]);
  });

  test("[PT18] parts that read beside them look at the tree of the step, which nothing changes until the join", async () => {
    const agent = `
if [ "$PAWL_STEP" = build ] && [ "$PAWL_PART" = look ]; then
  while [ ! -e "$PAWL_SHARED/written" ]; do sleep 0.05; done
  ls > "$PAWL_SHARED/looked"
elif [ "$PAWL_STEP" = build ]; then
  echo "$PAWL_PART" > $PAWL_PART.txt; touch "$PAWL_SHARED/written"
fi
${atShip}`;
    const world = await makeWorld({ agent, steps: team("", "[api, { name: look, access: read }]") });
    const run = await world.begin();
    expect(await world.drive(run)).toBe("done");
    expect(world.read("looked")).toBe("README.md\n");
    expect(world.read("seen")).toBe("README.md\napi.txt\n");
  });

  test("[PT4 PT18] what each part had written when its driver died is gone before it begins again", async () => {
    const agent = `
if [ "$PAWL_STEP" = build ]; then
  echo "$PAWL_PART" >> $PAWL_PART.txt
  if [ "$PAWL_ATTEMPT" = 1 ]; then echo yes > "$PAWL_SHARED/wrote-$PAWL_PART"; sleep 600; fi
fi
${atShip}`;
    const world = await makeWorld({ agent, steps: team("", "[api, web, docs]") });
    const run = await world.begin();
    const driver = world.startDriver(run);
    for (const part of ["api", "web", "docs"]) await until(() => world.read(`wrote-${part}`));
    await driver.kill();
    expect(await world.drive(run)).toBe("done");
    for (const part of ["api", "web", "docs"])
      expect(runGit(world.repo, "show", `pawl/1-do-it:${part}.txt`)).toBe(part);
  });

  test("[PT4 PT18 PT19] drivers that are killed at any moment lose nothing, do nothing twice and leave nothing behind", async () => {
    const agent = `
if [ "$PAWL_STEP" = build ]; then
  echo "$PAWL_PART" >> $PAWL_PART.txt
  echo "by $PAWL_PART" >> shared.txt
fi
${atShip}`;
    const world = await makeWorld({ agent, steps: team() });
    const run = await world.begin();
    const events = async () => (await world.events(run)).length;
    // Each driver gets a little further than the one before it, and dies in the middle of something else.
    for (let kills = 1; kills <= 8 && (await world.status(run)) === "running"; kills += 1) {
      const before = await events();
      const driver = world.startDriver(run);
      await until(async () => (await events()) >= before + kills || (await world.status(run)) !== "running");
      await driver.kill();
      await recover(world.parts);
    }
    expect(await world.drive(run)).toBe("done");
    expect(world.read("seen")).toBe("README.md\napi.txt\nshared.txt\nweb.txt\nby api\nby web\n");
    for (const part of ["api", "web"]) expect(runGit(world.repo, "show", `pawl/1-do-it:${part}.txt`)).toBe(part);
    expectNoTraces(world);
  });

  test("[PT18 ST1] parts of a story in a tree of its own: the story is one commit on the base", async () => {
    const steps = `
  - { id: plan, agent: worker, input: plan, produces: [stories] }
  - id: each
    stories: { concurrency: 2, workspace: worktree }
    body:
      - { id: build, agent: worker, parts: [api, web], input: "{{part}}" }
      - { id: merge, integrate: true }
`;
    const agent = `
if [ "$PAWL_STEP" = plan ]; then
  echo 'STORIES_JSON: [{"id":"US-1","title":"one","description":"d","acceptanceCriteria":["c"]},{"id":"US-2","title":"two","description":"d","acceptanceCriteria":["c"]}]'
else
  echo "$PAWL_PART" > $PAWL_STORY-$PAWL_PART.txt
fi
echo STATUS: done
`;
    const world = await makeWorld({ agent, steps });
    const run = await world.begin();
    expect(await world.drive(run)).toBe("done");
    expect(runGit(world.repo, "ls-tree", "--name-only", "main")).toBe(
      "README.md\nUS-1-api.txt\nUS-1-web.txt\nUS-2-api.txt\nUS-2-web.txt",
    );
    expect(runGit(world.repo, "log", "--format=%s", "main").split("\n")).toHaveLength(3);
    expectNoTraces(world);
  });

  test("[PF24] in a folder that is not Pawl's they take turns, and each sees what the one before did", async () => {
    const agent = `
if [ "$PAWL_STEP" = build ]; then
  echo "begin $PAWL_PART" >> "$PAWL_SHARED/turns"
  echo "by $PAWL_PART" >> shared.txt
  sleep 0.1
  echo "end $PAWL_PART" >> "$PAWL_SHARED/turns"
fi
${atShip}`;
    const world = await makeWorld({ agent, steps: team() });
    const run = await world.begin("do it", world.parts, undefined, { inPlace: true });
    expect(await world.drive(run)).toBe("done");
    expect(world.read("turns")).toMatch(/^begin (\w+)\nend \1\nbegin (\w+)\nend \2\n$/);
    expect(readFileSync(join(world.repo, "shared.txt"), "utf8").split("\n").toSorted()).toEqual([
      "",
      "by api",
      "by web",
    ]);
  });

  test("[PT9 PT18] after a retry only the part that failed works again, and what the others did is there", async () => {
    const agent = `
if [ "$PAWL_STEP" = build ]; then
  if [ "$PAWL_PART" = web ] && [ ! -e "$PAWL_SHARED/mended" ]; then exit 1; fi
  echo "$PAWL_PART" >> $PAWL_PART.txt
fi
${atShip}`;
    const world = await makeWorld({ agent, steps: team("on_error: fail") });
    const run = await world.begin();
    expect(await world.drive(run)).toBe("failed");
    writeFileSync(join(world.home.dir, "mended"), "");
    const { parts } = world;
    await transition(parts, run, { type: "retry_run", at: parts.clock.now(), author: "test", story: null, step: null });
    expect(await world.drive(run)).toBe("done");
    expect(world.read("seen")).toBe("README.md\napi.txt\nweb.txt\n");
    expect((await counts(world, run))["api"]).toBe(1);
    expectNoTraces(world);
  });

  test("[PT18 DP1] what a part did whose step a person drops is kept as a diff, with all of its attempts", async () => {
    const agent = `
if [ "$PAWL_STEP" = build ] && [ "$PAWL_PART" = web ]; then sleep 600; fi
if [ "$PAWL_STEP" = build ]; then echo "$PAWL_ATTEMPT" > "try-$PAWL_ATTEMPT.txt"; fi
if [ "$PAWL_STEP" = build ] && [ "$PAWL_ATTEMPT" = 1 ]; then exit 1; fi
${atShip}`;
    const world = await makeWorld({ agent, steps: team() });
    const run = await world.begin();
    const driving = world.drive(run);
    const { parts } = world;
    await until(async () => (await world.run(run)).header.chain[0]?.parts?.[0]?.state.status === "passed");
    const about = { at: parts.clock.now(), author: "test", story: null, reason: "" };
    await transition(parts, run, { type: "drop_step", step: stepId("build"), as: "done", ...about });
    expect(await driving).toBe("done");
    expect(world.read("seen")).toBe("README.md\n");
    const saved = readdirSync(join(world.home.salvage, run)).find((name) => name.includes("api")) ?? "";
    const diff = readFileSync(join(world.home.salvage, run, saved), "utf8");
    expect([diff.includes("try-1.txt"), diff.includes("try-2.txt")]).toEqual([true, true]);
    expectNoTraces(world);
  });
});
