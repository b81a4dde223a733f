// Recovery. Owns: finding what ran when somebody died: its processes are ended, its attempt is `lost`, the work goes on.

import type { Lease } from "../../dispatch/dispatch.ts";
import { type Attempt, noUsage } from "../../domain/attempt.ts";
import { type AttemptId, attemptId } from "../../domain/ids.ts";
import { attemptMarker } from "../../executors/executor.ts";
import { isAlive } from "../../system/process/identity.ts";
import { findMarked, killStrays } from "../../system/process/strays.ts";
import { letGitEnd } from "../../workspaces/git/running.ts";
import { type Kept, keptEnd } from "../attempt/execute/kept-end.ts";
import type { Parts } from "../parts.ts";
import { transition } from "../runs/transition.ts";
import { lifeOfWorker, processOf } from "./worker.ts";

/** What was found when somebody had died, and what becomes of it. */
export interface Recovered {
  readonly lease: Lease;
  readonly attempt: Attempt | null;
  /** `adopted`: it had ended already, and its result is taken over. `lost`: it runs again. */
  readonly as: "adopted" | "lost";
  readonly why: string;
}

/** Goes on with an execution that ended while nobody was there; false: somebody else does, or will. */
export type Adopt = (lease: Lease, attempt: Attempt, kept: Kept) => Promise<boolean>;

/**
 * Returns the attempts that were found dead. Doing it twice, or in two processes at once, is harmless. Who does not drive adopts
 * nothing: what has ended waits for somebody who does.
 */
export async function recover(parts: Parts, adopt: Adopt | null = null): Promise<readonly Recovered[]> {
  const found: Recovered[] = [];
  for (const lease of await parts.dispatch.leases({ endedBefore: null })) {
    const why = deathOf(lease, parts.clock.now());
    if (why === null) continue;
    const worker = processOf(lease.worker);
    if (worker !== null) {
      await killStrays({ marker: { name: attemptMarker, value: lease.attempt } });
      if (!isAlive(worker)) await letGitEnd(worker);
    }
    const attempt = (await parts.store.attempt(lease.attempt))?.attempt ?? null;
    const kept = attempt?.state.phase === "started" ? keptEnd(parts, lease.run, attempt) : null;
    if (attempt !== null && kept !== null && worker !== null && !isAlive(worker)) {
      if (adopt !== null && (await adopt(lease, attempt, kept))) found.push({ lease, attempt, as: "adopted", why });
      continue;
    }
    await reportLost(parts, lease, why);
    found.push({ lease, attempt, as: "lost", why });
  }
  return found;
}

/** For people: what was adopted, what runs again, and why. */
export function inWords({ lease, attempt, as, why }: Recovered): string {
  const what = `${lease.story ? `${lease.story} ` : ""}${attempt?.name ?? "an attempt"}`;
  const number = attempt === null ? "" : ` (attempt ${attempt.number})`;
  if (as === "adopted") return `${what}${number} had ended when ${why}: its result is taken over`;
  const unfinished =
    attempt?.executor === "integrate" ? "what it had begun is finished or undone" : "its changes are kept as a diff";
  return `${what}${number} was running when ${why}: ${unfinished}, and it runs again`;
}

/** Attempts whose driver is dead, for somebody who only looks. */
export async function findOrphans(parts: Pick<Parts, "dispatch">): Promise<ReadonlySet<AttemptId>> {
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
