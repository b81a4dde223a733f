// Workers of other machines: homes of their own, clones of their own, and host names of their own where this machine gives them some.

import { existsSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { expect, test } from "vitest";
import type { WorkOverview } from "../../src/contracts/http-documents.ts";
import { withoutPassword } from "../../src/system/store-address.ts";
import {
  farChain,
  farStories,
  type GuestWorld,
  guestOf,
  guestWorld,
  machinesOf,
  startHostOf,
} from "../support/guest-world.ts";
import { startGuest } from "../support/machines.ts";
import { canContain } from "../support/other-host.ts";
import { expectCode, pawl, writeAt } from "../support/pawl.ts";
import { onPostgres, queryAt } from "../support/postgres.ts";
import { runGit } from "../support/repository.ts";
import { linesOf } from "../support/service.ts";
import { until } from "../support/until.ts";

onPostgres();

test("[WK40 WK41 WK42 WK44 WK52 WK55] a guest performs stories in a clone of its own; the host integrates what it has handed over, and has its logs", async () => {
  const world = guestWorld();
  const { site, call, statusOf } = world;
  expectCode(await call("runs"), 0);
  const two = await guestOf(world, "two", "--slots", "2");
  await startHostOf(world);
  expectCode(await call("run", ...farStories(site, 2), "--detach"), 0);
  await until(async () => (await statusOf()).run.status !== "running");
  expect([(await statusOf()).run.status, two.stderr().includes("not_")]).toEqual(["done", false]);
  const away = linesOf(site, "where").filter((line) => line.includes(`${two.home}/worktrees/`));
  expect(away.map((line) => line.split(" ").slice(0, 2).join(" ")).toSorted()).toEqual([
    "check US-1",
    "check US-2",
    "code US-1",
    "code US-2",
  ]);
  const files = runGit(site.repo, "ls-tree", "--name-only", "HEAD").trim().split("\n");
  expect(files).toEqual(["README.md", "US-1.loose", "US-1.txt", "US-2.loose", "US-2.txt"]);
  expect(runGit(site.repo, "log", "--format=%s").trim().split("\n")).toHaveLength(3);
  const logs = await call("logs", "1", "US-1");
  expect(logs.stdout).toContain("said by");
  // The address of the store has a user and perhaps a password.
  expect(linesOf(site, "secrets")).toEqual([]);
  // Nothing is left of it, here or there.
  await until(() => runGit(site.repo, "for-each-ref", "refs/pawl").trim() === "");
});

test("[WK41 WK53] a story that moves from one machine to another and back keeps its work, and the log that its agents share", async () => {
  const world = guestWorld();
  const { site, call, statusOf } = world;
  expectCode(await call("runs"), 0);
  const two = await guestOf(world, "two");
  await startHostOf(world, "--labels", "of-host");
  const body = `
      - { id: code, agent: coder, input: "x", labels: [of-two] }
      - { id: more, agent: coder, input: "x", labels: [of-host] }
      - { id: last, agent: coder, input: "x", labels: [of-two] }`;
  expectCode(await call("run", ...farStories(site, 1, "", body), "--detach"), 0);
  await until(async () => (await statusOf()).run.status !== "running");
  expect((await statusOf()).why).toContain("Done");
  const away = linesOf(site, "where").filter((line) => line.includes(`${two.home}/`));
  expect(away.map((line) => line.split(" ")[0])).toEqual(["code", "last"]);
  expect(linesOf(site, "last")).toEqual(["loose", "more"]);
  expect(linesOf(site, "progress").filter((line) => line.includes("of US-1"))).toEqual([
    "code of US-1",
    "more of US-1",
    "last of US-1",
  ]);
});

test("[WK54 WK57] a person is asked about a tree that a guest has, and the answer counts for what was shown", async () => {
  const world = guestWorld();
  const { site, env, call, statusOf } = world;
  expectCode(await call("runs"), 0);
  await guestOf(world, "two");
  await startHostOf(world);
  const body = `
      - { id: code, agent: coder, input: "x", labels: [of-two] }
      - { id: look, gate: "Is it good?", options: { yes: next, no: fail } }`;
  expectCode(await call("run", ...farStories(site, 1, "", body), "--detach"), 0);
  await until(async () => (await statusOf()).run.status === "held");
  expect((await call("diff", "1", "US-1")).stdout).toContain("US-1.txt");
  const copied = await call("store", "copy", withoutPassword(env.PAWL_STORE), `sqlite:${site.path("copy.db")}`);
  expect(copied).toMatchObject({ code: 6, stderr: expect.stringContaining("workers of other machines have trees") });
  expectCode(await call("approve", "1"), 0);
  await until(async () => (await statusOf()).run.status === "done");
});

test("[WK41] a guest that joins later does not begin anew what the host has begun", async () => {
  const world = guestWorld();
  const { site, call, statusOf } = world;
  const host = await startHostOf(world);
  writeFileSync(site.path("hold-check"), "");
  const body = `
      - { id: code, agent: coder, input: "x" }
      - { id: check, agent: checker, input: "x" }
      - { id: more, agent: coder, input: "x" }`;
  expectCode(await call("run", ...farStories(site, 1, "", body), "--detach"), 0);
  await until(() => machinesOf(site, "check").length === 1);
  await guestOf(world, "two");
  // The step is ready again, for whoever may take it.
  host.child.kill("SIGTERM");
  await host.ended;
  await startHostOf(world);
  rmSync(site.path("hold-check"));
  await until(async () => (await statusOf()).run.status !== "running");
  expect((await statusOf()).run.status).toBe("done");
  expect(runGit(site.repo, "show", "HEAD:US-1.loose")).toContain("more");
});

test("[WK46 WK47 WK58] a step that asks for labels waits for a machine that has them, and says so; --labels gives them", async () => {
  const world = guestWorld();
  const { site, call, statusOf } = world;
  await startHostOf(world);
  expectCode(await call("run", ...farStories(site, 1, "[of-nobody, large]"), "--detach"), 0);
  await until(async () => (await statusOf()).why.includes("a machine with the labels of-nobody and large"));
  const two = await guestOf(world, "two", "--labels", "of-nobody,large");
  await until(async () => (await statusOf()).run.status === "done");
  const { machines } = JSON.parse((await call("worker", "list", "--json")).stdout) as WorkOverview;
  expect(machines).toMatchObject([
    { guest: false },
    { guest: true, labels: [process.platform, "of-two", "of-nobody", "large"] },
  ]);
  expect((await call("worker", "list")).stdout).toMatch(
    /^machine \S+ \(guest; \w+, of-two, of-nobody, large\): heard of/m,
  );
  expect(two.stderr()).not.toContain("run_paused");
});

test("[WK41 WK48] a chain moves between machines: each step has the work of those before it, and the branch has all of it", async () => {
  const world = guestWorld();
  const { site, call, statusOf } = world;
  expectCode(await call("runs"), 0);
  const two = await guestOf(world, "two");
  await startHostOf(world, "--labels", "of-host");
  const workflow = `pawl: 1
id: chain
agents: { worker: {} }
steps:
  - { id: one, agent: worker, input: "x", labels: [of-host] }
  - { id: two, agent: worker, input: "x", labels: [of-two] }
  - { id: again, agent: worker, input: "x", labels: [of-two] }
  - { id: three, agent: worker, input: "x", labels: [of-host] }
  - { id: four, agent: worker, input: "x", labels: [of-two] }
`;
  const agent = `echo "$PAWL_STEP run $(hostname) $(pwd)" >> ${site.path("where")}
ls >> ${site.path("seen")}; echo . >> ${site.path("seen")}
echo $PAWL_STEP > $PAWL_STEP.txt
[ $PAWL_STEP = two ] && git add . && git -c user.name=a -c user.email=a@example.com commit -qm "by two"
echo "STATUS: done"
`;
  const words = [
    writeAt(site, "chain.yml", workflow),
    "do it",
    "--executor",
    `command: sh ${writeAt(site, "a.sh", agent)}`,
  ];
  expectCode(await call("run", ...words, "--detach"), 0);
  await until(async () => (await statusOf()).run.status !== "running");
  expect([(await statusOf()).run.status, (await statusOf()).run.branch]).toEqual(["done", "pawl/1-do-it"]);
  expect(linesOf(site, "where").map((line) => line.includes(`${two.home}/`))).toEqual([false, true, true, false, true]);
  expect(linesOf(site, "seen").join(" ")).toBe(
    "README.md . README.md one.txt . README.md one.txt two.txt . README.md again.txt one.txt two.txt . README.md again.txt one.txt three.txt two.txt .",
  );
  const files = runGit(site.repo, "ls-tree", "--name-only", "pawl/1-do-it").trim().split("\n");
  expect(files).toEqual(["README.md", "again.txt", "four.txt", "one.txt", "three.txt", "two.txt"]);
  const commits = runGit(site.repo, "log", "--format=%s", "pawl/1-do-it").trim().split("\n");
  expect(commits.map((subject) => subject.split(":")[0])).toEqual(["four", "three", "again", "by two", "one", "first"]);
});

test("[WK49] a guest takes only repositories of its configuration, and says when one cannot be reached; others take the step", async () => {
  const world = guestWorld();
  const { site, env, call, statusOf } = world;
  expectCode(await call("runs"), 0);
  const without = await startGuest({ site, env, name: "without", from: null }, "--labels", "of-two");
  const refused = expect.stringContaining("whose configuration names `worker.repositories` may join it");
  expect(await without.ended).toMatchObject({ code: 4, stderr: refused });
  const elsewhere = { ...site, repo: "/srv/other" };
  const other = await startGuest({ site: elsewhere, env, name: "other", from: site.repo }, "--labels", "of-two");
  const broken = await startGuest({ site, env, name: "broken", from: site.path("nothing") }, "--labels", "of-two");
  await startHostOf(world);
  expectCode(await call("run", ...farStories(site, 1), "--detach"), 0);
  await until(() => /cannot be reached: repository '.*' does not exist/.test(broken.stderr()));
  expect(machinesOf(site, "code")).toEqual([]);
  expect(other.stderr()).not.toContain("run_paused");
  await guestOf(world, "two");
  await until(async () => (await statusOf()).run.status === "done");
});

test("[CM181] on a guest, `doctor` says whose guest it is and which repositories it can read, and `worker list` lists the machines", async () => {
  const world = guestWorld();
  const { site, env, call } = world;
  expectCode(await call("runs"), 0);
  const two = await guestOf(world, "two");
  const there = async (...words: readonly string[]) => await pawl(words, { home: two.home, cwd: two.home, env });
  const well = await there("doctor");
  expectCode(well, 0);
  expect(well.stdout).toMatch(new RegExp(`store +postgres://.*, a guest of ${site.home} on `));
  expect(well.stdout).toContain(`repository ${site.repo}`);
  const { machines } = JSON.parse((await there("worker", "list", "--json")).stdout) as WorkOverview;
  expect(machines.filter(({ guest }) => guest)).toHaveLength(1);
  renameSync(site.repo, site.path("away"));
  const away = await there("doctor");
  expectCode(away, 4);
  expect(away.stdout).toMatch(/MISSING +repository .* cannot be reached: '.*' does not appear to be a git repository/);
  expectCode(await there("runs"), 4);
});

test("[WK49] a guest whose repository goes away when it has claimed a step waits for it", async () => {
  const world = guestWorld();
  const { site, env, call, statusOf } = world;
  expectCode(await call("runs"), 0);
  const [from, away] = [site.path("from"), site.path("away")];
  symlinkSync(site.repo, from);
  const two = await startGuest({ site, env, name: "two", from });
  await startHostOf(world, "--labels", "of-host");
  writeFileSync(site.path("hold-more"), "");
  const body = `
      - { id: code, agent: coder, input: "x", labels: [of-two] }
      - { id: more, agent: coder, input: "x", labels: [of-host] }
      - { id: last, agent: coder, input: "x", labels: [of-two] }`;
  expectCode(await call("run", ...farStories(site, 1, "", body), "--detach"), 0);
  await until(() => machinesOf(site, "more").length === 1);
  renameSync(from, away);
  rmSync(site.path("hold-more"));
  await until(() => two.stderr().includes("waits for its repository"));
  renameSync(away, from);
  await until(async () => (await statusOf()).run.status !== "running");
  expect((await statusOf()).run.status).toBe("done");
  const ends = (await call("events", "1", "--json")).stdout
    .split("\n")
    .filter((line) => line.includes('"attempt_ended"'));
  expect(ends.filter((line) => !line.includes('"outcome":"completed"'))).toEqual([]);
});

test("[WK50] a run that is cancelled ends the agent of a guest, and a drained guest takes nothing more", async () => {
  const world = guestWorld();
  const { site, call, statusOf } = world;
  expectCode(await call("runs"), 0);
  const two = await guestOf(world, "two");
  await startHostOf(world);
  writeFileSync(site.path("hold-code"), "");
  expectCode(await call("run", ...farStories(site, 1), "--detach"), 0);
  await until(() => machinesOf(site, "code").length === 1);
  expectCode(await call("cancel", "1"), 0);
  await until(async () => (await statusOf()).run.status === "cancelled");
  expect(linesOf(site, "done").filter((line) => line.startsWith("code"))).toEqual([]);
  expectCode(await call("run", ...farStories(site, 1), "--detach"), 0);
  await until(() => machinesOf(site, "code").length === 2);
  process.kill(two.pid, "SIGUSR2");
  rmSync(site.path("hold-code"));
  expectCode(await two.ended, 0);
  expect(linesOf(site, "done").filter((line) => line.startsWith("code"))).toHaveLength(1);
  // Its story is free for others.
  await until(async () => (await statusOf("2")).run.status === "done");
});

test("[WK51 SO65] only a worker of the same version joins a store of another home, and only after that home", async () => {
  const world = guestWorld();
  const { site, env, call } = world;
  const early = await startGuest({ site, env, name: "early" });
  expect(await early.ended).toMatchObject({ code: 4, stderr: expect.stringContaining("belongs to no home yet") });
  expectCode(await call("runs"), 0);
  const other = await pawl(["runs"], { home: early.home, cwd: site.repo, env });
  expect(other).toMatchObject({ code: 4, stderr: expect.stringContaining("belongs to another home") });
});

test("[WK51] a guest whose host was upgraded ends and says so", async () => {
  const world = guestWorld();
  expectCode(await world.call("runs"), 0);
  const two = await guestOf(world, "two");
  await queryAt(world.env.PAWL_STORE, (db) => sql`update homes set version = '9.9.9' where not guest`.execute(db));
  expect(await two.ended).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(
      /the host has Pawl 9\.9\.9 and this is .*: it takes nothing more; install the same version/,
    ),
  });
});

test("[WK51] an older Pawl that only looks does not say for the host which version it has; a worker of it does", async () => {
  const world = guestWorld();
  const { call, env } = world;
  expectCode(await call("runs"), 0);
  const versions = async () =>
    await queryAt(env.PAWL_STORE, async (db) => {
      const { rows } = await sql<{ version: string }>`select version from homes where not guest`.execute(db);
      return rows[0]?.version;
    });
  const own = await versions();
  await queryAt(env.PAWL_STORE, (db) => sql`update homes set version = '9.9.9' where not guest`.execute(db));
  expectCode(await call("runs"), 0);
  expect(await versions()).toBe("9.9.9");
  await startHostOf(world);
  await expect.poll(versions).toBe(own);
});

const guestEventsOf = async ({ call }: GuestWorld) =>
  (await call("events", "1", "--json")).stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { readonly type: string; readonly at: string; readonly host?: string });

test("[WK59] a guest in a container with the host name of the host: its processes are not looked for among those of the host", async (context) => {
  if (!canContain) context.skip("nothing gives a process a table of its own here");
  const world = guestWorld();
  const { site, env, call, statusOf } = world;
  expectCode(await call("runs"), 0);
  writeFileSync(site.path("hold-code"), "");
  const two = await startGuest({ site, env, name: "two", host: hostname(), isApart: true });
  await startHostOf(world);
  expectCode(await call("run", ...farStories(site, 1), "--detach"), 0);
  await until(() => machinesOf(site, "code").length === 1);
  const { workers } = JSON.parse((await call("worker", "list", "--json")).stdout) as WorkOverview;
  const guest = workers.find(({ performs }) => performs.length > 0);
  expect(guest).toMatchObject({ life: "unknown", host: expect.stringMatching(/\.[0-9a-f]{8}$/) });
  // The driver begins by looking for the dead.
  const second = await startHostOf(world);
  second.child.kill("SIGTERM");
  await second.ended;
  rmSync(site.path("hold-code"));
  await until(async () => (await statusOf()).run.status !== "running");
  expect((await statusOf()).run.status).toBe("done");
  expect(machinesOf(site, "code")).toHaveLength(1);
  const hosts = (await guestEventsOf(world)).flatMap(({ host }) => host ?? []);
  expect(new Set(hosts)).toEqual(new Set([hostname(), guest?.host]));
  expect(two.stderr()).not.toContain("run_paused");
});

test.each([
  ["ahead", 600_000],
  ["behind", -600_000],
])("[WK60] a guest whose clock is 10 minutes %s takes and leaves steps when they are due", async (_, aheadMs) => {
  const world = guestWorld();
  const { site, env, call, statusOf } = world;
  const begunAt = Date.now();
  writeFileSync(join(site.home, "config.yml"), "budget: { wall: 5m }\n");
  expectCode(await call("runs"), 0);
  await startGuest({ site, env, name: "two", aheadMs });
  await startHostOf(world);
  writeFileSync(site.path("hold-code"), "");
  const body = `
      - { id: code, agent: coder, input: "x", labels: [of-two] }
      - { id: check, agent: checker, input: "x" }`;
  expectCode(await call("run", ...farStories(site, 2, "", body), "--detach"), 0);
  await until(() => machinesOf(site, "code").length === 1);
  rmSync(site.path("hold-code"));
  // It is busy with the other story: the host would take the first one, if it had waited for a minute.
  await until(() => machinesOf(site, "code").length === 2);
  await until(async () => (await statusOf()).run.status !== "running");
  expect([(await statusOf()).run.status, (await statusOf()).why]).toEqual(["done", expect.stringContaining("Done")]);
  const times = (await guestEventsOf(world)).map(({ at }) => Date.parse(at));
  expect([Math.min(...times) >= begunAt - 5_000, Math.max(...times) <= Date.now() + 5_000]).toEqual([true, true]);
  expect(
    linesOf(site, "where").filter((line) => line.startsWith("check ") && !line.includes("/two/worktrees/")),
  ).toEqual([]);
});

test("[WK57] a store is not copied while a guest performs the first attempt of a run", async () => {
  const world = guestWorld();
  const { site, env, call } = world;
  expectCode(await call("runs"), 0);
  await guestOf(world, "two");
  const host = await startHostOf(world);
  writeFileSync(site.path("hold-first"), "");
  expectCode(await call("run", ...farChain(site, ["first", "of-two"]), "--detach"), 0);
  await until(() => machinesOf(site, "first").length === 1);
  host.child.kill("SIGTERM");
  await host.ended;
  const copied = await call("store", "copy", withoutPassword(env.PAWL_STORE), `sqlite:${site.path("copy.db")}`);
  expect(copied).toMatchObject({ code: 6, stderr: expect.stringContaining("workers of other machines have trees") });
});

test("[WK66] a guest is heard of while a repository that it clones does not answer", async () => {
  const world = guestWorld();
  const { site, env, call } = world;
  expectCode(await call("runs"), 0);
  const asked = site.path("asked");
  const silent = { ...env, GIT_SSH_COMMAND: `touch ${asked}; sleep 600 #` };
  await startGuest({ site, env: silent, name: "two", from: "ssh://host.example.com/repo" });
  await startHostOf(world, "--labels", "of-host");
  expectCode(await call("run", ...farChain(site, ["first", "of-two"]), "--detach"), 0);
  await until(() => existsSync(asked));
  const heardAt = async () =>
    await queryAt(env.PAWL_STORE, async (db) => {
      const found = sql<{ at: Date }>`select seen_at as at from machine_workers join homes on id = home_id where guest`;
      return (await found.execute(db)).rows[0]?.at.getTime() ?? 0;
    });
  const before = await heardAt();
  await until(async () => (await heardAt()) > before);
});
