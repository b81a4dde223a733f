// The stop ladder. Owns: ending a running program with all processes that it started: first by a request, then by force.

import { setTimeout as pause } from "node:timers/promises";
import { type ProcessIdentity, startOf } from "./identity.ts";
import { descendantsOf, killStrays, type Marker, type Sweep } from "./strays.ts";
import { readTable } from "./table.ts";

/** Lists the processes of the program, sends SIGTERM to its group, waits, and sends SIGKILL to all of them. */
export async function stopProgram(leader: ProcessIdentity, marker: Marker, graceMs: number): Promise<Sweep> {
  const known = await descendantsOf(leader.pid);
  // Not SIGINT: some agents then exit with code 0, as if the work were done.
  signalGroup(leader, "SIGTERM");
  if (!(await groupEnds(leader, graceMs))) signalGroup(leader, "SIGKILL");
  return killStrays({ leader, marker, known });
}

/** False when there is no such group any more. */
function signalGroup(leader: ProcessIdentity, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-leader.pid, signal);
  } catch {
    return false;
  }
}

/** Waits for the whole group: the leader may be a wrapper, and the agent below it may still be writing its last output. */
async function groupEnds(leader: ProcessIdentity, graceMs: number): Promise<boolean> {
  const until = performance.now() + graceMs;
  for (let waitMs = 5; signalGroup(leader, 0); waitMs = Math.min(waitMs * 2, 50)) {
    if (await onlyZombiesIn(leader)) return true;
    const leftMs = until - performance.now();
    if (!(leftMs > 0)) return false;
    await pause(Math.min(waitMs, leftMs));
  }
  return true;
}

/** Zombies do not count: a signal reaches them too, and where no parent collects them the whole grace period would be lost. */
async function onlyZombiesIn(leader: ProcessIdentity): Promise<boolean> {
  const mates = (await readTable(startOf(leader))).filter((row) => row.group === leader.pid);
  return mates.length > 0 && mates.every((row) => row.zombie);
}
