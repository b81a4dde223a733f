// What an ended run left to do is done by the next command that opens its home, and said while it cannot be done.

import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startReceiver } from "../../test/support/receiver.ts";
import { runGit } from "../../test/support/repository.ts";
import { overriding } from "../../test/support/store-overrides.ts";
import { makeWorld, type World } from "../../test/support/world.ts";
import type { RunId } from "../domain/ids.ts";
import { noAttempts, performEffects } from "../runtime/effects/effects.ts";
import { ownWorker } from "../runtime/worker.ts";
import { deadlineIn, systemClock } from "../system/clock.ts";
import { Application } from "./application.ts";
import { resume } from "./driving/drive.ts";
import { runs } from "./looking/runs.ts";
import { status } from "./looking/status.ts";
import { examine } from "./setup/doctor.ts";

const deadWorker = JSON.stringify({ ...(JSON.parse(ownWorker()) as object), pid: 2 ** 22 + 7, startedAt: "1" });
const inAMinute = { ...systemClock, now: () => systemClock.now() + 120_000 };

function openAt(world: World): Application {
  const app = new Application({ cwd: world.dir, env: { ...process.env, PAWL_HOME: world.home.dir } });
  onTestFinished(async () => await app.close());
  return app;
}

/** A command that only looks. */
async function look(world: World): Promise<void> {
  const app = openAt(world);
  await runs(app);
  await app.close();
}

/** A run that is done, and whose driver died before it closed it. */
async function killedAtTheEnd(world: World): Promise<RunId> {
  const run = await world.begin();
  const blind = { ...world.parts, store: overriding(world.parts.store, { dueEffects: async () => [] }) };
  expect(await world.drive(run, { parts: blind })).toBe("done");
  expect(existsSync(join(world.home.worktrees, run))).toBe(true);
  return run;
}

test("[RC40] a run whose driver died between its end and its closing is closed by the next command, even one that looks", async () => {
  const receiver = await startReceiver();
  const notify = `notify: [{ kind: webhook, name: hook, url: "${receiver.url}", allow_private: true, on: [run_done] }]\n`;
  const world = await makeWorld({ config: notify });
  mkdirSync(dirname(world.home.configFile), { recursive: true });
  writeFileSync(world.home.configFile, notify);
  const run = await killedAtTheEnd(world);
  const driver = { run, worker: ownWorker(), until: deadlineIn(systemClock, 60_000) };
  await world.parts.store.transaction((tx) => tx.setDriver(driver));
  await look(world);
  expect([existsSync(join(world.home.worktrees, run)), receiver.texts]).toEqual([true, []]);
  // At once: its age does not matter.
  await world.parts.store.transaction((tx) => tx.setDriver({ ...driver, worker: deadWorker }));
  await look(world);
  expect(existsSync(join(world.home.worktrees, run))).toBe(false);
  expect(runGit(world.repo, "worktree", "list").split("\n")).toHaveLength(1);
  expect(receiver.texts).toEqual(["The run is done."]);
  expect(await world.parts.store.hasDueEffects(Number.MAX_SAFE_INTEGER)).toBe(false);
});

test("[RC40] what a dead process had begun is taken over at once, and what a living one does is left to it", async () => {
  const world = await makeWorld();
  const run = await killedAtTheEnd(world);
  const tree = join(world.home.worktrees, run);
  const { store } = world.parts;
  const closing = (await store.dueEffects(Date.now(), 10)).find(({ effect }) => effect.type === "close_run");
  if (!closing) throw new Error("the run is closed already");
  expect(await store.takeEffect(closing, Date.now() + 600_000, ownWorker())).toBe(true);
  await look(world);
  expect(existsSync(tree)).toBe(true);
  expect(await store.takeEffect({ ...closing, tries: 1 }, Date.now() + 600_000, deadWorker)).toBe(true);
  await look(world);
  expect(existsSync(tree)).toBe(false);
});

test("[RC41] a closing that fails is said at the end, in status and by the doctor, and done once nothing is in the way", async () => {
  const agent = "git init -q inner; git -C inner -c user.name=a -c user.email=a@b commit -q --allow-empty -m x";
  const world = await makeWorld({ agent: `${agent}; echo STATUS: done` });
  const run = await world.begin();
  const app = openAt(world);
  const { signal } = new AbortController();
  const driven = await resume(app, run, { signal });
  const tree = join(world.home.worktrees, run);
  expect(driven.end).toBe("done");
  expect(driven.document.unfinished).toEqual([expect.stringContaining(`${tree} has 1 uncommitted file`)]);
  expect((await status(app, run)).document.unfinished).toEqual(driven.document.unfinished);
  const findings = (await examine(app)).findings.filter(({ name }) => name === "run #1");
  expect(findings).toEqual([expect.objectContaining({ ok: false, detail: expect.stringContaining("1 uncommitted") })]);

  rmSync(join(tree, "inner"), { recursive: true });
  const later = await world.open(inAMinute);
  await performEffects(later, noAttempts);
  expect(existsSync(tree)).toBe(false);
  expect((await status(app, run)).document.unfinished).toEqual([]);
  expect((await examine(app)).findings.filter(({ name }) => name === "run #1")).toEqual([]);
});
