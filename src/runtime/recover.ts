// Recovery. Owns: finding what ran when somebody died: its processes are ended, its attempt is `lost`, the work goes on.

import { setTimeout as pause } from "node:timers/promises";
import type { Lease } from "../dispatch/dispatch.ts";
import { noUsage } from "../domain/attempt.ts";
import { type AttemptId, attemptId } from "../domain/ids.ts";
import { attemptMarker } from "../executors/executor.ts";
import { isAlive, type ProcessIdentity } from "../system/process/identity.ts";
import { findMarked, killStrays } from "../system/process/strays.ts";
import { gitMarker } from "../workspaces/git.ts";
import type { Parts } from "./parts.ts";
import { transition } from "./transition.ts";
import { lifeOfWorker, processOf } from "./worker.ts";

/** Returns how many attempts were found dead. Doing it twice, or in two processes at once, is harmless. */
export async function recover(parts: Parts): Promise<number> {
  let found = 0;
  for (const lease of await parts.dispatch.leases({ endedBefore: null })) {
    const why = deathOf(lease, parts.clock.now());
    if (why === null) continue;
    const worker = processOf(lease.worker);
    if (worker !== null) {
      await killStrays({ marker: { name: attemptMarker, value: lease.attempt } });
      if (!isAlive(worker)) await letGitEnd(worker);
    }
    await reportLost(parts, lease, why);
    found += 1;
  }
  return found;
}

/** Attempts whose driver is dead, for somebody who only looks. */
export async function findOrphans(parts: Parts): Promise<ReadonlySet<AttemptId>> {
  const leases = await parts.dispatch.leases({ endedBefore: null });
  return new Set(leases.filter((lease) => lifeOfWorker(lease.worker) === "dead").map((lease) => lease.attempt));
}

/** Processes of attempts that have ended and were never swept, because the sweeper died first. Costs a look at every process. */
export async function sweepStrays(parts: Parts): Promise<number> {
  let killed = 0;
  const marked = new Set((await findMarked(attemptMarker)).map(({ value }) => value));
  for (const value of marked) {
    // An id that our store does not know belongs to somebody else's Pawl.
    const known = await parts.store.attempt(attemptId(value));
    if (known?.attempt.state.phase !== "ended") continue;
    killed += (await killStrays({ marker: { name: attemptMarker, value } })).killed;
  }
  return killed;
}

/** Longer than any honest command in a tree of ours. */
const gitEndsMs = 60_000;

/**
 * A driver that dies while it prepares a tree leaves a git that goes on, and could clean away what the next agent writes. It
 * is waited for: killed, it would leave locks in the user's repository.
 */
async function letGitEnd(worker: ProcessIdentity): Promise<void> {
  const marker = gitMarker(worker);
  const giveUpAt = performance.now() + gitEndsMs;
  while ((await findMarked(marker.name, marker.value)).length > 0) {
    if (performance.now() > giveUpAt) return void (await killStrays({ marker }));
    await pause(20);
  }
}

function deathOf(lease: Lease, now: number): string | null {
  const life = lifeOfWorker(lease.worker);
  if (life === "dead") return "the process that drove it is gone";
  // A worker that lives and does not renew is frozen; its token is void from here on.
  if (lease.until <= now) return "nobody has reported on it in time";
  return null;
}

async function reportLost(parts: Parts, lease: Lease, why: string): Promise<void> {
  const decision = await transition(parts, lease.run, {
    type: "finish_attempt",
    at: parts.clock.now(),
    author: "driver",
    story: lease.story,
    attempt: lease.attempt,
    token: null,
    report: { outcome: "lost", why, retryAt: null, notes: [], usage: noUsage, session: null, tree: null },
  });
  parts.log("attempt.lost", { run: lease.run, attempt: lease.attempt, why, accepted: decision.accepted ? 1 : 0 });
}
