// What guests print, on its way to the host.

import { sql } from "kysely";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { startGuest } from "../support/machines.ts";
import { expectCode, newSite, pawl, type StatusDocument, startPawl, writeAt } from "../support/pawl.ts";
import { onPostgres, postgresAddress, queryAt } from "../support/postgres.ts";
import { until } from "../support/until.ts";

onPostgres();

/** A guest has performed a step, and no process of the host has received its log. The run goes on to a step that nothing performs. */
async function logsOnTheirWay() {
  const site = newSite();
  const env = { PAWL_STORE: postgresAddress() };
  const call = async (...words: readonly string[]) => await pawl(words, { home: site.home, cwd: site.repo, env });
  const startHost = () => {
    const running = startPawl(["worker", "--json"], { home: site.home, cwd: site.repo, env });
    onTestFinished(async () => {
      running.child.kill("SIGKILL");
      await running.ended;
    });
    return running;
  };
  const workflow = `pawl: 1
id: far
agents: { coder: {} }
steps:
  - { id: code, agent: coder, input: "code", labels: [of-two] }
  - { id: more, agent: coder, input: "more", labels: [of-nobody] }
`;
  const agent = writeAt(site, "agent.sh", 'echo "one line"; echo "another line"; echo "STATUS: done"\n');
  const words = [writeAt(site, "far.yml", workflow), "do it", "--executor", `command: sh ${agent}`, "--detach"];
  expectCode(await call("run", ...words), 0);
  await startGuest({ site, env, name: "two" });
  const statusOf = async () => JSON.parse((await call("status", "1", "--json")).stdout) as StatusDocument;
  await until(async () => (await statusOf()).steps[0]?.status === "done");
  const count = async () =>
    await queryAt(env.PAWL_STORE, async (db) => (await sql`select from log_parts`.execute(db)).rows.length);
  expect(await count()).toBeGreaterThan(0);
  const lines = async () =>
    (await call("logs", "1", "--raw")).stdout.split("\n").filter((line) => line.endsWith(" line"));
  return { site, env, call, startHost, statusOf, count, lines };
}

/** Until it is let go, nothing can be dropped from the logs on their way. */
async function holdLogs(address: string) {
  const url = new URL(address);
  const schema = url.searchParams.get("schema") ?? "";
  url.searchParams.delete("schema");
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  let isHeld = true;
  const letGo = async () => {
    if (isHeld) await client.end();
    isHeld = false;
  };
  onTestFinished(letGo);
  const table = `"${schema}".log_parts`;
  await client.query(`begin; lock table ${table} in share row exclusive mode`);
  /** The connections of processes that wait to drop what they have received. */
  const waiting = async () => {
    const found = await client.query(`select pid from pg_locks where relation = '${table}'::regclass and not granted`);
    return found.rows.map(({ pid }: { readonly pid: number }) => pid);
  };
  return { waiting, letGo };
}

test("[WK82] a process that dies when it has written down what a guest has printed: the next one writes no line twice", async () => {
  const { env, startHost, count, lines } = await logsOnTheirWay();
  const held = await holdLogs(env.PAWL_STORE);
  const first = startHost();
  await until(async () => (await held.waiting()).length > 0);
  expect(await lines()).toEqual(["one line", "another line"]);
  first.child.kill("SIGKILL");
  await first.ended;
  const before = await held.waiting();
  startHost();
  await until(async () => (await held.waiting()).some((pid) => !before.includes(pid)));
  await held.letGo();
  await until(async () => (await count()) === 0);
  expect(await lines()).toEqual(["one line", "another line"]);
});
