// Rows of a store that are damaged or hostile, and name paths and refs on a guest.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { type Kysely, sql } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import type { Tables } from "../../src/store/schema.ts";
import { startGuest } from "../support/machines.ts";
import { expectCode, newSite, pawl, type Site, type StatusDocument, startPawl, writeAt } from "../support/pawl.ts";
import { onPostgres, postgresAddress, queryAt } from "../support/postgres.ts";
import { commitFile, runGit } from "../support/repository.ts";
import { until } from "../support/until.ts";

onPostgres();

function siteOnServer() {
  const site = newSite();
  const env = { PAWL_STORE: postgresAddress() };
  const call = async (...words: readonly string[]) => await pawl(words, { home: site.home, cwd: site.repo, env });
  const statusOf = async (run: string) => JSON.parse((await call("status", run, "--json")).stdout) as StatusDocument;
  const startHost = async () => {
    const running = startPawl(["worker", "--json"], { home: site.home, cwd: site.repo, env });
    onTestFinished(async () => {
      running.child.kill("SIGKILL");
      await running.ended;
    });
    await until(() => running.stdout().includes("\n"));
    return running;
  };
  const query = async <T>(work: (db: Kysely<Tables>) => Promise<T>) => await queryAt(env.PAWL_STORE, work);
  return { site, env, call, statusOf, startHost, query };
}

/** Two runs, each with a story whose step is ready and waits for a guest. Nothing works on them. */
async function waitingRuns() {
  const world = siteOnServer();
  const { site, call, statusOf, startHost, query } = world;
  const host = await startHost();
  for (const _ of ["1", "2"]) expectCode(await call("run", ...storyOf(site), "--detach"), 0);
  const isReady = (db: Kysely<Tables>) => db.selectFrom("ready").selectAll().where("step", "=", "code").execute();
  await until(async () => (await query(isReady)).length === 2);
  host.child.kill("SIGKILL");
  await host.ended;
  return { ...world, run: (await statusOf("1")).run.id };
}

function storyOf(site: Site, more = ""): readonly string[] {
  const workflow = `pawl: 1
id: far
agents: { planner: {}, coder: {} }
steps:
  - { id: plan, agent: planner, input: "plan", produces: [stories] }
  - id: each
    stories: { workspace: worktree }
    body:
      - { id: code, agent: coder, input: "code", labels: [of-two] }${more}
      - { id: land, integrate: {} }
`;
  const planned = { id: "US-1", title: "A file", description: "A file.", acceptanceCriteria: ["It is there."] };
  const agent = `case $PAWL_STEP in
plan) echo 'STORIES_JSON: ${JSON.stringify([planned])}';;
*) pwd >> "${site.path("where")}"; echo work > "$PAWL_STEP.txt";;
esac
echo "STATUS: done"
`;
  return [writeAt(site, "far.yml", workflow), "do it", "--executor", `command: sh ${writeAt(site, "agent.sh", agent)}`];
}

type Change = (db: Kysely<Tables>, run: string, bad: string) => Promise<unknown>;

const inSlot: Change = async (db, run, bad) => {
  const now = `"slot":${JSON.stringify(bad)}`;
  await sql`update stories set entry = replace(entry, '"slot":1', ${now}) where run_id = ${run}`.execute(db);
};

const inRun: Change = async (db, run, bad) => {
  const found = await sql<{ name: string }>`select table_name as name from information_schema.columns
    where table_schema = current_schema() and column_name = 'run_id'`.execute(db);
  await sql`set session_replication_role = replica`.execute(db);
  for (const { name } of found.rows)
    await sql`update ${sql.table(name)} set run_id = ${bad} where run_id = ${run}`.execute(db);
  await sql`update runs set id = ${bad} where id = ${run}`.execute(db);
};

const inStory: Change = async (db, run, bad) => {
  const text = JSON.stringify(bad);
  await sql`update stories set id = ${bad}, entry = replace(entry, '"US-1"', ${text}),
    spec = replace(spec, '"US-1"', ${text}) where run_id = ${run}`.execute(db);
  await sql`update ready set story_id = ${bad} where run_id = ${run} and story_id = 'US-1'`.execute(db);
};

const inStep: Change = async (db, run, bad) => {
  const was = '"id":"code"';
  await sql`update stories set scope = replace(scope, ${was}, ${`"id":${JSON.stringify(bad)}`}) where run_id = ${run}`.execute(
    db,
  );
  await sql`update ready set step = ${bad} where run_id = ${run} and step = 'code'`.execute(db);
};

const inBranch: Change = async (db, run, bad) => {
  const now = `"branch":${JSON.stringify(bad)}`;
  await sql`update runs set header = regexp_replace(header, '"branch":"[^"]*"', ${now}, 'g') where id = ${run}`.execute(
    db,
  );
};

const attacks: readonly (readonly [what: string, shown: string, change: Change, bad: string])[] = [
  ["the id", "../../x", inRun, "../../x"],
  ["the id of a story", "two lines", inStory, "a\nb"],
  ["the id of a step", "-rf", inStep, "-rf"],
  ["the slot of story US-1", "../../../x", inSlot, "../../../x"],
  ["the branch", "4000 characters", inBranch, "l".repeat(4000)],
];

test.each(attacks)(
  "[WK80] a damaged run, %s is %s: a guest says so, makes nothing of that run, and performs others",
  async (what, _, change, text) => {
    const { site, env, statusOf, startHost, query, run } = await waitingRuns();
    await query(async (db) => await change(db, run, text));
    const before = [...readdirSync(site.path(".")), "two", "where"];
    const two = await startGuest({ site, env, name: "two" }, "--slots", "2");
    await startHost();
    await until(async () => two.stderr().includes("run_paused") && (await statusOf("2")).run.status !== "running");
    expect((await statusOf("2")).run.status).toBe("done");
    // A repository that was reached a moment ago is not asked again.
    await until(() => two.stderr().split('"event":"worker.run_paused"').length > 2);
    const paused = two
      .stderr()
      .split("\n")
      .filter((line) => line.includes("worker.run_paused"))
      .map((line) => (JSON.parse(line) as { readonly why: string }).why);
    expect(
      paused.filter((why) => !why.includes(` is damaged: ${what} is ${JSON.stringify(text).slice(0, 40)}`)),
    ).toEqual([]);
    expect(two.child.exitCode).toBe(null);
    expect(readdirSync(site.path(".")).filter((name) => !before.includes(name))).toEqual([]);
    expect(readdirSync(two.home).toSorted()).toEqual(["config.yml", "home.id", "logs", "repositories", "worktrees"]);
    const good = (await statusOf("2")).run.id;
    expect(readdirSync(`${two.home}/worktrees`).filter((name) => !name.startsWith(good))).toEqual([]);
  },
);

test("[WK80] a hand-over in the store that git would take for an option: no command follows it, guests say so, and all goes on when it is put right", async () => {
  const { site, env, call, statusOf, startHost, query } = siteOnServer();
  await startHost();
  const more = '\n      - { id: more, agent: coder, input: "more", labels: [of-three] }';
  expectCode(await call("run", ...storyOf(site, more), "--detach"), 0);
  await startGuest({ site, env, name: "two" });
  const handed = async () =>
    (await query((db) => sql<{ start: string }>`select start from hand_overs where story_id = 'US-1'`.execute(db)))
      .rows[0];
  const { start } = await until(handed);
  const put = async (text: string) =>
    await query((db) => sql`update hand_overs set start = ${text} where story_id = 'US-1'`.execute(db));
  await put(`--output=${site.path("written")}`);
  const says = "what was handed over of story US-1 of run ";
  expect(await call("diff", "1", "US-1")).toMatchObject({ code: 1, stderr: expect.stringContaining(says) });
  const three = await startGuest({ site, env, name: "three" });
  await until(() => three.stderr().includes(says));
  expect([existsSync(site.path("written")), three.child.exitCode]).toEqual([false, null]);
  await put(start);
  await until(async () => (await statusOf("1")).run.status !== "running");
  expect((await statusOf("1")).run.status).toBe("done");
  expect(runGit(site.repo, "ls-tree", "--name-only", "HEAD").trim().split("\n")).toEqual([
    "README.md",
    "code.txt",
    "more.txt",
  ]);
});

test("[WK81] a guest performs a run that begins at a commit which is no branch", async () => {
  const { site, env, call, statusOf, startHost } = siteOnServer();
  commitFile(site.repo, "later.txt", "later\n");
  await startHost();
  const workflow = `pawl: 1
id: far
agents: { coder: {} }
steps: [{ id: code, agent: coder, input: "code", labels: [of-two] }]
`;
  const agent = `command: sh ${writeAt(site, "agent.sh", `ls > "${site.path("seen")}"; echo "STATUS: done"\n`)}`;
  const words = [writeAt(site, "far.yml", workflow), "do it", "--base", "HEAD~1", "--executor", agent];
  expectCode(await call("run", ...words, "--detach"), 0);
  await startGuest({ site, env, name: "two" });
  await until(async () => (await statusOf("1")).run.status !== "running");
  expect((await statusOf("1")).run.status).toBe("done");
  expect(readFileSync(site.path("seen"), "utf8")).toBe("README.md\n");
});
