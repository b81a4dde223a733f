import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { identityOf, isAlive, ownIdentity, processIdentity } from "./identity.ts";
import { hasProc, readPsRow, readPsTable, readRow, readTable } from "./table.ts";

test("[PS10] we know ourselves, and are alive", () => {
  expect(ownIdentity()).toEqual(processIdentity(process.pid));
  expect(isAlive(ownIdentity())).toBe(true);
});

test("[PS10] an ended process is not alive, and neither is a later one with its pid", async () => {
  const child = spawn("sleep", ["300"]);
  const identity = processIdentity(child.pid ?? 0);
  if (identity === null) throw new Error("the process did not start");
  expect(isAlive(identity)).toBe(true);
  expect(isAlive({ ...identity, startedAt: `${identity.startedAt}1` })).toBe(false);

  child.kill("SIGKILL");
  await once(child, "exit");
  expect(isAlive(identity)).toBe(false);
  expect(processIdentity(identity.pid)).toBe(null);
});

test("[PS10] a process of an earlier boot is not alive, whatever its pid and start time", () => {
  const { pid, startedAt } = ownIdentity();
  expect(isAlive({ pid, startedAt: startedAt.replace(/^[^/]+/, "another-boot") })).toBe(false);
});

test.skipIf(!hasProc)("[PS10] an identity names the boot of the machine", () => {
  expect(ownIdentity().startedAt).toContain(readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());
});

test("[PS10] a process that ended but was not collected by its parent is not alive", async () => {
  const parent = spawn("/usr/bin/perl", ["-e", "$| = 1; my $pid = fork; exit unless $pid; print $pid; sleep 300"]);
  const [line] = (await once(parent.stdout, "data")) as [Buffer];
  const pid = Number(line.toString());
  await expect.poll(() => readRow(pid)?.zombie).toBe(true);
  expect(processIdentity(pid)).toBe(null);
  parent.kill("SIGKILL");
});

test("[PS10] a pid that cannot be is nobody", () => {
  for (const pid of [0, -1, 1.5, Number.NaN, 2 ** 40]) expect(processIdentity(pid)).toBe(null);
});

test("[PS10] `ps`, which is asked where there is no /proc, tells the same", async () => {
  const child = spawn("sleep", ["300"], { detached: true });
  const row = readPsRow(child.pid ?? 0);
  expect(row).toMatchObject({ pid: child.pid, parent: process.pid, group: child.pid, zombie: false });
  expect(Math.abs((row?.startedAt ?? 0) - Date.now())).toBeLessThan(60_000);
  expect(await readPsTable()).toContainEqual(expect.objectContaining({ pid: child.pid, parent: process.pid }));
  expect((await readTable()).map(identityOf)).toContainEqual(processIdentity(child.pid ?? 0));
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(readPsRow(child.pid ?? 0)).toBe(null);
});
