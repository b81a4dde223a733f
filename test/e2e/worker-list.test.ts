// `pawl worker list` on a store in a file: agents that pull, steps that wait for a time, and accounts that refuse are said, too.

import { expect, test } from "vitest";
import { Application } from "../../src/application/application.ts";
import type { WorkOverview } from "../../src/contracts/http-documents.ts";
import { expectCode, newSite, writeAt } from "../support/pawl.ts";
import { loopWorkflow } from "../support/workflows.ts";

test("[CM160] `worker list` says what waits and what to start, which agents pull, and which accounts refuse", async () => {
  const site = newSite();
  const none = await site.pawl("worker", "list");
  expect(none).toMatchObject({ code: 0, stdout: "ready: 0 steps wait, 0 attempts are performed\n" });
  expect(none.stderr).toBe("No process drives a run or performs an attempt now.\n");

  expectCode(await site.pawl("run", writeAt(site, "loop.yml", loopWorkflow), "the task", "--detach"), 0);
  const waiting = await site.pawl("worker", "list");
  expect(waiting.stdout).toMatch(/^ready: 1 step waits \(the first for .*\), 0 attempts are performed$/m);
  expect(waiting.stderr).toContain(
    "steps wait, and no process takes them; `pawl worker --slots 2` starts one that does",
  );

  expectCode(await site.pawl("step", "claim", "mini_planner"), 0);
  const app = new Application({ cwd: site.repo, env: { ...process.env, PAWL_HOME: site.home } });
  const { store, clock } = (await app.read()).parts;
  const at = clock.now();
  const held = { since: at, until: at + 3_600_000, cause: "quota", why: "5-hour limit" } as const;
  await store.transaction((tx) => tx.hold({ ...held, account: "claude" }));
  await app.close();
  const { workers, queues, accounts } = await site.json<WorkOverview>(["worker", "list"]);
  expect(queues).toMatchObject([{ queue: null, waiting: 0, active: 1, attended: true }]);
  expect(workers).toMatchObject([
    { worker: expect.stringMatching(/^agent /), life: "unknown", pid: null, heardAt: null, performs: [{ number: 1 }] },
  ]);
  expect(accounts).toMatchObject([{ account: "claude", cause: "quota", times: 1 }]);
  const { stdout } = await site.pawl("worker", "list");
  expect(stdout).toMatch(/^account claude: its quota is used up \(refused 1 time\); tried again at .*: 5-hour limit$/m);
});
