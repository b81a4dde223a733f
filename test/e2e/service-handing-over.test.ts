// When a run is handed over to the service, when it is not, and what a command that follows does when the service goes.

import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { isAlive } from "../../src/system/process/identity.ts";
import { expectCode, newSite, type Site, startPawl, writeAt } from "../support/pawl.ts";
import { linesOf, recordOf, slowWork, startService } from "../support/service.ts";
import { until } from "../support/until.ts";

test("[SV9] a command with other variables, or with options of its own, drives by itself and says why", async () => {
  const site = newSite();
  const work = slowWork(site, ["only"]);
  await startService(site);
  const { home, repo: cwd } = site;
  const run = (env: Readonly<Record<string, string>>, ...more: readonly string[]) =>
    startPawl(["run", ...work, ...more], { home, cwd, env });
  const other = run({ HTTPS_PROXY: "http://localhost:1" });
  expectCode(await other.ended, 0);
  expect(other.stderr()).toContain("the service has other values of HTTPS_PROXY: this command drives the run itself");
  const many = run({}, "--concurrency", "2");
  expectCode(await many.ended, 0);
  expect(many.stderr()).toContain("--concurrency counts for this command alone: this command drives");
});

test("[SV10] a service that is stopped interrupts who follows; after one that was killed, the follower drives", async () => {
  const site = newSite();
  const work = slowWork(site, ["only"]);
  writeFileSync(site.path("hold"), "");
  const first = await startService(site);
  const handing = site.start("run", ...work);
  await until(() => linesOf(site, "begun").length === 1);
  expectCode(await site.pawl("down"), 0);
  expectCode(await first.ended, 0);
  const stopped = await handing.ended;
  expectCode(stopped, 130);
  expect(stopped.stderr).toContain("the service was stopped");

  const second = await startService(site);
  await until(() => linesOf(site, "begun").length === 2);
  const following = site.start("resume", "1");
  await until(() => following.stderr().includes("drives run #1"));
  second.child.kill("SIGKILL");
  await until(() => following.stderr().includes("it was killed"));
  rmSync(site.path("hold"));
  expectCode(await following.ended, 0);
  expect(linesOf(site, "done")).toEqual(["only"]);
});

test("[SV22] a command that follows a run that is cancelled ends after its agent", async () => {
  const site = newSite();
  const work = slowWork(site, ["only"]);
  const agent = `trap 'sleep 1; exit 1' TERM
echo $$ >> ${site.path("begun")}
while :; do sleep 0.05; done
`;
  writeAt(site, "agent.sh", agent);
  await startService(site);
  const following = site.start("run", ...work);
  await until(() => linesOf(site, "begun").length === 1);
  expectCode(await site.pawl("cancel", "1"), 0);
  expectCode(await following.ended, 1);
  // It is given time to end, or it is killed: whoever comes first, the service or the command that cancels.
  expect(existsSync(`/proc/${linesOf(site, "begun")[0]}`)).toBe(false);
});

test("[SV15] a newer command says so, and the service restarts when its attempt has ended", async () => {
  const site = newSite();
  const work = slowWork(site);
  writeFileSync(site.path("hold"), "");
  const older = await startService(site);
  expectCode(await site.pawl("run", ...work, "--detach"), 0);
  await until(() => linesOf(site, "begun").length === 1);
  await pretendOlder(site);
  const refused = await site.pawl("up", "--port", "0");
  expectCode(refused, 6);
  expect(refused.stderr).toContain("is version 0.0.1, this is");
  expect(refused.stderr).toContain("it restarts as");
  expect(older.child.exitCode).toBeNull();
  rmSync(site.path("hold"));
  expectCode(await older.ended, 0);
  await until(async () => (await site.status()).run.status === "done");
  const newer = recordOf(site);
  expect(newer?.version).not.toBe("0.0.1");
  expect(newer !== null && isAlive(newer) && newer.pid !== older.pid).toBe(true);
  expect(linesOf(site, "done")).toEqual(["first", "second"]);
  expectCode(await site.pawl("down"), 0);
});

test("[SV17] after a kill the log of the next service says once of each run what was recovered", async () => {
  const site = newSite();
  const work = slowWork(site, ["only"]);
  writeFileSync(site.path("hold"), "");
  const killed = await startService(site);
  for (let begun = 1; begun <= 2; begun += 1) {
    expectCode(await site.pawl("run", ...work, "--detach"), 0);
    await until(() => linesOf(site, "begun").length === begun);
  }
  killed.child.kill("SIGKILL");
  await killed.ended;
  const next = await startService(site);
  await until(() => linesOf(site, "begun").length === 4);
  const notes = next.stderr().match(/run \S+: only \(attempt 1\)/g) ?? [];
  expect(notes.length).toBe(new Set(notes).size);
});

/** As an older version would have recorded itself. */
async function pretendOlder(site: Site): Promise<void> {
  const file = join(site.home, "service.json");
  writeFileSync(file, readFileSync(file, "utf8").replace(/"version":"[^"]*"/, '"version":"0.0.1"'));
}

test("[SV21] with a service, no command sends a person to `pawl resume`: answers, retries and records name the service", async () => {
  const site = newSite();
  const asks = writeAt(
    site,
    "asks.yml",
    'pawl: 1\nid: asks\nagents: { worker: {} }\nsteps:\n  - { id: ok, gate: "Go on?" }\n  - { id: only, agent: worker, input: "{{task}}" }\n',
  );
  const agent = writeAt(site, "may.sh", `[ -e ${site.path("may")} ] && echo "STATUS: done"\n`);
  const start = ["run", asks, "do it", "--detach", "--executor", `command: sh ${agent}`];
  expect((await site.pawl(...start)).stderr).toContain("`pawl resume 1` continues the run");
  await startService(site);
  await until(async () => (await site.status()).run.status === "held");
  const answered = await site.pawl("approve", "1");
  expectCode(answered, 0);
  expect(answered.stderr).not.toContain("pawl resume");
  expect(answered.stderr).toMatch(/The service continues the run|The run continues: process \d+/);
  await until(async () => (await site.status()).run.status === "failed");
  const why = await site.pawl("why", "1");
  expect(why.stdout).toContain("Try again with `pawl retry 1`.");
  writeFileSync(site.path("may"), "");
  const again = await site.pawl("retry", "1");
  expect(again.stderr).not.toContain("pawl resume");
  expect(again.stderr).toMatch(/The service continues the run|The run continues: process \d+/);
  await until(async () => (await site.status()).run.status === "done");
  expect((await site.pawl(...start)).stderr).not.toContain("pawl resume");
});

test("[SV21 SV11] `runs` and `watch` say why the service cannot drive a run; an interrupted drive says that the service continues it", async () => {
  const site = newSite();
  const work = slowWork(site, ["only"]);
  writeFileSync(site.path("hold"), "");
  const service = await startService(site);
  const driving = site.start("run", ...work, "--foreground");
  await until(() => linesOf(site, "begun").length === 1);
  driving.child.kill("SIGINT");
  expect((await driving.ended).stderr).toContain(
    "Interrupted. The service continues the run; `pawl pause 1` pauses it.",
  );
  await until(() => linesOf(site, "begun").length === 2);
  service.child.kill("SIGKILL");
  await service.ended;
  const away = `${site.repo}-away`;
  renameSync(site.repo, away);
  onTestFinished(() => renameSync(away, site.repo));
  await startService({ ...site, repo: away });
  await until(() => Object.keys(recordOf(site)?.troubles ?? {}).length === 1);
  const why = "the service cannot drive run #1: its repository";
  const { home } = site;
  expect((await startPawl(["runs"], { home, cwd: away }).ended).stderr).toContain(why);
  expect((await startPawl(["watch"], { home, cwd: away }).ended).stdout).toContain("the service cannot drive it");
});
