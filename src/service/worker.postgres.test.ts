// A worker within this process, on a store on PostgreSQL: how often it looks for work.

import { writeFileSync } from "node:fs";
import { expect, onTestFinished, test, vi } from "vitest";
import { newSite } from "../../test/support/pawl.ts";
import { onPostgres, postgresAddress } from "../../test/support/postgres.ts";
import { begun, configure, newRalph } from "../../test/support/ralph.ts";
import { until } from "../../test/support/until.ts";
import { Application } from "../application/application.ts";
import { start } from "../application/starting/start.ts";
import { runProject } from "../application/starting/stories-given.ts";
import { Worker } from "./worker.ts";

onPostgres();

const steps = 4;

test("[WK22] a worker with free slots looks when something was committed, and not all the time, while a run is at its limit", async () => {
  const ralph = newRalph([{ id: "US-001" }, { id: "US-002" }], { agent: "*/planning) await_file go ;;" });
  configure(ralph, "concurrency: { agents: 1 }\n");
  const env = { ...process.env, PAWL_HOME: ralph.home, PAWL_STORE: postgresAddress() };
  const app = new Application({ cwd: ralph.repo, env });
  const { parts } = await app.read();
  const looks = vi.spyOn(parts.dispatch, "offers");
  const worker = await Worker.start({ app, slots: 3, log: () => undefined, times: { restMs: 600_000 } });
  onTestFinished(async () => {
    worker.stop();
    await worker.ended;
    await app.close();
  });
  const executor = `command: sh ${ralph.path("agent.sh")}`;
  const workflow = ralph.path("workflow.yml");
  await runProject(app, ralph.prd, { protocol: "ralph", repo: ralph.repo, workflow, executor });
  await until(() => begun(ralph.journal()).length === 1);

  // Its other slots have work that takes a while.
  const chain = Array.from({ length: steps }, (_, index) => `  - { id: s${index}, agent: worker, input: "x" }\n`);
  const file = ralph.path("naps.yml");
  const agent = ralph.path("nap.sh");
  writeFileSync(agent, "sleep 1\necho 'STATUS: done'\n");
  writeFileSync(file, `pawl: 1\nid: naps\nagents: { worker: {} }\nsteps:\n${chain.join("")}`);
  const naps = { workflow: file, task: "wait", repo: newSite().repo, context: {} };
  const before = looks.mock.calls.length;
  const { run } = await start(app, { ...naps, executor: `command: sh ${agent}` });
  await until(async () => (await parts.store.runById(run))?.status !== "running");
  expect((await parts.store.runById(run))?.status).toBe("done");
  expect(begun(ralph.journal())).toHaveLength(1);
  // A commit has one event at least.
  expect(looks.mock.calls.length - before).toBeLessThan(2 * (await parts.store.lastSeq(run)));
});
