// Logs and diffs of guests: what the host has of them, and what stays where they were made.

import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startGuest } from "../support/machines.ts";
import { expectCode, newSite, pawl, type StatusDocument, startPawl, writeAt } from "../support/pawl.ts";
import { onPostgres, postgresAddress } from "../support/postgres.ts";
import { until } from "../support/until.ts";

onPostgres();

/** A run whose only step is performed by a guest. Its first attempt writes a file of so many bytes, and waits for `go`. */
async function runOnGuest(bytes: number) {
  const site = newSite();
  const env = { PAWL_STORE: postgresAddress() };
  const call = async (...words: readonly string[]) => await pawl(words, { home: site.home, cwd: site.repo, env });
  const run = async () => (JSON.parse((await call("status", "1", "--json")).stdout) as StatusDocument).run;
  expectCode(await call("runs"), 0);
  const host = startPawl(["worker", "--json"], { home: site.home, cwd: site.repo, env });
  onTestFinished(async () => {
    host.child.kill("SIGKILL");
    await host.ended;
  });
  const workflow = `pawl: 1
id: far
agents: { coder: {} }
steps: [{ id: code, agent: coder, input: "code", labels: [of-two] }]
`;
  const agent = `echo "begun here"
base64 /dev/urandom | head -c ${bytes} > large.txt; echo written >> "${site.path("written")}"
until [ -e "${site.path("go")}" ]; do sleep 0.05; done
echo "STATUS: done"
`;
  const words = [
    writeAt(site, "far.yml", workflow),
    "do it",
    "--executor",
    `command: sh ${writeAt(site, "a.sh", agent)}`,
  ];
  expectCode(await call("run", ...words, "--detach"), 0);
  const written = () =>
    existsSync(site.path("written")) ? statSync(site.path("written")).size / "written\n".length : 0;
  const guest = async () => await startGuest({ site, env, name: "two" });
  const go = () => writeFileSync(site.path("go"), "");
  return { site, call, run, guest, written, go };
}

/** A guest that was drained has tidied up. */
async function drained(guest: Awaited<ReturnType<typeof startGuest>>): Promise<void> {
  process.kill(guest.pid, "SIGUSR2");
  expectCode(await guest.ended, 0);
}

const filesIn = (folder: string) => (existsSync(folder) ? readdirSync(folder, { recursive: true }) : []);

test("[WK86] a run is cancelled: the diff of what a guest had begun comes to the host, and the guest keeps neither diff nor log", async () => {
  const { site, call, run, guest, written } = await runOnGuest(1000);
  const two = await guest();
  await until(() => written() === 1);
  expectCode(await call("cancel", "1"), 0);
  const { id } = await run();
  const file = join(site.home, "salvage", id, "run-code-1.diff");
  await until(() => existsSync(file));
  expect(readFileSync(file, "utf8")).toContain("+++ b/large.txt");
  await until(async () => (await call("logs", "1")).stdout.includes("begun here"));
  await drained(two);
  for (const folder of ["salvage", "logs", "worktrees"]) expect(filesIn(join(two.home, folder))).toEqual([]);
});

test("[WK87] a diff of more than 2 MB stays on its guest: `pawl logs` says where, and it goes when the run is cleaned", async () => {
  const { call, run, guest, written, go } = await runOnGuest(3_000_000);
  const first = await guest();
  await until(() => written() === 1);
  first.child.kill("SIGTERM");
  await first.ended;
  const second = await guest();
  await until(() => written() === 2);
  go();
  await until(async () => (await run()).status === "done");
  const file = join(second.home, "salvage", (await run()).id, "run-code-1.diff");
  const said = new RegExp(`the diff of its work has \\d+ bytes and was not sent: it is on \\S+ in ${file}`);
  await until(async () => said.test((await call("logs", "1")).stdout));
  await drained(second);
  expect(existsSync(file)).toBe(true);
  expectCode(await call("clean", "--older", "0m"), 0);
  await drained(await guest());
  for (const folder of ["salvage", "logs", "worktrees"]) expect(filesIn(join(second.home, folder))).toEqual([]);
});
