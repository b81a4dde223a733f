// Steering a run from outside: names of runs, pause, Ctrl-C, cancel with everything that the agent started, retry.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { isAlive, processIdentity } from "../../src/system/process/identity.ts";
import {
  expectCode,
  newSite,
  type RunningPawl,
  type Site,
  type StatusDocument,
  statuses,
  writeAt,
} from "../support/pawl.ts";
import { done, featureScript, implementing, story, writeScript } from "../support/scripts.ts";
import { until } from "../support/until.ts";
import { pairWorkflow } from "../support/workflows.ts";

async function detach(site: Site, task: string): Promise<string> {
  const called = await site.pawl("run", writeAt(site, "pair.yml", pairWorkflow), task, "--detach");
  expectCode(called, 0);
  return called.stdout.trim();
}

test("[CM5 CM19 antfarm P] a run is named by its number, #number, id or a unique prefix; where several match, they are listed and left alone", async () => {
  const site = newSite();
  const first = await detach(site, "Paint the door");
  const second = await detach(site, "Paint the window");
  for (const name of ["1", "#1", first, first.slice(0, 8)])
    expect(await site.status(name)).toMatchObject({ run: { id: first } });
  expect(await site.pawl("status", "01")).toMatchObject({ code: 0 });
  expect(await site.pawl("status", "3")).toMatchObject({ code: 5 });
  expect(await site.pawl("cancel", "no-such-run")).toMatchObject({ code: 5 });

  // Ids are random, so the test makes two that begin alike.
  const twin = `${first.slice(0, 4)}zzzzzz`;
  const database = new DatabaseSync(join(site.home, "pawl.db"), { enableForeignKeyConstraints: false });
  for (const [table, column] of [
    ["runs", "id"],
    ["totals", "run_id"],
  ])
    database.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${column} = ?`).run(twin, second);
  database.close();
  const ambiguous = await site.pawl("cancel", first.slice(0, 4));
  expect(ambiguous.code).toBe(5);
  expect(ambiguous.stderr).toContain(first);
  expect(ambiguous.stderr).toContain(twin);
  expect((await site.status("1")).run.status).toBe("running");

  const query = await site.pawl("workflow", "status", "paint the");
  expect(query.code).toBe(5);
  expect(query.stderr).toMatch(/#1[^]*#2|#2[^]*#1/);
  expect((await site.pawl("workflow", "status", "the door")).stdout).toContain("Paint the door");
});

test("[DR4 CM4 X31] pause lets the running attempt end and starts nothing new; resume continues", async () => {
  const site = newSite();
  const script = writeScript(site, {
    first: [{ run: ["touch ../../begun; while [ ! -e ../../go ]; do sleep 0.05; done"], say: done }],
    second: [{ say: done }],
  });
  const driver = site.start("run", writeAt(site, "pair.yml", pairWorkflow), "the task", "--script", script);
  await until(() => existsSync(join(site.home, "begun")));
  expect(await site.pawl("pause", "1")).toMatchObject({ code: 0 });
  writeAt(site, "home/go", "");
  const paused = await driver.ended;
  // The run is not done, so a script that continues on exit code 0 must not continue.
  expect(paused.code).toBe(3);
  expect(paused.stderr).toContain("pawl resume 1");
  const status = await site.status();
  expect(status.run.status).toBe("paused");
  expect(statuses(status.steps)).toBe("first:done,second:ready");
  expect(JSON.parse((await site.pawl("step", "claim", "pair/worker")).stdout)).toEqual({ found: false });
  expect(await site.pawl("resume", "1")).toMatchObject({ code: 0 });
  expect((await site.status()).run.status).toBe("done");
  expect(await site.pawl("pause", "1")).toMatchObject({ code: 6 });
});

/** An agent that starts a process in its own session, out of reach of its process group, and then waits. */
const clingy = `
cat > /dev/null
if [ "$PAWL_STEP" = second ] || [ "$PAWL_ATTEMPT" -gt 1 ]; then echo 'STATUS: done'; exit 0; fi
setsid sh -c 'echo $$ > "$PAWL_SHARED/grandchild"; sleep 600' &
echo $$ > "$PAWL_SHARED/agent"
echo half > half-done.txt
wait
sleep 600
`;

async function startClingy(
  site: Site,
  executor = `command: sh ${writeAt(site, "agent.sh", clingy)}`,
): Promise<{ driver: RunningPawl; isGone: () => boolean }> {
  const driver = site.start("run", writeAt(site, "pair.yml", pairWorkflow), "the task", "--executor", executor);
  const read = (name: string) => {
    const file = join(site.home, name);
    return existsSync(file) ? Number(readFileSync(file, "utf8")) : 0;
  };
  await until(() => read("agent") > 0 && read("grandchild") > 0);
  const both = [read("agent"), read("grandchild")].map(processIdentity).filter((each) => each !== null);
  expect(both).toHaveLength(2);
  return { driver, isGone: () => !both.some((each) => isAlive(each)) };
}

test("[CM8 DR7 X32] Ctrl-C stops the agent and all it started, exits 130, and resume finishes the run", async () => {
  const site = newSite();
  const { driver, isGone } = await startClingy(site);
  driver.child.kill("SIGINT");
  const ended = await driver.ended;
  expect(ended.code).toBe(130);
  expect(ended.stderr).toContain("pawl resume 1");
  expect(isGone()).toBe(true);
  expect((await site.status()).run.status).toBe("running");
  const resumed = await site.json<StatusDocument>(["resume", "1"]);
  expect(statuses(resumed.steps)).toBe("first:done,second:done");
});

test("[DR5 EX11 X31] cancel from another process stops the agent with its setsid grandchild; the driver exits 1", async () => {
  const site = newSite();
  const { driver, isGone } = await startClingy(site);
  expect(await site.pawl("cancel", "1")).toMatchObject({ code: 0 });
  const ended = await driver.ended;
  expect(ended.code).toBe(1);
  expect(isGone()).toBe(true);
  const status = await site.status();
  expect(status.run.status).toBe("cancelled");
  expect(statuses(status.steps)).toBe("first:cancelled,second:cancelled");
  expect(await site.pawl("cancel", "1")).toMatchObject({ code: 6 });
  expect(await site.pawl("resume", "1")).toMatchObject({ code: 6 });
});

test("[PS16 A1 RC1 RC2 X32 antfarm S] after kill -9 of the driver its agent ends without another command, and resume continues the run", async () => {
  const site = newSite();
  const { driver, isGone } = await startClingy(site);
  driver.child.kill("SIGKILL");
  await driver.ended;
  await until(isGone);
  const resumed = await site.json<StatusDocument>(["resume", "1"]);
  expect(isGone()).toBe(true);
  expect(resumed.run.status).toBe("done");
  const { attempts } = await site.json<{ attempts: { step: string; outcome: string }[] }>(["logs", "1"]);
  expect(attempts.map(({ step, outcome }) => `${step}:${outcome}`)).toEqual([
    "first:lost",
    "first:completed",
    "second:completed",
  ]);
});

test("[CM29] a terminal that closes stops the agent and all it started, and resume finishes the run", async () => {
  const site = newSite();
  const { driver, isGone } = await startClingy(site);
  // The kernel and the shell both say it.
  for (const _ of [1, 2]) driver.child.kill("SIGHUP");
  expect((await driver.ended).code).toBe(130);
  expect(isGone()).toBe(true);
  expect((await site.status()).run.status).toBe("running");
  const resumed = await site.json<StatusDocument>(["resume", "1"]);
  expect(statuses(resumed.steps)).toBe("first:done,second:done");
});

test("[CM8 PS16] the second Ctrl-C leaves at once, and no agent is left", async () => {
  const site = newSite();
  const executor = `command: sh ${writeAt(site, "agent.sh", `trap '' TERM\n${clingy}`)}`;
  const { driver, isGone } = await startClingy(site, executor);
  driver.child.kill("SIGINT");
  await until(() => driver.stderr().includes("press Ctrl-C again"));
  driver.child.kill("SIGINT");
  expect((await driver.ended).code).toBe(130);
  await until(isGone);
});

test("[CM30 CM31 CM32 WY7] a run without a driver is shown as that; resume says at once that no executor is there, takes one, and a second resume follows", async () => {
  const site = newSite();
  const agent =
    'cat > /dev/null; touch "$PAWL_SHARED/begun"; while [ ! -e "$PAWL_SHARED/go" ]; do sleep 0.05; done; echo STATUS: done';
  const executor = `command: sh ${writeAt(site, "agent.sh", agent)}`;
  await detach(site, "the task");
  const refused = await site.pawl("resume", "1");
  expect(refused.code).toBe(4);
  expect(refused.stderr).toContain("pawl resume 1 --executor NAME");
  expect((await site.pawl("runs")).stdout).toContain("running (no driver)");
  const status = await site.status();
  expect(status.run).toMatchObject({ status: "running", driver: null });
  expect(status.why).toContain("`pawl resume 1");
  const first = site.start("resume", "1", "--executor", executor);
  await until(() => existsSync(join(site.home, "begun")));
  expect((await site.status()).run.driver).toBe(`process ${first.child.pid}`);
  const left = site.start("resume", "1");
  const second = site.start("resume", "1");
  for (const follower of [left, second]) await until(() => follower.stderr().includes("following it"));
  left.child.kill("SIGINT");
  expect(await left.ended).toMatchObject({
    code: 130,
    stderr: expect.stringContaining("continues without this command"),
  });
  writeAt(site, "home/go", "");
  expect([(await first.ended).code, (await second.ended).code]).toEqual([0, 0]);
  const { attempts } = await site.json<{ attempts: { step: string; executor: string }[] }>(["logs", "1"]);
  expect(attempts.map(({ step }) => step)).toEqual(["first", "second"]);
});

test("[RC1 X31] cancel stops what a dead driver left behind", async () => {
  const site = newSite();
  const { driver, isGone } = await startClingy(site);
  driver.child.kill("SIGKILL");
  await driver.ended;
  expect(await site.pawl("cancel", "1")).toMatchObject({ code: 0 });
  expect(isGone()).toBe(true);
  expect((await site.status()).run.status).toBe("cancelled");
});

test("[A48 X31] retry --story puts a failed story back, and its limits start over", async () => {
  const site = newSite();
  const failing = { say: "STATUS: failed\nREASON: no idea" };
  const script = writeScript(
    site,
    featureScript([story("US-001"), story("US-002")], {
      implement: [
        { ...failing, story: "US-001", attempt: 1 },
        { ...failing, story: "US-001", attempt: 2 },
        { ...failing, story: "US-001", attempt: 3 },
        implementing(),
      ],
    }),
  );
  const failed = await site.json<StatusDocument>(["run", "feature-dev", "Two things", "--script", script], 1);
  expect(statuses(failed.stories)).toBe("US-001:failed,US-002:waiting");
  expect(await site.pawl("retry", "1", "--story", "US-002")).toMatchObject({ code: 6 });
  expect(await site.pawl("retry", "1", "--story", "US-001")).toMatchObject({ code: 0 });
  const finished = await site.json<StatusDocument>(["resume", "1"]);
  expect(finished.stories.map(({ id, status, attempts }) => `${id}:${status}:${attempts}`)).toEqual([
    "US-001:done:4",
    "US-002:done:1",
  ]);
});
