// An agent on another machine that reports by `pawl step complete`: it reaches the guest that started it, and no store.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { startGuest } from "../support/machines.ts";
import { expectCode, newSite, pawl, type StatusDocument, startPawl, writeAt } from "../support/pawl.ts";
import { onPostgres, postgresAddress } from "../support/postgres.ts";
import { runGit } from "../support/repository.ts";
import { until } from "../support/until.ts";

onPostgres();

const program = `'${process.execPath}' '${fileURLToPath(new URL("../../bin/pawl", import.meta.url))}'`;

test("[PF15 WK41 WK55] what the agent of a guest hands in counts, and its work is handed over, without an address of the store in its environment", async () => {
  const site = newSite();
  const env = { PAWL_STORE: postgresAddress() };
  const call = async (...words: readonly string[]) => await pawl(words, { home: site.home, cwd: site.repo, env });
  const statusOf = async () => JSON.parse((await call("status", "1", "--json")).stdout) as StatusDocument;
  expectCode(await call("runs"), 0);
  const host = startPawl(["worker"], { home: site.home, cwd: site.repo, env });
  onTestFinished(async () => {
    host.child.kill("SIGKILL");
    await host.ended;
  });
  const guest = await startGuest({ site, env, name: "two" });
  const workflow = `pawl: 1
id: far
agents: { worker: {} }
steps:
  - { id: one, agent: worker, input: "x", labels: [of-two] }
  - { id: two, agent: worker, input: "{{changes}}", labels: [of-two] }
`;
  const agent = `cat > ${site.path("prompt")}-$PAWL_STEP; env | grep PAWL_ > ${site.path("env")}; pwd >> ${site.path("where")}
echo $PAWL_STEP > $PAWL_STEP.txt
echo "CHANGES: by hand
STATUS: done" | ${program} step complete $PAWL_ATTEMPT_ID >> ${site.path("answers")}
`;
  const words = [
    writeAt(site, "far.yml", workflow),
    "do it",
    "--executor",
    `command: sh ${writeAt(site, "a.sh", agent)}`,
  ];
  expectCode(await call("run", ...words, "--detach"), 0);
  await until(async () => (await statusOf()).run.status !== "running");
  const read = (name: string) => readFileSync(site.path(name), "utf8");
  expect([(await statusOf()).run.status, read("answers").match(/"accepted":true/g)?.length]).toEqual(["done", 2]);
  for (const place of read("where").trim().split("\n")) expect(place).toContain(`${guest.home}/`);
  expect(read("env")).not.toMatch(/PAWL_(?:HOME|STORE)=|postgres:/);
  expect(read("prompt-two")).toContain("by hand");
  expect(runGit(site.repo, "ls-tree", "--name-only", "pawl/1-do-it").trim().split("\n")).toEqual([
    "README.md",
    "one.txt",
    "two.txt",
  ]);
  expect((await call("logs", "1", "one")).stdout).toContain("CHANGES: by hand");
});
