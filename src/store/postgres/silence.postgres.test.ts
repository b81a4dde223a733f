// Connections on which nothing comes any more.

import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { expect, test } from "vitest";
import { onPostgres, openEmptyStore } from "../../../test/support/postgres.ts";

onPostgres();

/** In how many seconds the system asks the other side of each connection of this process with this port; null: it never does. */
function askingTimes(port: number): readonly (number | null)[] {
  const own = new Set(
    readdirSync("/proc/self/fd").flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/self/fd/${fd}`))?.[1] ?? [];
      } catch {
        return [];
      }
    }),
  );
  const rows = readFileSync("/proc/self/net/tcp", "utf8")
    .split("\n")
    .map((line) => line.trim().split(/\s+/));
  return rows.flatMap(([, , remote = "", , , timer = "", , , , inode = ""]) => {
    if (!own.has(inode) || Number.parseInt(remote.split(":")[1] ?? "", 16) !== port) return [];
    const [kind, jiffies = "0"] = timer.split(":");
    // What was just sent is sent again until it is acknowledged.
    if (kind === "01") return [];
    return [kind === "02" ? Number.parseInt(jiffies, 16) / 100 : null];
  });
}

test.runIf(process.platform === "linux")(
  "[SO113] a server that was replaced while its answer was on the way is asked for soon, and not in two hours",
  async () => {
    const { address, store } = await openEmptyStore();
    await store.runCounts();
    const times = askingTimes(Number(new URL(address).port));
    expect(times).not.toEqual([]);
    for (const seconds of times) expect(seconds).toBeLessThanOrEqual(10);
  },
);
