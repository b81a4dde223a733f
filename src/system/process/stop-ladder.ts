// The stop ladder. Owns: ending a program that runs: first politely, then for good, with all it started.

import { setTimeout as pause } from "node:timers/promises";
import { type ProcessIdentity, startOf } from "./identity.ts";
import { descendantsOf, killStrays, type Marker, type Sweep } from "./strays.ts";
import { readTable } from "./table.ts";

/** Steps: see who belongs to it; SIGTERM to the group; wait; SIGKILL to the group and to everyone else. */
export async function stopProgram(leader: ProcessIdentity, marker: Marker, graceMs: number): Promise<Sweep> {
  const known = await descendantsOf(leader.pid);
  // Not SIGINT: some agents answer it with exit code 0, as if the work were done.
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

/** Waits for the group, not for the leader: the leader may be a wrapper, and the agent below it still says goodbye. */
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

/** A signal finds zombies too, and where nobody collects them they would cost the whole grace. */
async function onlyZombiesIn(leader: ProcessIdentity): Promise<boolean> {
  const mates = (await readTable(startOf(leader))).filter((row) => row.group === leader.pid);
  return mates.length > 0 && mates.every((row) => row.zombie);
}
