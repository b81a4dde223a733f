// What guests hand over of work that did not end as it was meant to: cancelled, discarded, refused, on another branch.

import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { farChain, farStories, guestOf, guestWorld, machinesOf, startHostOf } from "../support/guest-world.ts";
import { expectCode, type Site, writeAt } from "../support/pawl.ts";
import { onPostgres, queryAt } from "../support/postgres.ts";
import { commitFile, runGit } from "../support/repository.ts";
import { linesOf } from "../support/service.ts";
import { until } from "../support/until.ts";

onPostgres();

test("[WK44] what a guest has handed over of a story whose run is cancelled is parked on the host, with its loose files", async () => {
  const world = guestWorld();
  const { site, call, statusOf } = world;
  expectCode(await call("runs"), 0);
  await guestOf(world, "two");
  await startHostOf(world);
  writeFileSync(site.path("hold-check"), "");
  expectCode(await call("run", ...farStories(site, 1), "--detach"), 0);
  await until(() => machinesOf(site, "check").length === 1);
  expectCode(await call("cancel", "1"), 0);
  await until(async () => (await statusOf()).run.status === "cancelled");
  await until(() => runGit(site.repo, "for-each-ref", "refs/pawl/handed") === "");
  const shown = (await call("diff", "1", "US-1")).stdout;
  expect([shown.includes("US-1.txt"), shown.includes("US-1.loose")]).toEqual([true, true]);
});

test("[WK44] what a guest has handed over of a chain that is cancelled is on its branch", async () => {
  const world = guestWorld();
  const { site, call, statusOf } = world;
  expectCode(await call("runs"), 0);
  await guestOf(world, "two");
  await startHostOf(world, "--labels", "of-host");
  writeFileSync(site.path("hold-second"), "");
  expectCode(await call("run", ...farChain(site, ["first", "of-two"], ["second", "of-two"]), "--detach"), 0);
  await until(() => machinesOf(site, "second").length === 1);
  expectCode(await call("cancel", "1"), 0);
  await until(async () => (await statusOf()).run.status === "cancelled");
  await until(() => runGit(site.repo, "for-each-ref", "refs/pawl/handed") === "");
  expect((await call("diff", "1")).stdout).toContain("first.txt");
});

test("[WK64] the branch of a chain on which a person has put a commit stays with that person when the tree comes back", async () => {
  const world = guestWorld();
  const { site, call, statusOf } = world;
  expectCode(await call("runs"), 0);
  await guestOf(world, "two");
  await startHostOf(world, "--labels", "of-host");
  writeFileSync(site.path("hold-second"), "");
  const steps = [
    ["first", "of-host"],
    ["second", "of-two"],
    ["third", "of-host"],
  ] as const;
  expectCode(await call("run", ...farChain(site, ...steps), "--detach"), 0);
  await until(() => machinesOf(site, "second").length === 1);
  const branch = "refs/heads/pawl/1-do-it";
  const theirs = runGit(site.repo, "commit-tree", "-m", "by a person", "-p", branch, `${branch}^{tree}`);
  runGit(site.repo, "update-ref", branch, theirs);
  rmSync(site.path("hold-second"));
  await until(async () => (await statusOf()).run.status !== "running");
  const run = (await statusOf()).run;
  expect(run.status).toBe("done");
  expect(runGit(site.repo, "rev-parse", branch)).toBe(theirs);
});

test("[WK42] a link in the place of a log is not followed, and the logs of others come all the same", async () => {
  const world = guestWorld();
  const { site, call, statusOf } = world;
  expectCode(await call("runs"), 0);
  await guestOf(world, "two", "--slots", "2");
  await startHostOf(world);
  writeFileSync(site.path("hold-code"), "");
  expectCode(await call("run", ...farStories(site, 2), "--detach"), 0);
  await until(() => machinesOf(site, "code").length === 2);
  const victim = writeAt(site, "victim", "mine\n");
  const folder = join(site.home, "logs", (await statusOf()).run.id);
  mkdirSync(folder, { recursive: true });
  rmSync(join(folder, "US-1-code-1.log"), { force: true });
  symlinkSync(victim, join(folder, "US-1-code-1.log"));
  rmSync(site.path("hold-code"));
  await until(async () => (await statusOf()).run.status !== "running");
  expect((await statusOf()).run.status).toBe("done");
  expect((await call("logs", "1", "US-2")).stdout).toContain("said by");
  expect(readFileSync(victim, "utf8")).toBe("mine\n");
});

test("[WK41 WK49] a repository that refuses what a guest hands over fails the attempt in words; nobody waits for it", async () => {
  const world = guestWorld();
  const { site, call, statusOf } = world;
  expectCode(await call("runs"), 0);
  await guestOf(world, "two");
  await startHostOf(world);
  const hook = join(site.repo, ".git", "hooks", "pre-receive");
  mkdirSync(dirname(hook), { recursive: true });
  writeFileSync(hook, `#!/bin/sh\nrm ${hook}\nexit 1\n`, { mode: 0o755 });
  expectCode(await call("run", ...farStories(site, 1), "--detach"), 0);
  const said = async () => (await call("events", "1", "--json")).stdout;
  await until(async () => (await said()).includes("pre-receive hook declined"));
  await until(async () => (await statusOf()).run.status !== "running");
  expect((await statusOf()).run.status).toBe("done");
});

test("[WK40 WK41] a run that starts from a commit on no branch is performed by a guest that has a clone already", async () => {
  const world = guestWorld();
  const { site, call, statusOf } = world;
  expectCode(await call("runs"), 0);
  const two = await guestOf(world, "two");
  await startHostOf(world);
  const isDone = async (run: string) => (await statusOf(run)).run.status === "done";
  expectCode(await call("run", ...farChain(site, ["first", "of-two"]), "--detach"), 0);
  await until(() => isDone("1"));
  runGit(site.repo, "checkout", "--quiet", "--detach");
  commitFile(site.repo, "loose.txt", "1");
  expectCode(await call("run", ...farChain(site, ["second", "of-two"]), "--detach"), 0);
  await until(() => isDone("2"));
  const onGuest = expect.stringContaining(`${two.home}/`);
  expect(linesOf(site, "where")).toEqual([onGuest, onGuest]);
  // Its work comes to the host when the run is closed.
  const files = () => runGit(site.repo, "ls-tree", "--name-only", "pawl/2-do-it").split("\n");
  await expect.poll(files).toEqual(["README.md", "loose.txt", "second.txt"]);
});

test("[WK65] the work of an attempt that a guest has discarded is a diff on the host, too", async () => {
  const world = guestWorld();
  const { site, call, statusOf } = world;
  expectCode(await call("runs"), 0);
  const two = await guestOf(world, "two");
  await startHostOf(world, "--labels", "of-host");
  writeFileSync(site.path("hold-first"), "");
  expectCode(await call("run", ...farChain(site, ["first", "of-two"], ["second", "of-host"]), "--detach"), 0);
  await until(() => machinesOf(site, "first").length === 1);
  two.child.kill("SIGTERM");
  await two.ended;
  await guestOf(world, "two");
  await until(() => machinesOf(site, "first").length === 2);
  const file = join(site.home, "salvage", (await statusOf()).run.id, "run-first-1.diff");
  await until(() => existsSync(file));
  expect(readFileSync(file, "utf8")).toContain("+++ b/first.txt");
  rmSync(site.path("hold-first"));
  await until(async () => (await statusOf()).run.status === "done");
});

/** After a step, the agent works on a branch that is the user's. */
function strayingAfter(site: Site, step: string, agent: string): void {
  const astray = `if [ $PAWL_STEP = ${step} ]; then git checkout -q -B main; git add .; git -c user.name=a -c user.email=a@example.com commit -qm astray; fi`;
  writeAt(site, agent, `${readFileSync(site.path(agent), "utf8")}${astray}\n`);
}

test.each(["main", "other"])(
  "[WK64] an agent of a guest that commits on a branch of the user moves none on the host, where %s is checked out",
  async (checkedOut) => {
    const world = guestWorld();
    const { site, call, statusOf } = world;
    if (checkedOut !== "main") runGit(site.repo, "checkout", "--quiet", "-b", checkedOut);
    expectCode(await call("runs"), 0);
    await guestOf(world, "two");
    await startHostOf(world, "--labels", "of-host");
    const before = runGit(site.repo, "rev-parse", "main");
    const isDone = async (run: string) => {
      await until(async () => (await statusOf(run)).run.status !== "running");
      expect((await statusOf(run)).run.status).toBe("done");
    };
    const words = farChain(site, ["first", "of-two"], ["second", "of-host"]);
    strayingAfter(site, "first", "chain.sh");
    expectCode(await call("run", ...words, "--detach"), 0);
    await isDone("1");
    expect([runGit(site.repo, "rev-parse", "main"), runGit(site.repo, "status", "--porcelain")]).toEqual([before, ""]);
    const files = runGit(site.repo, "ls-tree", "-r", "--name-only", "pawl/1-do-it").split("\n");
    expect(files).toEqual(["README.md", "first.txt", "second.txt"]);
    if (checkedOut === "main") return;
    const body = `
      - { id: code, agent: coder, input: "x", labels: [of-two] }
      - { id: check, agent: checker, input: "x", labels: [of-host] }`;
    const others = farStories(site, 1, "", body);
    strayingAfter(site, "code", "agent.sh");
    expectCode(await call("run", ...others, "--detach"), 0);
    await isDone("2");
    expect(runGit(site.repo, "rev-parse", "main")).toBe(before);
  },
);

test("[WK44] a guest that was frozen while its run was cancelled leaves nothing on its way", async () => {
  const world = guestWorld();
  const { site, env, call } = world;
  expectCode(await call("runs"), 0);
  const two = await guestOf(world, "two");
  await startHostOf(world, "--labels", "of-host");
  writeFileSync(site.path("hold-second"), "");
  expectCode(await call("run", ...farChain(site, ["first", "of-two"], ["second", "of-two"]), "--detach"), 0);
  await until(() => machinesOf(site, "second").length === 1);
  process.kill(two.pid, "SIGSTOP");
  expectCode(await call("cancel", "1"), 0);
  const rows = async (table: string) =>
    await queryAt(env.PAWL_STORE, async (db) => (await sql.raw(`select * from ${table}`).execute(db)).rows);
  await until(async () => (await rows("outbox")).length === 0);
  // Its agent ends, and it wakes up with the result.
  rmSync(site.path("hold-second"));
  process.kill(two.pid, "SIGCONT");
  process.kill(two.pid, "SIGUSR2");
  expectCode(await two.ended, 0);
  const left = [await rows("log_parts"), await rows("hand_overs"), await rows("shared_texts")];
  expect([left, runGit(site.repo, "for-each-ref", "refs/pawl/handed")]).toEqual([[[], [], []], ""]);
});

test("[WK88] a copy of a guest's home is refused while the other works, and what it has handed over is taken after it as by any machine", async () => {
  const world = guestWorld();
  const { site, call, statusOf } = world;
  expectCode(await call("runs"), 0);
  const two = await guestOf(world, "two");
  await startHostOf(world, "--labels", "of-host");
  writeFileSync(site.path("hold-second"), "");
  const chain = farChain(site, ["first", "of-two"], ["second", "of-copy"], ["third", "of-two"]);
  expectCode(await call("run", ...chain, "--detach"), 0);
  const ended = async (step: string) =>
    (await statusOf()).steps.some(({ id, status }) => id === step && status === "done");
  await until(async () => await ended("first"));

  mkdirSync(site.path("copy"), { mode: 0o700 });
  copyFileSync(join(two.home, "home.id"), site.path("copy/home.id"));
  const refused = await (await guestOf(world, "copy")).ended;
  expect([refused.code, refused.stderr]).toEqual([4, expect.stringMatching(/is the same home as .*home\.id/s)]);

  process.kill(two.pid, "SIGUSR2");
  expectCode(await two.ended, 0);
  const copy = await guestOf(world, "copy");
  rmSync(site.path("hold-second"));
  await until(async () => await ended("second"));
  process.kill(copy.pid, "SIGUSR2");
  expectCode(await copy.ended, 0);
  await guestOf(world, "two");
  await until(async () => (await statusOf()).run.status === "done");
  const branch = () => runGit(site.repo, "for-each-ref", "--format=%(refname)", "refs/heads/pawl");
  await until(() => branch() !== "");
  const files = runGit(site.repo, "ls-tree", "--name-only", branch()).split("\n");
  expect(files).toEqual(expect.arrayContaining(["first.txt", "second.txt", "third.txt"]));
});
