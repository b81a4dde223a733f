// The machine sleeps and clocks differ: the service stands still for longer than its leases, and its time of day is hours ahead.

import { rmSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { expectCode, newSite, startPawl } from "../support/pawl.ts";
import { linesOf, slowWork, startService } from "../support/service.ts";
import { until } from "../support/until.ts";

const jumpingClock = new URL("jumping-clock.ts", import.meta.url).href;
const hoursMs = 5 * 3_600_000;

test("[SV18] frozen past its leases, with a clock that is hours ahead, the service continues; it leaves the run of another driver alone", async () => {
  const site = newSite();
  const work = slowWork(site, ["only"]);
  const clock = site.path("clock");
  const set = (dayMs: number, steadyMs: number) => writeFileSync(clock, `${dayMs} ${steadyMs}`.padEnd(64));
  set(hoursMs, 0);
  const env = { NODE_OPTIONS: `--import=${jumpingClock}`, PAWL_CHAOS_CLOCK: clock };
  writeFileSync(site.path("hold"), "");
  const { home, repo: cwd } = site;
  const service = await startService(site, env);
  const own = startPawl(["run", ...work, "--foreground"], { home, cwd });
  await until(() => linesOf(site, "begun").length === 1);
  expectCode(await site.pawl("run", ...work, "--detach"), 0);
  await until(() => linesOf(site, "begun").length === 2);
  expect((await site.status("1")).run.driver).toBe(`process ${own.child.pid}`);
  expect((await site.status("2")).run.driver).toBe(`process ${service.pid}`);

  service.child.kill("SIGSTOP");
  set(hoursMs + 120_000, 120_000);
  service.child.kill("SIGCONT");
  rmSync(site.path("hold"));
  expectCode(await own.ended, 0);
  await until(async () => (await site.status("2")).run.status === "done");
  for (const run of ["1", "2"]) {
    const ends = (await site.events(run)).filter(({ type }) => type === "attempt_ended");
    expect(ends.map(({ outcome }) => outcome)).toEqual(["completed"]);
  }
  expect(linesOf(site, "done")).toEqual(["only", "only"]);
});
