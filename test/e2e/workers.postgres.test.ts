// Workers on a store on PostgreSQL, by the command line: they alone finish runs, whatever happens to some of them.

import { rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { expect, onTestFinished, test } from "vitest";
import type { WorkOverview } from "../../src/contracts/http-documents.ts";
import { schemaVersion } from "../../src/store/migrate.ts";
import {
  eventLines,
  expectCode,
  newSite,
  pawl,
  type RunningPawl,
  type Site,
  type StatusDocument,
  startPawl,
  writeAt,
} from "../support/pawl.ts";
import { onPostgres, postgresAddress, queryAt } from "../support/postgres.ts";
import { begun, configure, integrated, newRalph, slowGit } from "../support/ralph.ts";
import { linesOf, slowWork } from "../support/service.ts";
import { until } from "../support/until.ts";

onPostgres();

function siteOnServer(site: Site = newSite()) {
  const env = { PAWL_STORE: postgresAddress() };
  const options = { home: site.home, cwd: site.repo, env };
  const call = async (...words: readonly string[]) => await pawl(words, options);
  const statusOf = async (run: string) => JSON.parse((await call("status", run, "--json")).stdout) as StatusDocument;
  return { site, env, call, statusOf, options };
}

/** Resolves when it is ready. */
async function startWorker(
  { site, env }: { readonly site: Site; readonly env: Readonly<Record<string, string>> },
  ...more: readonly string[]
): Promise<RunningPawl & { readonly pid: number }> {
  const running = startPawl(["worker", "--json", ...more], { home: site.home, cwd: site.repo, env });
  onTestFinished(async () => {
    running.child.kill("SIGKILL");
    await running.ended;
  });
  await until(() => running.stdout().includes("\n") || running.child.exitCode !== null);
  const { worker } = JSON.parse(running.stdout()) as { readonly worker: string };
  return { ...running, pid: (JSON.parse(worker) as { readonly pid: number }).pid };
}

const isDone = async ({ statusOf }: Pick<ReturnType<typeof siteOnServer>, "statusOf">, run: string) =>
  (await statusOf(run)).run.status === "done";

test("[WK1 WK2] two workers alone finish several runs, each step once, and both take part", async () => {
  const world = siteOnServer();
  const { site, call } = world;
  const work = slowWork(site);
  await startWorker(world, "--slots", "1");
  await startWorker(world, "--slots", "1");
  writeFileSync(site.path("hold"), "");
  for (let count = 0; count < 3; count += 1) expectCode(await call("run", ...work, "--detach"), 0);
  // One slot each.
  await until(() => linesOf(site, "begun").length === 2);
  rmSync(site.path("hold"));
  await until(async () => (await isDone(world, "1")) && (await isDone(world, "2")) && (await isDone(world, "3")));
  expect(linesOf(site, "done").toSorted()).toEqual(["first", "first", "first", "second", "second", "second"]);
  expect(linesOf(site, "begun")).toHaveLength(6);
});

test("[WK3] the attempt of a worker that is killed begins again on another one, and its result counts once", async () => {
  const world = siteOnServer();
  const { site, call } = world;
  const work = slowWork(site);
  writeFileSync(site.path("hold"), "");
  const first = await startWorker(world);
  expectCode(await call("run", ...work, "--detach"), 0);
  await until(() => linesOf(site, "begun").length === 1);
  const second = await startWorker(world);
  process.kill(first.pid, "SIGKILL");
  await until(() => linesOf(site, "begun").length === 2);
  rmSync(site.path("hold"));
  await until(async () => await isDone(world, "1"));
  expect(linesOf(site, "done")).toEqual(["first", "second"]);
  expect(linesOf(site, "begun")).toHaveLength(3);
  second.child.kill("SIGTERM");
  expectCode(await second.ended, 0);
});

test("[WK4] a worker that is drained takes nothing more and ends with its attempt; one that is stopped gives it back", async () => {
  const world = siteOnServer();
  const { site, call, statusOf } = world;
  const work = slowWork(site);
  writeFileSync(site.path("hold"), "");
  const draining = await startWorker(world);
  expectCode(await call("run", ...work, "--detach"), 0);
  await until(() => linesOf(site, "begun").length === 1);
  process.kill(draining.pid, "SIGUSR2");
  rmSync(site.path("hold"));
  expectCode(await draining.ended, 0);
  expect(linesOf(site, "done")).toEqual(["first"]);

  writeFileSync(site.path("hold"), "");
  const stopped = await startWorker(world);
  await until(() => linesOf(site, "begun").length === 2);
  process.kill(stopped.pid, "SIGTERM");
  expectCode(await stopped.ended, 0);
  rmSync(site.path("hold"));
  const last = await startWorker(world, "--drain");
  expectCode(await last.ended, 0);
  expect(linesOf(site, "done")).toEqual(["first", "second"]);
  expect((await statusOf("1")).run.status).toBe("done");
});

test("[WK5 CM180] a worker that was started with --only-configured leaves programs that a run names itself to others", async () => {
  const world = siteOnServer();
  const { site, call } = world;
  const careful = await startWorker(world, "--only-configured");
  expectCode(await call("run", ...slowWork(site), "--detach"), 0);
  await until(() => /names `command: .*` itself, .*--only-configured/.test(careful.stderr()));
  expect((await call("why", "1")).stdout).toContain("a worker takes it if it has its executor");
  expect(linesOf(site, "begun")).toEqual([]);
  await startWorker(world);
  await until(async () => await isDone(world, "1"));
});

test("[WK6] a worker that is frozen for longer than its heartbeat loses its attempt, and its late result does not count", async () => {
  const world = siteOnServer();
  const { site, call } = world;
  const work = slowWork(site, ["only"]);
  writeFileSync(site.path("hold"), "");
  const frozen = await startWorker(world);
  expectCode(await call("run", ...work, "--detach"), 0);
  await until(() => linesOf(site, "begun").length === 1);
  process.kill(frozen.pid, "SIGSTOP");
  await startWorker(world);
  await until(() => linesOf(site, "begun").length === 2);
  process.kill(frozen.pid, "SIGCONT");
  rmSync(site.path("hold"));
  await until(async () => await isDone(world, "1"));
  expect(linesOf(site, "begun")).toHaveLength(2);
  expect(linesOf(site, "done")).toEqual(["only"]);
});

test("[WK20] a worker ends when a newer Pawl has migrated the store, and writes nothing more", async () => {
  const world = siteOnServer();
  const { site, env, call, statusOf } = world;
  const work = slowWork(site);
  writeFileSync(site.path("hold"), "");
  const old = await startWorker(world);
  expectCode(await call("run", ...work, "--detach"), 0);
  await until(() => linesOf(site, "begun").length === 1);
  const newer = { version: schemaVersion + 1, name: "from the future", applied_at: 0 };
  await queryAt(env.PAWL_STORE, (db) => db.insertInto("migrations").values(newer).execute());
  rmSync(site.path("hold"));
  const ended = await old.ended;
  expectCode(ended, 4);
  expect(ended.stderr).toContain(`has schema ${schemaVersion + 1}, but this Pawl knows only ${schemaVersion}`);
  // As the newer one would find it.
  await queryAt(env.PAWL_STORE, (db) => db.deleteFrom("migrations").where("version", "=", newer.version).execute());
  const { steps } = await statusOf("1");
  expect(steps.map(({ id, status }) => `${id}:${status}`)).toEqual(["first:running", "second:waiting"]);
  await startWorker(world);
  await until(async () => await isDone(world, "1"));
});

test("[WK21] a worker without git does not start, and so fails no step that another one could perform", async () => {
  const { site, env } = siteOnServer();
  const refused = await pawl(["worker"], { home: site.home, cwd: site.repo, env: { ...env, PATH: site.home } });
  expectCode(refused, 4);
  expect(refused.stderr).toMatch(/error\[GIT_MISSING\]: git could not be started\nhint: install git .* PATH/);
});

test("[WK30] `worker list` shows each process with what it drives and performs, and how much waits in the queue of the home", async () => {
  const world = siteOnServer();
  const { site, call } = world;
  const work = slowWork(site, ["only"]);
  writeFileSync(site.path("hold"), "");
  for (let count = 0; count < 3; count += 1) expectCode(await call("run", ...work, "--detach"), 0);
  const overview = async () => JSON.parse((await call("worker", "list", "--json")).stdout) as WorkOverview;
  const queue = { queue: expect.stringMatching(/^home\./) as string, deferred: 0, lost: 0, ended: 0 };
  expect(await overview()).toMatchObject({
    workers: [],
    queues: [{ ...queue, waiting: 3, active: 0, attended: false }],
    accounts: [],
  });
  expect((await call("worker", "list")).stderr).toContain("`pawl worker --slots 2` starts one");
  const [one, two] = [await startWorker(world), await startWorker(world)];
  await until(() => linesOf(site, "begun").length === 2);
  const { workers, queues } = await overview();
  expect(queues).toMatchObject([{ ...queue, waiting: 1, active: 2, attended: true }]);
  expect(new Set(workers.map(({ pid }) => pid))).toEqual(new Set([one.pid, two.pid]));
  expect(new Set(workers.flatMap(({ drives }) => drives.map(({ number }) => number)))).toEqual(new Set([1, 2, 3]));
  for (const { host, life, since, heardAt, performs } of workers) {
    expect({ host, life, performs }).toMatchObject({ host: hostname(), life: "alive", performs: [{ step: "only" }] });
    expect(Date.now() - Date.parse(since ?? "")).toBeLessThan(600_000);
    expect(Date.now() - Date.parse(heardAt ?? "")).toBeLessThan(60_000);
  }
  const { stdout } = await call("worker", "list");
  expect(stdout).toMatch(new RegExp(`process ${one.pid} +${hostname()} +alive .* only \\(`));
  expect(stdout).toMatch(/^queue home\.\w+: 1 step waits \(the first for .*\), 2 attempts are performed$/m);

  process.kill(one.pid, "SIGKILL");
  process.kill(two.pid, "SIGKILL");
  await Promise.all([one.ended, two.ended]);
  const after = await overview();
  expect(after.queues).toMatchObject([{ ...queue, waiting: 1, active: 0, lost: 2, attended: false }]);
  expect(after.workers.map(({ life }) => life)).toEqual(["dead", "dead"]);
});
test("[DR10 WK1] with low disk space no worker begins a story, other runs go on, and with more space it begins", async () => {
  const ralph = newRalph([{ id: "US-001" }]);
  const other = newSite();
  const world = siteOnServer(ralph);
  configure(ralph, "workspace: { min_free: 900TB }\n");
  const worker = await startWorker(world);
  expectCode(await world.call(...ralph.args, "--detach"), 0);
  await until(() => worker.stderr().includes("no new story begins"));
  // The worker looks at the older run first.
  expectCode(await world.call("run", ...slowWork(other, ["only"]), "--detach"), 0);
  await until(async () => await isDone(world, "2"));
  expect(begun(ralph.journal())).toEqual([]);
  configure(ralph, "workspace: { min_free: 0 }\n");
  await until(async () => await isDone(world, "1"));
  expect(integrated(ralph.repo)).toEqual(["US-001"]);
});

const parts = `agent: judge, input: "x", parts: [a, b, c, d]`;

test.each([
  ["run", `[{ id: opinion, ${parts} }]`],
  [
    "story",
    `[{ id: plan, agent: judge, produces: [stories], input: "STORIES_JSON" }, { id: each, stories: { workspace: worktree, concurrency: 1 }, body: [{ id: opinion, ${parts} }, { id: land, integrate: true }] }]`,
  ],
])(
  "[WK1] workers that begin parts of its first step at once make the tree of a %s once, and set it up once at a time",
  async (_, steps) => {
    const site = newSite();
    const world = siteOnServer(site);
    const slow = { ...world, env: { ...world.env, ...slowGit("*worktree*add*) sleep 1 ;;") } };
    const setup = "mkdir ../setting-up && sleep 0.5 && rmdir ../setting-up";
    writeFileSync(site.path("home", "config.yml"), `workspace: { setup: ["${setup}"] }\n`);
    await startWorker(slow, "--slots", "2");
    await startWorker(slow, "--slots", "2");
    const workflow = `pawl: 1\nid: opinions\nagents: { judge: { access: read } }\nsteps: ${steps}\n`;
    const plan = `STORIES_JSON: [{"id":"A","title":"A","description":"a","acceptanceCriteria":["a"]}]`;
    const agent = writeAt(site, "agent.sh", `cat > /dev/null\necho 'STATUS: done'\necho '${plan}'\n`);
    const words = ["run", writeAt(site, "w.yml", workflow), "Judge", "--executor", `command: sh ${agent}`, "--detach"];
    expectCode(await world.call(...words), 0);
    await until(async () => (await world.statusOf("1")).run.status !== "running");
    const ends = eventLines((await world.call("events", "1", "--json")).stdout).filter(
      ({ type }) => type === "attempt_ended",
    );
    expect(ends.length).toBeGreaterThanOrEqual(4);
    expect(new Set(ends.map(({ outcome, why }) => `${String(outcome)} ${String(why)}`.trim()))).toEqual(
      new Set(["completed"]),
    );
  },
);
