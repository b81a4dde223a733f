// What `pawl clean` removes after runs that are over, and what it leaves alone.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runGit } from "../../test/support/repository.ts";
import { makeWorld } from "../../test/support/world.ts";
import { Application } from "./application.ts";
import { clean } from "./clean.ts";

test("[CM95 CM96] what runs that are over left goes, after a preview; open runs, young runs and branches with work stay", async () => {
  const world = await makeWorld({
    agent: `case $(cat) in *fails*) exit 1 ;; *works*) echo x > x.txt ;; esac; echo STATUS: done`,
    steps: `\n  - { id: work, agent: worker, input: "{{task}}", on_error: fail }\n`,
  });
  const [failed, worked, idle] = [
    await world.begin("It fails"),
    await world.begin("It works"),
    await world.begin("Idle"),
  ];
  for (const run of [failed, worked, idle]) await world.drive(run);
  const open = await world.begin("Open");
  const app = new Application({ cwd: world.repo, env: { ...process.env, PAWL_HOME: world.home.dir } });
  onTestFinished(async () => await app.close());
  const tree = join(world.home.worktrees, failed);
  const logs = (run: string) => existsSync(join(world.home.logs, run));
  const numbers = async () =>
    (await world.parts.store.listRuns({ statuses: null, limit: 9 })).map(({ number }) => number);

  expect((await clean(app, { olderMs: 86_400_000, dryRun: false })).runs).toEqual([]);
  const preview = await clean(app, { olderMs: 0, dryRun: true });
  expect([existsSync(tree), logs(worked), await numbers()]).toEqual([true, true, [4, 3, 2, 1]]);
  const cleaned = await clean(app, { olderMs: 0, dryRun: false });
  expect(cleaned.runs).toEqual(preview.runs);
  expect(cleaned.runs.map(({ number, removed, kept }) => [number, removed.at(-1), kept])).toEqual([
    [1, "the run", []],
    [2, "the run", ["branch pawl/2-it-works: it has commits that main does not have"]],
    [3, "the run", []],
  ]);
  expect([existsSync(tree), logs(failed), logs(worked), await numbers()]).toEqual([false, false, false, [4]]);
  expect(runGit(world.repo, "branch", "--format=%(refname:short)")).toBe("main\npawl/2-it-works");
  expect(runGit(world.repo, "for-each-ref", "refs/pawl")).toBe("");
  expect(runGit(world.repo, "worktree", "list").split("\n")).toHaveLength(1);
  expect(await world.drive(open)).toBe("done");
  expect((await clean(app, { olderMs: 3_600_000, dryRun: false })).runs).toEqual([]);
});

test("[CM96] a run with uncommitted work, a broken tree or parked work stays as a whole, and goes once nothing would be lost", async () => {
  const world = await makeWorld({
    agent: `case $(cat) in *dirty*) echo work > work.txt ;; *by*) mkdir coverage; echo x > coverage/lcov.info ;; esac; exit 1`,
    steps: `\n  - { id: work, agent: worker, input: "{{task}}", on_error: fail }\n`,
  });
  const [dirty, broken, parked, by] = [
    await world.begin("A dirty one"),
    await world.begin("A broken one"),
    await world.begin("A parked one"),
    await world.begin("Only by-products"),
  ];
  for (const run of [dirty, broken, parked, by]) expect(await world.drive(run)).toBe("failed");
  const tree = (run: string) => join(world.home.worktrees, run);
  rmSync(join(tree(broken), ".git"));
  const stash = runGit(world.repo, "commit-tree", "HEAD^{tree}", "-m", "uncommitted");
  const head = runGit(world.repo, "rev-parse", "HEAD");
  mkdirSync(`${tree(parked)}.parked`);
  writeFileSync(`${tree(parked)}.parked/US-001.json`, JSON.stringify({ branch: "b", parked: `${head}+${stash}` }));
  runGit(world.repo, "update-ref", `refs/pawl/parked/${parked}/US-001/${stash}`, stash);

  const app = new Application({ cwd: world.repo, env: { ...process.env, PAWL_HOME: world.home.dir } });
  onTestFinished(async () => await app.close());
  const now = { olderMs: 0, dryRun: false };
  const preview = await clean(app, { ...now, dryRun: true });
  const cleaned = await clean(app, now);
  expect(cleaned.runs).toEqual(preview.runs);
  expect(cleaned.runs.map(({ number, removed, kept }) => [number, removed.at(-1), kept])).toEqual([
    [1, undefined, [expect.stringContaining(`tree ${tree(dirty)}: has 1 uncommitted file; commit`)]],
    [2, undefined, [expect.stringContaining(`tree ${tree(broken)}: git cannot tell`)]],
    [3, undefined, [expect.stringContaining(`story US-001: it has uncommitted work, in ${stash}`)]],
    [4, "the run", []],
  ]);
  expect(readFileSync(join(tree(dirty), "work.txt"), "utf8")).toBe("work\n");
  expect(runGit(tree(dirty), "status", "--porcelain")).toBe("?? work.txt");
  expect(existsSync(join(world.home.logs, dirty))).toBe(true);
  expect(runGit(world.repo, "for-each-ref", "--format=%(objectname)", "refs/pawl/parked")).toBe(stash);
  expect(existsSync(tree(by))).toBe(false);

  rmSync(join(tree(dirty), "work.txt"));
  rmSync(tree(broken), { recursive: true });
  rmSync(`${tree(parked)}.parked`, { recursive: true });
  expect((await clean(app, now)).runs.map(({ removed }) => removed.at(-1))).toEqual(["the run", "the run", "the run"]);
  expect(runGit(world.repo, "for-each-ref", "refs/pawl")).toBe("");
});

test("[CM96 PF24] trees of parts of a run that failed stay while they have work, and go without a trace once they have none", async () => {
  const world = await makeWorld({
    agent: `if [ "$PAWL_PART" = web ]; then echo work > work.txt; fi; exit 1`,
    steps: `\n  - { id: work, agent: worker, parts: [api, web], input: "{{task}}", on_error: fail }\n`,
  });
  const run = await world.begin();
  expect(await world.drive(run)).toBe("failed");
  const folder = join(world.home.worktrees, `${run}.parts`);
  const app = new Application({ cwd: world.repo, env: { ...process.env, PAWL_HOME: world.home.dir } });
  onTestFinished(async () => await app.close());
  const now = { olderMs: 0, dryRun: false };
  const [kept] = (await clean(app, now)).runs;
  expect(kept).toMatchObject({ removed: [], kept: [expect.stringContaining("+web/web: has 1 uncommitted file")] });
  rmSync(join(folder, "+web/web/work.txt"));
  expect((await clean(app, now)).runs.map(({ removed }) => removed.at(-1))).toEqual(["the run"]);
  expect(existsSync(folder)).toBe(false);
  expect(runGit(world.repo, "worktree", "list").split("\n")).toHaveLength(1);
  expect(runGit(world.repo, "for-each-ref", "--format=%(refname)")).toBe("refs/heads/main");
});
