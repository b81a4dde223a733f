// The part of the health page about workers, with a real service and real workers: steps that nobody takes, a worker that performs one,
// an account that refuses, and a worker that was killed.

import { rmSync, writeFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { expectCode, newSite, type Site, startPawl } from "../support/pawl.ts";
import { linesOf, slowWork } from "../support/service.ts";
import { until } from "../support/until.ts";
import { faultsOf, settled } from "./every-page.ts";
import { picture } from "./picture.ts";
import { visit } from "./visit.ts";
import { serveHome } from "./worlds/served.ts";

async function startWorker(site: Site) {
  const running = startPawl(["worker", "--slots", "2", "--json"], { home: site.home, cwd: site.repo });
  onTestFinished(async () => {
    running.child.kill("SIGKILL");
    await running.ended;
  });
  await until(() => running.stdout().includes("\n") || running.child.exitCode !== null);
  const { worker } = JSON.parse(running.stdout()) as { readonly worker: string };
  const { pid } = JSON.parse(worker) as { readonly pid: number };
  return { ...running, pid };
}

test("[PG95] steps that nobody takes, the worker that takes them, its death, and an account that refuses are seen at a glance", async () => {
  const site = newSite();
  writeFileSync(site.path("hold"), "");
  onTestFinished(() => rmSync(site.path("hold"), { force: true }));
  expectCode(await site.pawl("run", ...slowWork(site), "--detach"), 0);
  const { url, token, app } = await serveHome(site.home, {});
  const { page } = await visit(`${url}/health#token=${token}`);
  await settled(page);
  const [queues, workers] = ["Waiting and at work", "Workers"].map((name) => page.getByRole("region", { name }));
  if (queues === undefined || workers === undefined) throw new Error("there are two regions");
  await queues.getByText("Steps wait, and no process takes them.").waitFor();
  expect(await queues.innerText()).toContain("pawl worker --slots 2");
  expect(await queues.innerText()).toMatch(/Wait now\s+1\s*the first for/);
  expect(await workers.innerText()).toContain("No process drives a run or performs an attempt now.");
  await picture(page, "workers-none", { whole: true });
  expect(await faultsOf(page)).toEqual([]);

  const worker = await startWorker(site);
  await until(() => linesOf(site, "begun").length === 1);
  const line = workers.getByRole("listitem").filter({ hasText: `process ${worker.pid}` });
  await line.getByRole("link", { name: "#1 first" }).waitFor();
  expect(await line.innerText()).toMatch(/since \d\d:\d\d:\d\d/);
  expect(await line.innerText()).toContain("alive");
  await expect.poll(() => queues.innerText()).toMatch(/Wait now\s+0/);
  expect(await queues.innerText()).toMatch(/At work\s+1/);
  expect(await queues.getByText("Steps wait").count()).toBe(0);

  const { parts } = await app.read();
  const at = parts.clock.now();
  await parts.store.transaction((tx) =>
    tx.hold({ account: "claude", cause: "quota", since: at, until: at + 3_600_000, why: "5-hour limit reached" }),
  );
  await page.reload();
  await settled(page);
  const accounts = await page.getByRole("region", { name: "Accounts that refused an agent" }).innerText();
  expect(accounts).toContain("claude quota used up, resets at");
  expect(accounts).toContain("5-hour limit reached");
  await picture(page, "workers-one", { whole: true });
  expect(await faultsOf(page)).toEqual([]);

  process.kill(worker.pid, "SIGKILL");
  await worker.ended;
  await page.reload();
  await line.getByText("dead", { exact: true }).waitFor();
  expect(await line.innerText()).toContain("The next process begins its steps again.");
  expect(await queues.innerText()).toMatch(/At work\s+0\s+Worker is gone\s+1/);
  expect(await queues.innerText()).toContain("pawl worker --slots 2");
  await picture(page, "workers-dead", { whole: true });
  expect(await faultsOf(page)).toEqual([]);
});
