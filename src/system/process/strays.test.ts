import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { callOf, freshFile, identityIn, inOwnSession } from "../../../test/support/programs.ts";
import { isAlive, type ProcessIdentity, processIdentity, startOf } from "./identity.ts";
import { descendantsOf, findMarked, killStrays } from "./strays.ts";
import { supervise } from "./supervise.ts";
import { hasProc, readTable } from "./table.ts";

const children: ReturnType<typeof spawn>[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

function start(script: string, env: Record<string, string> = {}): ProcessIdentity {
  const child = spawn("/bin/sh", ["-c", script], {
    detached: true,
    stdio: "ignore",
    env: { PATH: process.env["PATH"], ...env },
  });
  children.push(child);
  const identity = processIdentity(child.pid ?? 0);
  if (identity === null) throw new Error("the process did not start");
  return identity;
}

test.skipIf(!hasProc)(
  "[PS5] what an earlier run of ours left behind is found by its marker, with its value",
  async () => {
    const name = `PAWL_${randomUUID().replaceAll("-", "")}`;
    const one = start("exec sleep 300", { [name]: "one" });
    const two = start("exec sleep 300", { [name]: "two", [`${name}_OTHER`]: "one" });
    start("exec sleep 300", { [`X${name}`]: "one" });
    const byPid = (a: ProcessIdentity, b: ProcessIdentity) => a.pid - b.pid;
    expect((await findMarked(name)).toSorted(byPid)).toEqual(
      [
        { ...one, value: "one" },
        { ...two, value: "two" },
      ].toSorted(byPid),
    );
    expect(await findMarked(name, "one")).toEqual([{ ...one, value: "one" }]);
    expect(await findMarked(name, "on")).toEqual([]);

    expect(await killStrays({ marker: { name, value: "one" } })).toEqual({ killed: 1, left: 0 });
    expect(isAlive(one)).toBe(false);
    expect(isAlive(two)).toBe(true);
  },
);

test.skipIf(!hasProc)(
  "[PS17] a program and what it started are among the newest processes; threads are not",
  async () => {
    const pidFile = freshFile("pid");
    const before = threads();
    const root = start(`${inOwnSession(pidFile, "exec sleep 300")} wait`);
    const worker = new Worker("setInterval(() => undefined, 1000)", { eval: true });
    onTestFinished(() => void worker.terminate());
    await once(worker, "online");
    const newest = await readTable(startOf(root), () => undefined, root.pid);
    const fresh = threads().filter((id) => !before.includes(id) && id > root.pid);
    expect(fresh.length).toBeGreaterThan(0);
    const pids = newest.map(({ pid }) => pid);
    expect(pids).toContain(root.pid);
    expect(pids.filter((pid) => fresh.includes(pid))).toEqual([]);
    const stray = await identityIn(pidFile);
    expect((await readTable(startOf(root), () => undefined, root.pid)).map(({ pid }) => pid)).toContain(stray.pid);
    expect(await killStrays({ leader: root, known: [stray] })).toMatchObject({ left: 0 });
  },
);

const threads = () => readdirSync("/proc/self/task").map(Number);

test("[PS5] descendants are found through all generations", async () => {
  const pidFile = freshFile("pid");
  const root = start(`(${inOwnSession(pidFile, "exec sleep 300")} wait) & wait`);
  const grandchild = await identityIn(pidFile);
  const found = await descendantsOf(root.pid);
  expect(found).toContainEqual(grandchild);
  expect(found).not.toContainEqual(root);
  expect(await killStrays({ leader: root, known: found })).toMatchObject({ left: 0 });
  expect([root, ...found].filter(isAlive)).toEqual([]);
});

test.skipIf(!hasProc)("[PS5] [PS10] what older sweeps have seen hides no process that started since", async () => {
  const leader = start("exec sleep 300");
  const since = startOf(leader);
  const seen = async () => (await readTable(since)).map(({ pid }) => pid);
  expect(await seen()).toContain(leader.pid);
  expect(await seen()).not.toContain(process.pid);
  const later = start("exec sleep 300");
  expect(await seen()).toEqual(expect.arrayContaining([leader.pid, later.pid]));
  expect((await readTable(startOf(later) + 1)).map(({ pid }) => pid)).not.toContain(leader.pid);
  expect(await seen()).toEqual(expect.arrayContaining([leader.pid, later.pid]));
  expect((await readTable()).map(({ pid }) => pid)).toContain(process.pid);
});

test.skipIf(!hasProc)("[PS5] the child of a stray is killed although it carries no marker", async () => {
  const pidFile = freshFile("pid");
  const marker = { name: "PAWL_TEST", value: randomUUID() };
  const parent = start(`${inOwnSession(pidFile, "exec sleep 300", "env -i")} wait`, { [marker.name]: marker.value });
  const child = await identityIn(pidFile);
  expect(await killStrays({ marker })).toMatchObject({ left: 0 });
  expect([parent, child].filter(isAlive)).toEqual([]);
});

test.skipIf(!hasProc)("[PS5] processes that keep starting others are killed to the last one", async () => {
  const marker = { name: "PAWL_TEST", value: randomUUID() };
  const ready = freshFile("pid");
  start(`hop() { ( sleep 0.005; hop ) & }; hop; hop; hop; echo $$ > ${ready}; exec sleep 300`, {
    [marker.name]: marker.value,
  });
  await identityIn(ready);
  expect((await killStrays({ marker }, 10_000)).left).toBe(0);
  expect(await findMarked(marker.name, marker.value)).toEqual([]);
});

test("[PS10] a process that only has the pid of a stray is left alone", async () => {
  const bystander = start("exec sleep 300");
  const stray = { pid: bystander.pid, startedAt: `${bystander.startedAt}1` };
  expect(await killStrays({ known: [stray] })).toEqual({ killed: 0, left: 0 });
  const endedLeader = { pid: bystander.pid, startedAt: bystander.startedAt.replace(/\d+$/, "1") };
  expect(await killStrays({ leader: endedLeader })).toEqual({ killed: 0, left: 0 });
  expect(isAlive(bystander)).toBe(true);
});

test.skipIf(!hasProc)("[PS5] whoever sweeps does not kill itself when it carries the marker too", async () => {
  const module = fileURLToPath(import.meta.resolve("./strays.ts"));
  const sweep = `const { killStrays } = await import(${JSON.stringify(module)});
    const marker = { name: "PAWL_TEST", value: process.env.PAWL_TEST };
    console.log(JSON.stringify(await killStrays({ marker })));`;
  const end = await supervise(callOf([process.execPath, "--input-type=module", "-e", sweep])).ended;
  expect(end).toMatchObject({ kind: "exited", code: 0, stdout: '{"killed":0,"left":0}\n' });
});
