// The service as people use it: started, found, handed runs, stopped.

import { existsSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { isAlive, processIdentity } from "../../src/system/process/identity.ts";
import { expectCode, newSite, pawl, statuses } from "../support/pawl.ts";
import { linesOf, recordOf, slowWork, startService } from "../support/service.ts";
import { until } from "../support/until.ts";

test("[SV1 SV3 SV7] a service drives what is handed to it; Ctrl-C leaves the run with it, and `resume` follows it again", async () => {
  const site = newSite();
  const work = slowWork(site);
  const service = await startService(site, { SECRET_TOKEN: "hunter2hunter2" });
  expect(service.stdout()).toBe(`{"url":"${service.url}","pid":${service.pid}}\n`);
  expect(statSync(join(site.home, "service.json")).mode & 0o777).toBe(0o600);
  expect(JSON.stringify(recordOf(site))).not.toContain("hunter2");

  writeFileSync(site.path("hold"), "");
  const handing = site.start("run", ...work);
  await until(() => linesOf(site, "begun").length === 1 && handing.stderr().includes("first"));
  expect((await site.status()).run.driver).toBe(`process ${service.pid}`);
  handing.child.kill("SIGINT");
  const left = await handing.ended;
  expectCode(left, 130);
  expect(left.stderr).toContain(`process ${service.pid} drives it: \`pawl resume 1\` follows it again`);
  expect(left.stderr).not.toContain("Stopping the running attempts");

  const following = site.start("resume", "1");
  await until(() => following.stderr().includes("drives run #1; Ctrl-C"));
  rmSync(site.path("hold"));
  expectCode(await following.ended, 0);
  expect(linesOf(site, "done")).toEqual(["first", "second"]);

  // What was only recorded is noticed, too.
  expectCode(await site.pawl("run", ...work, "--detach"), 0);
  await until(() => linesOf(site, "done").length === 4);
  const health = await fetch(`${service.url}/api/v1/health`);
  expect(await health.json()).toEqual({ ok: true });
});

test("[SV2 SV5 SV6] one service has a home; it outlives its terminal, and `down` returns when it is gone and its run can be resumed", async () => {
  const site = newSite();
  const work = slowWork(site);
  expect(await site.json(["down"])).toEqual({ stopped: false, pid: null });
  const started = await site.json<{ url: string; pid: number }>(["up", "--background", "--port", "0"]);
  const service = processIdentity(started.pid);
  if (service === null) throw new Error("it does not run");
  onTestFinished(() => {
    if (isAlive(service)) process.kill(service.pid, "SIGKILL");
  });
  for (const more of [[], ["--background"]]) {
    const second = await site.pawl("up", "--port", "0", "--json", ...more);
    expectCode(second, 6);
    expect(JSON.parse(second.stdout)).toMatchObject({
      error: { code: "REFUSED", message: `a service runs already at ${started.url} (process ${started.pid})` },
    });
  }
  process.kill(started.pid, "SIGHUP");
  writeFileSync(site.path("hold"), "");
  expectCode(await site.pawl("run", ...work, "--detach"), 0);
  const [begun = ""] = await until(() => (linesOf(site, "begun").length === 1 ? linesOf(site, "begun") : null));
  expect(isAlive(service)).toBe(true);
  expect((await site.json<{ findings: { name: string; detail: string }[] }>(["doctor"])).findings).toContainEqual(
    expect.objectContaining({ name: "service", ok: true, detail: expect.stringContaining(started.url) }),
  );
  expect(await site.json(["down"])).toEqual({ stopped: true, pid: started.pid });
  expect([isAlive(service), existsSync(join(site.home, "service.json"))]).toEqual([false, false]);
  expect(processIdentity(Number(begun.split(" ")[1]))).toBeNull();
  expect((await site.status()).why).toContain("`pawl resume 1`");
  rmSync(site.path("hold"));
  expectCode(await site.pawl("resume", "1"), 0);
  expect(statuses((await site.status()).steps)).toBe("first:done,second:done");
});

test("[HT63] a service is ready while it drives, and not while it makes room for another", async () => {
  const site = newSite();
  const work = slowWork(site);
  const service = await startService(site);
  const asked = async (name: string) => {
    const answer = await fetch(`${service.url}/api/v1/${name}`);
    return `${answer.status} ${await answer.text()}`;
  };
  await until(async () => (await asked("ready")) === '200 {"ok":true}');
  writeFileSync(site.path("hold"), "");
  expectCode(await site.pawl("run", ...work, "--detach"), 0);
  await until(() => linesOf(site, "begun").length === 1);
  service.child.kill("SIGUSR2");
  await until(async () => (await asked("ready")) === '503 {"ok":false}');
  expect(await asked("health")).toBe('200 {"ok":true}');
  service.child.kill("SIGTERM");
  await service.ended;
});

test("[SV8] `--foreground` drives under a lease that the service respects, and takes over when that driver is killed", async () => {
  const site = newSite();
  const work = slowWork(site);
  const service = await startService(site);
  writeFileSync(site.path("hold"), "");
  const own = site.start("run", ...work, "--foreground");
  await until(() => linesOf(site, "begun").length === 1);
  expect((await site.status()).run.driver).toBe(`process ${own.child.pid}`);
  own.child.kill("SIGKILL");
  rmSync(site.path("hold"));
  await until(async () => (await site.status()).run.status === "done");
  const drivers = (await site.events()).filter(({ type }) => type === "attempt_ended").map(({ outcome }) => outcome);
  expect(drivers).toEqual(["lost", "completed", "completed"]);
  expect(isAlive({ ...processIdentity(service.pid) } as never)).toBe(true);
});

test("[SV4] a port that is in use ends the start, and nothing is left behind", async () => {
  const site = newSite();
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  for (const more of [[], ["--background"]]) {
    const refused = await site.pawl("up", "--port", String(port), ...more);
    expectCode(refused, 6);
    expect(refused.stderr).toContain(`port ${port} of 127.0.0.1 is in use`);
    expect(refused.stderr).toContain("hint:");
  }
  expect(recordOf(site)).toBeNull();
  expectCode(await pawl(["up", "--port", "70000"], { home: site.home }), 2);
});
