// Schedules in the service as it is.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeRepository, tempDir } from "../../test/support/repository.ts";
import { until } from "../../test/support/until.ts";
import { Application } from "../application/application.ts";
import { addSchedule, schedules } from "../application/schedules/schedules.ts";
import { install } from "../application/workflows/workflows.ts";
import { Service } from "./service.ts";

test("[SD10 SD13] a tick that was missed while no service ran becomes a run, and the service drives it to its end", async () => {
  const dir = tempDir("pawl-schedules-");
  const repo = makeRepository(undefined, { dir: join(dir, "repo") });
  mkdirSync(join(dir, "home"), { mode: 0o700 });
  const app = new Application({ cwd: dir, env: { ...process.env, PAWL_HOME: join(dir, "home") } });
  onTestFinished(async () => await app.close());
  const file = join(dir, "daily.yml");
  const steps = "agents: { a: {} }\nsteps: [{ id: look, agent: a, input: '{{task}}' }]\n";
  writeFileSync(file, `pawl: 1\nid: daily\n${steps}schedule: { cron: "0 0 * * *", task: Audit }\n`);
  install(app, file);
  const executor = "command: sh -c 'cat >/dev/null; echo STATUS: done'";
  await addSchedule(app, { workflow: "daily", repo, executor }, Date.now() - 3 * 24 * 3_600_000);
  const service = await Service.start({ app, host: "127.0.0.1", port: 0, log: () => undefined });
  onTestFinished(async () => {
    service.stop();
    await service.ended;
  });
  const found = await until(async () => {
    const [schedule] = (await schedules(app)).schedules;
    return schedule?.run?.status === "done" ? schedule : null;
  });
  expect(found).toMatchObject({ state: "waiting", run: { number: 1 }, last: { outcome: "started", missed: 2 } });
});
