// Workers of other machines: homes of their own, clones of their own, and host names of their own where this machine gives them some.

import { rmSync, writeFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import type { WorkOverview } from "../../src/contracts/http-documents.ts";
import { withoutPassword } from "../../src/system/store-address.ts";
import { type GuestWorker, startGuest } from "../support/machines.ts";
import { expectCode, newSite, pawl, type Site, type StatusDocument, startPawl, writeAt } from "../support/pawl.ts";
import { onPostgres, postgresAddress } from "../support/postgres.ts";
import { runGit } from "../support/repository.ts";
import { linesOf } from "../support/service.ts";
import { until } from "../support/until.ts";

onPostgres();

function siteOnServer() {
  const site = newSite();
  const env = { PAWL_STORE: postgresAddress() };
  const call = async (...words: readonly string[]) => await pawl(words, { home: site.home, cwd: site.repo, env });
  const statusOf = async (run = "1") => JSON.parse((await call("status", run, "--json")).stdout) as StatusDocument;
  return { site, env, call, statusOf };
}

type World = ReturnType<typeof siteOnServer>;

/** The worker of the home that has the repository. */
async function startHost({ site, env }: World, ...words: readonly string[]) {
  const running = startPawl(["worker", "--json", ...words], { home: site.home, cwd: site.repo, env });
  onTestFinished(async () => {
    running.child.kill("SIGKILL");
    await running.ended;
  });
  await until(() => running.stdout().includes("\n") || running.child.exitCode !== null);
  return running;
}

const guestOf = async ({ site, env }: World, name: string, ...words: readonly string[]): Promise<GuestWorker> =>
  await startGuest({ site, env, name }, ...words);

const usualBody = (labels: string) => `
      - { id: code, agent: coder, input: "code {{task}}", labels: ${labels} }
      - { id: check, agent: checker, input: "check" }`;

/** Stories of two steps. Each says in `where` on which machine it ran, and `code` leaves a commit and a file that is in none. */
function stories(site: Site, count: number, labels = "[of-two]", body = usualBody(labels)): readonly string[] {
  const planned = Array.from({ length: count }, (_, index) => ({
    id: `US-${index + 1}`,
    title: `Story ${index + 1}`,
    description: "A file.",
    acceptanceCriteria: ["It is there."],
  }));
  const workflow = `pawl: 1
id: far
agents: { planner: {}, coder: {}, checker: {} }
steps:
  - { id: plan, agent: planner, input: "plan", produces: [stories] }
  - id: each
    stories: { concurrency: 4, workspace: worktree }
    body:${body}
      - { id: land, integrate: {} }
`;
  const agent = `echo "$PAWL_STEP $PAWL_STORY $(hostname) $(pwd)" >> ${site.path("where")}
env | grep -i postgres >> ${site.path("secrets")}
[ -z "$PAWL_PROGRESS_FILE" ] || { mkdir -p "$(dirname "$PAWL_PROGRESS_FILE")"; echo "$PAWL_STEP of $PAWL_STORY" >> "$PAWL_PROGRESS_FILE"; }
n=0
while [ -e ${site.path("hold")}-$PAWL_STEP ] && [ $n -lt 2400 ]; do sleep 0.05; n=$((n+1)); done
case $PAWL_STEP in
plan) echo 'STORIES_JSON: ${JSON.stringify(planned)}';;
code) echo "$PAWL_STORY" > "$PAWL_STORY.txt"; git add . && git -c user.name=a -c user.email=a@example.com commit -qm "code $PAWL_STORY"; echo loose > "$PAWL_STORY.loose";;
more) [ -e "$PAWL_STORY.txt" ] && echo more >> "$PAWL_STORY.loose" || exit 1;;
last) cp "$PAWL_STORY.loose" ${site.path("last")}; cp "$PAWL_PROGRESS_FILE" ${site.path("progress")};;
check) [ -e "$PAWL_STORY.txt" ] && [ -e "$PAWL_STORY.loose" ] || { echo "nothing is here"; exit 1; };;
esac
echo "$PAWL_STEP $PAWL_STORY done" >> ${site.path("done")}
echo "said by $(hostname)"
echo "STATUS: done"
`;
  const file = writeAt(site, "far.yml", workflow);
  return [file, "do it", "--executor", `command: sh ${writeAt(site, "agent.sh", agent)}`];
}

const where = (site: Site, step: string) =>
  linesOf(site, "where")
    .filter((line) => line.startsWith(`${step} `))
    .map((line) => line.split(" ")[2]);

test("[WK40 WK41 WK42 WK44 WK52 WK55] a guest performs stories in a clone of its own; the host integrates what it has handed over, and has its logs", async () => {
  const world = siteOnServer();
  const { site, call, statusOf } = world;
  expectCode(await call("runs"), 0);
  const two = await guestOf(world, "two", "--slots", "2");
  await startHost(world);
  expectCode(await call("run", ...stories(site, 2), "--detach"), 0);
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

test("[WK6 WK43 WK45] guests that are killed or frozen: their stories go on elsewhere from what was handed over within 45 seconds", async () => {
  const world = siteOnServer();
  const { site, call, statusOf } = world;
  expectCode(await call("runs"), 0);
  const guests = [await guestOf(world, "two", "--labels", "far"), await guestOf(world, "three", "--labels", "far")];
  await startHost(world, "--slots", "2");
  writeFileSync(site.path("hold-check"), "");
  expectCode(await call("run", ...stories(site, 2, "[far]"), "--detach"), 0);
  await until(() => where(site, "check").length === 2);
  const [killed, frozen] = guests as [GuestWorker, GuestWorker];
  const had = (guest: GuestWorker) => linesOf(site, "where").some((line) => line.includes(`${guest.home}/worktrees/`));
  expect([had(killed), had(frozen)]).toEqual([true, true]);
  process.kill(killed.pid, "SIGKILL");
  process.kill(frozen.pid, "SIGSTOP");
  const stoppedAt = Date.now();
  await until(() => where(site, "check").length === 4);
  expect((Date.now() - stoppedAt) / 1000).toBeLessThan(45);
  process.kill(frozen.pid, "SIGCONT");
  rmSync(site.path("hold-check"));
  await until(async () => (await statusOf()).run.status !== "running");
  expect((await statusOf()).run.status).toBe("done");
  const events = (await call("events", "1", "--json")).stdout;
  for (const { home } of guests)
    expect(events).toMatch(new RegExp(`what it had not handed over is on \\w+ in ${home}/worktrees/`));
  const done = linesOf(site, "done").filter((line) => line.startsWith("code"));
  expect(done.toSorted()).toEqual(["code US-1 done", "code US-2 done"]);
  const passed = events.split("\n").filter((line) => line.includes('"attempt_ended"') && line.includes('"passed"'));
  expect(passed).toHaveLength(1 + 2 * 3);
  const files = runGit(site.repo, "ls-tree", "--name-only", "HEAD").trim().split("\n");
  expect(files).toEqual(["README.md", "US-1.loose", "US-1.txt", "US-2.loose", "US-2.txt"]);
});

test("[WK41 WK53] a story that moves from one machine to another and back keeps its work, and the log that its agents share", async () => {
  const world = siteOnServer();
  const { site, call, statusOf } = world;
  expectCode(await call("runs"), 0);
  const two = await guestOf(world, "two");
  await startHost(world, "--labels", "of-host");
  const body = `
      - { id: code, agent: coder, input: "x", labels: [of-two] }
      - { id: more, agent: coder, input: "x", labels: [of-host] }
      - { id: last, agent: coder, input: "x", labels: [of-two] }`;
  expectCode(await call("run", ...stories(site, 1, "", body), "--detach"), 0);
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
  const world = siteOnServer();
  const { site, env, call, statusOf } = world;
  expectCode(await call("runs"), 0);
  await guestOf(world, "two");
  await startHost(world);
  const body = `
      - { id: code, agent: coder, input: "x", labels: [of-two] }
      - { id: look, gate: "Is it good?", options: { yes: next, no: fail } }`;
  expectCode(await call("run", ...stories(site, 1, "", body), "--detach"), 0);
  await until(async () => (await statusOf()).run.status === "held");
  expect((await call("diff", "1", "US-1")).stdout).toContain("US-1.txt");
  const copied = await call("store", "copy", withoutPassword(env.PAWL_STORE), `sqlite:${site.path("copy.db")}`);
  expect(copied).toMatchObject({ code: 6, stderr: expect.stringContaining("workers of other machines have trees") });
  expectCode(await call("approve", "1"), 0);
  await until(async () => (await statusOf()).run.status === "done");
});

test("[WK41] a guest that joins later does not begin anew what the host has begun", async () => {
  const world = siteOnServer();
  const { site, call, statusOf } = world;
  const host = await startHost(world);
  writeFileSync(site.path("hold-check"), "");
  const body = `
      - { id: code, agent: coder, input: "x" }
      - { id: check, agent: checker, input: "x" }
      - { id: more, agent: coder, input: "x" }`;
  expectCode(await call("run", ...stories(site, 1, "", body), "--detach"), 0);
  await until(() => where(site, "check").length === 1);
  await guestOf(world, "two");
  // The step is ready again, for whoever may take it.
  host.child.kill("SIGTERM");
  await host.ended;
  await startHost(world);
  rmSync(site.path("hold-check"));
  await until(async () => (await statusOf()).run.status !== "running");
  expect((await statusOf()).run.status).toBe("done");
  expect(runGit(site.repo, "show", "HEAD:US-1.loose")).toContain("more");
});

test("[WK46 WK47 WK58] a step that asks for labels waits for a machine that has them, and says so; --labels gives them", async () => {
  const world = siteOnServer();
  const { site, call, statusOf } = world;
  await startHost(world);
  expectCode(await call("run", ...stories(site, 1, "[of-nobody, large]"), "--detach"), 0);
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
  const world = siteOnServer();
  const { site, call, statusOf } = world;
  expectCode(await call("runs"), 0);
  const two = await guestOf(world, "two");
  await startHost(world, "--labels", "of-host");
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
  const world = siteOnServer();
  const { site, env, call, statusOf } = world;
  expectCode(await call("runs"), 0);
  const without = await startGuest({ site, env, name: "without", from: null }, "--labels", "of-two");
  const refused = expect.stringContaining("whose configuration names `worker.repositories` may join it");
  expect(await without.ended).toMatchObject({ code: 4, stderr: refused });
  const elsewhere = { ...site, repo: "/srv/other" };
  const other = await startGuest({ site: elsewhere, env, name: "other", from: site.repo }, "--labels", "of-two");
  const broken = await startGuest({ site, env, name: "broken", from: site.path("nothing") }, "--labels", "of-two");
  await startHost(world);
  expectCode(await call("run", ...stories(site, 1), "--detach"), 0);
  await until(() => broken.stderr().includes("cannot be reached"));
  expect(where(site, "code")).toEqual([]);
  expect(other.stderr()).not.toContain("run_paused");
  await guestOf(world, "two");
  await until(async () => (await statusOf()).run.status === "done");
});

test("[WK50] a run that is cancelled ends the agent of a guest, and a drained guest takes nothing more", async () => {
  const world = siteOnServer();
  const { site, call, statusOf } = world;
  expectCode(await call("runs"), 0);
  const two = await guestOf(world, "two");
  await startHost(world);
  writeFileSync(site.path("hold-code"), "");
  expectCode(await call("run", ...stories(site, 1), "--detach"), 0);
  await until(() => where(site, "code").length === 1);
  expectCode(await call("cancel", "1"), 0);
  await until(async () => (await statusOf()).run.status === "cancelled");
  expect(linesOf(site, "done").filter((line) => line.startsWith("code"))).toEqual([]);
  expectCode(await call("run", ...stories(site, 1), "--detach"), 0);
  await until(() => where(site, "code").length === 2);
  process.kill(two.pid, "SIGUSR2");
  rmSync(site.path("hold-code"));
  expectCode(await two.ended, 0);
  expect(linesOf(site, "done").filter((line) => line.startsWith("code"))).toHaveLength(1);
  // Its story is free for others.
  await until(async () => (await statusOf("2")).run.status === "done");
});

test("[WK51 SO65] only a worker of the same version joins a store of another home, and only after that home", async () => {
  const world = siteOnServer();
  const { site, env, call } = world;
  const early = await startGuest({ site, env, name: "early" });
  expect(await early.ended).toMatchObject({ code: 4, stderr: expect.stringContaining("belongs to no home yet") });
  expectCode(await call("runs"), 0);
  const other = await pawl(["runs"], { home: early.home, cwd: site.repo, env });
  expect(other).toMatchObject({ code: 4, stderr: expect.stringContaining("belongs to another home") });
});
