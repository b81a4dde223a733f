// The record of the service: one for a home, whoever was killed before.

import { spawnSync } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../test/support/repository.ts";
import { hostName } from "./home.ts";
import { ownIdentity, processIdentity } from "./process/identity.ts";
import {
  checksumsOf,
  claimHome,
  differing,
  leaveHome,
  readRecord,
  readService,
  type ServiceRecord,
  updateRecord,
} from "./service-file.ts";

const identity = { host: hostName(), ...ownIdentity() };
const record: ServiceRecord = {
  ...identity,
  version: "1.0.0",
  url: null,
  store: null,
  program: "/pawl",
  supervisor: null,
  variables: { salt: "", sums: {} },
  troubles: {},
};
const parent = { ...record, ...(processIdentity(process.ppid) ?? ownIdentity()) };
const fileIn = () => join(tempDir("pawl-service-"), "service.json");

test("[SV2] of two that claim a home at once one has it, and it is free when that one has left", async () => {
  const file = fileIn();
  const claims = await Promise.all([claimHome(file, record), claimHome(file, parent)]);
  expect(claims.filter((other) => other === null)).toHaveLength(1);
  const winner = claims[0] === null ? record : parent;
  expect(readService(file)?.pid).toBe(winner.pid);
  leaveHome(file, winner === record ? parent : record);
  expect(readService(file)?.pid).toBe(winner.pid);
  leaveHome(file, winner);
  expect(readRecord(file)).toBeNull();
});

test.each([
  ["a process that is gone", { pid: 2 ** 22 - 1 }],
  ["a later process with the same pid", { pid: process.ppid, startedAt: "another-boot/1" }],
])("[SV2] a record of %s does not count", async (_, other) => {
  const file = fileIn();
  writeFileSync(file, JSON.stringify({ ...record, ...other }));
  expect(readService(file)).toBeNull();
  expect(await claimHome(file, record)).toBeNull();
});

test("[SV2] what is not a record is replaced; one of another machine stays, for only that machine can tell", async () => {
  for (const text of ["", "{", "[]", "7", '{"pid":"x"}']) {
    const file = fileIn();
    writeFileSync(file, text);
    expect(await claimHome(file, record)).toBeNull();
  }
  const file = fileIn();
  writeFileSync(file, JSON.stringify({ ...record, pid: 1, startedAt: "x/1", host: "elsewhere.test" }));
  expect((await claimHome(file, record))?.host).toBe("elsewhere.test");
});

test("[SV2] a service that another one displaced is told so, and a deleted record comes back", async () => {
  const file = fileIn();
  expect(await updateRecord(file, record)).toBe(true);
  expect(readService(file)?.pid).toBe(record.pid);
  writeFileSync(file, JSON.stringify(parent));
  expect(await updateRecord(file, record)).toBe(false);
});

test("[SV3 SV9] checksums tell whether a variable differs, and not its value", () => {
  const sums = checksumsOf({ KEY: "hunter2", PATH: "/bin" });
  expect(JSON.stringify(sums)).not.toContain("hunter2");
  const names = ["KEY", "PATH", "NONE"];
  expect(differing(sums, { KEY: "hunter2", PATH: "/bin" }, names)).toEqual([]);
  expect(differing(sums, { KEY: "hunter3", NONE: "x" }, names)).toEqual(names);
});

test("[SV6] where nothing can be written a service leaves its home all the same, and a lock that cannot be taken leaves no file", () => {
  const file = fileIn();
  writeFileSync(file, JSON.stringify(record));
  const module = new URL("./service-file.ts", import.meta.url).href;
  const [place, own] = [JSON.stringify(file), JSON.stringify(record)];
  const script = `import { leaveHome, updateRecord } from ${JSON.stringify(module)};
    await updateRecord(${place}, ${own}).catch((error) => console.log(error.code));
    leaveHome(${place}, ${own});`;
  // As on a full disk: a file can be made, and gets no content.
  const limited = ["-c", 'ulimit -f 0; exec "$0" --input-type=module -e "$1"', process.execPath, script];
  const { stdout } = spawnSync("sh", limited, { encoding: "utf8" });
  expect(stdout).toBe("EFBIG\n");
  expect(readdirSync(dirname(file))).toEqual([]);
});
