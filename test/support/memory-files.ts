// Where tests put their temporary files: in memory, if the machine has room there. They write databases and repositories by the thousand,
// and every commit of either waits for the disk.

import { accessSync, constants, readFileSync, statfsSync } from "node:fs";

const dir = "/dev/shm";
/** A whole run has far less at any moment, but a test that fails keeps what it made. */
const neededBytes = 2 * 1024 ** 3;

/** Null: the files go where the machine has them, as do those of people who have chosen a place. */
export function memoryForFiles(): string | null {
  if (process.env["TMPDIR"]) return null;
  try {
    accessSync(dir, constants.W_OK);
    const { bavail, bsize } = statfsSync(dir);
    return bavail * bsize >= neededBytes && runsPrograms() ? dir : null;
  } catch {
    return null;
  }
}

/** The agents of tests are programs among those files; many containers let none run there. */
function runsPrograms(): boolean {
  const mount = readFileSync("/proc/mounts", "utf8")
    .split("\n")
    .map((line) => line.split(" "))
    .findLast(([, at]) => at === dir);
  return mount !== undefined && !(mount[3] ?? "noexec").split(",").includes("noexec");
}
