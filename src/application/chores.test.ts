// What an ended run left to do is done by the next command that opens its home, and said while it cannot be done.

import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { startReceiver } from "../../test/support/receiver.ts";
import { runGit } from "../../test/support/repository.ts";
import { overriding } from "../../test/support/store-overrides.ts";
import { until } from "../../test/support/until.ts";
import { makeWorld, type World } from "../../test/support/world.ts";
import type { RunId } from "../domain/ids.ts";
import { noAttempts, performEffects } from "../runtime/effects/effects.ts";
import { ownWorker } from "../runtime/worker.ts";
import { deadlineIn, systemClock } from "../system/clock.ts";
import { hostName } from "../system/home.ts";
import { ownIdentity } from "../system/process/identity.ts";
import { Application } from "./application.ts";
import { resume } from "./driving/drive.ts";
import { runs } from "./looking/runs.ts";
import { status } from "./looking/status.ts";
import { examine } from "./setup/doctor.ts";

const deadWorker = JSON.stringify({ ...(JSON.parse(ownWorker()) as object), pid: 2 ** 22 + 7, startedAt: "1" });
const inAMinute = { ...systemClock, now: () => systemClock.now() + 120_000 };

function openAt(world: World, warn?: (text: string) => void): Application {
  const app = new Application({ cwd: world.dir, env: { ...process.env, PAWL_HOME: world.home.dir }, warn });
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
  // A command that looks waits only for a moment, and leaves to the next one what did not arrive on a busy machine.
  const nothingDue = async () => !(await world.parts.store.hasDueEffects(Number.MAX_SAFE_INTEGER));
  await until(async () => (await nothingDue()) || (await look(world), false));
  expect(receiver.texts).toEqual(["The run is done."]);
});

test("[SO22 RC41] a damaged effect of a run is said by that run and keeps no other from its end", async () => {
  const world = await makeWorld();
  const damaged = await killedAtTheEnd(world);
  const database = new DatabaseSync(world.home.storeFile);
  database.prepare("update outbox set effect = '{broken' where run_id = ?").run(damaged);
  database.close();
  const other = await world.begin();
  expect(await world.drive(other)).toBe("done");
  expect(existsSync(join(world.home.worktrees, other))).toBe(false);
  const app = openAt(world);
  expect((await status(app, damaged)).document.unfinished).toEqual([
    expect.stringMatching(/damaged row of the store: effect \d+ cannot be read; restore a backup/),
  ]);
  expect((await status(app, other)).document.unfinished).toEqual([]);
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

test("[WS19] a checkout that a dead process was moving is free for its user after the next command, even one that looks", async () => {
  const world = await makeWorld();
  const [intentFile, lock] = [join(world.home.forwarding, "main.json"), join(world.repo, ".git/index.lock")];
  const head = runGit(world.repo, "rev-parse", "HEAD");
  const intent = {
    version: 1,
    id: "pawl 1",
    repo: world.repo,
    path: world.repo,
    gitDir: join(world.repo, ".git"),
    host: hostName(),
  };
  const move = { ...intent, branch: "main", from: head, to: head, ignoring: [], intentFile };
  mkdirSync(world.home.forwarding);
  writeFileSync(lock, intent.id);
  writeFileSync(intentFile, JSON.stringify({ ...move, by: ownIdentity() }));
  await look(world);
  const by = { pid: 2 ** 22 + 7, startedAt: "1" };
  writeFileSync(intentFile, JSON.stringify({ ...move, by, host: "elsewhere" }));
  await look(world);
  expect([existsSync(lock), existsSync(intentFile)]).toEqual([true, true]);
  writeFileSync(intentFile, JSON.stringify({ ...move, by }));
  await look(world);
  expect([existsSync(lock), existsSync(intentFile)]).toEqual([false, false]);
});

test("[RC41] a closing that fails is said at the end, in status and by the doctor, and done once nothing is in the way", async () => {
  const agent = "git worktree add -q --detach inner";
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

test("[RC19] a command that finds what a dead driver left says so: the next driver finds nothing to say any more", async () => {
  const world = await makeWorld({ agent: 'cat > /dev/null; touch "$PAWL_SHARED/began"; sleep 600' });
  const driver = world.startDriver(await world.begin());
  await world.appears("began");
  await driver.kill();
  const said: string[] = [];
  await openAt(world, (text) => said.push(text)).change(null, async () => undefined);
  expect(said).toEqual([
    expect.stringMatching(
      /^run #1: work \(attempt 1\) was running when the process that drove it died: .* runs again$/,
    ),
  ]);
});
