// Schedules with real processes on one store, some of which are killed.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { programWords } from "../../../test/support/program-words.ts";
import { makeRepository, tempDir } from "../../../test/support/repository.ts";
import { Application } from "../application.ts";
import { runs } from "../looking/runs.ts";
import { install } from "../workflows/workflows.ts";
import { addSchedule } from "./schedules.ts";

/** A schedule of which one tick is due: the last of some that nothing saw. */
async function makeSite() {
  const dir = tempDir("pawl-schedules-");
  const [home, repo] = [join(dir, "home"), makeRepository(undefined, { dir: join(dir, "repo") })];
  mkdirSync(home, { mode: 0o700 });
  const app = new Application({ cwd: dir, env: { ...process.env, PAWL_HOME: home } });
  onTestFinished(async () => await app.close());
  const file = join(dir, "hourly.yml");
  const steps = "agents: { a: {} }\nsteps: [{ id: look, agent: a }]\n";
  writeFileSync(file, `pawl: 1\nid: hourly\n${steps}schedule: { cron: "0 0 * * *", task: Audit }\n`);
  install(app, file);
  const days = 3 * 24 * 3_600_000;
  await addSchedule(app, { workflow: "hourly", repo, executor: "command: cat" }, Date.now() - days);
  const ticks = async () => await (await app.read()).parts.store.ticks("hourly", 100);
  const startWorker = async (death: readonly string[] = []) => {
    const [node, ...program] = programWords("schedule-worker.ts");
    const child = spawn(node, [...program, home, repo, ...death], { stdio: ["pipe", "pipe", "inherit"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    await once(child.stdout, "data");
    return {
      async go(): Promise<string> {
        const ended = once(child, "exit");
        child.stdin.write("go\n");
        const [code, signal] = (await ended) as [number | null, string | null];
        return signal ?? String(code);
      },
    };
  };
  return { app, startWorker, ticks };
}

test("[SD11] processes that see a tick at the same moment start one run", async () => {
  const { app, startWorker, ticks } = await makeSite();
  const workers = await Promise.all([startWorker(), startWorker()]);
  expect(await Promise.all(workers.map((worker) => worker.go()))).toEqual(["0", "0"]);
  expect(await ticks()).toMatchObject([{ outcome: "started", run: { number: 1 } }]);
  expect((await runs(app)).runs).toHaveLength(1);
});

test("[SD11] a process that is killed at any moment of a start neither loses the tick nor lets it start twice", async () => {
  const { app, startWorker, ticks } = await makeSite();
  for (const death of ['insert into "schedule_ticks"', 'insert into "schedules"', "commit"]) {
    expect([death, await (await startWorker([death])).go()]).toEqual([death, "SIGKILL"]);
    expect([await ticks(), (await runs(app)).runs]).toEqual([[], []]);
  }
  expect(await (await startWorker(["after commit"])).go()).toBe("SIGKILL");
  const [started, ...others] = await ticks();
  expect([started?.outcome, others]).toEqual(["started", []]);
  expect(await (await startWorker()).go()).toBe("0");
  expect(await ticks()).toEqual([started]);
  expect((await runs(app)).runs.map(({ id }) => id)).toEqual([started?.run?.id]);
});
