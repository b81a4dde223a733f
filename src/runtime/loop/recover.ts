// Recovers the attempts of dead workers: their processes are killed, their attempts are `lost`, and their steps run again. A pulled
// attempt whose time is over has timed out.

import type { Lease } from "../../dispatch/dispatch.ts";
import { type Attempt, nameWithPart, noUsage } from "../../domain/attempt.ts";
import { attemptMarker } from "../../executors/executor.ts";
import { isPast } from "../../system/clock.ts";
import { hostName } from "../../system/home.ts";
import { isAlive } from "../../system/process/identity.ts";
import { killStrays } from "../../system/process/strays.ts";
import { letGitEnd } from "../../workspaces/git/running.ts";
import { findBegun } from "../attempt/begin/begin.ts";
import { hasReport, late } from "../attempt/execute/await-report.ts";
import { readBeginRecord, readEnd, removeRecords, type SavedEnd } from "../attempt/records.ts";
import type { Parts } from "../parts.ts";
import { type TransitionPorts, transition } from "../transition/transition.ts";
import { isPulled, lifeOfWorker, noWorker, processOf } from "../worker.ts";
import { type LostUsage, lostUsage } from "./lost-usage.ts";

/** An attempt of a dead worker. */
export interface Recovered {
  readonly lease: Lease;
  readonly attempt: Attempt | null;
  /** `adopted`: its execution had ended, and its result is taken over. `awaited`: another program still works on it. `lost` and `timed_out`: it ended without a result. */
  readonly as: "adopted" | "awaited" | "lost" | "timed_out";
  readonly why: string;
}

type RecoveryPorts = TransitionPorts & Pick<Parts, "clock" | "home" | "log" | "protocols" | "executors" | "settings">;

/** Takes over the result of an execution that had ended, or waits on for another program; false: another driver does, or will. */
type Adopt = (lease: Lease, saved: SavedEnd | null) => Promise<boolean>;

/** What only a driver may do, for its own run. */
export interface DriverRights {
  readonly adopt: Adopt;
  /** Whether an attempt may be taken from a worker that may be alive, and whose lease is over. */
  readonly mayTake: (lease: Lease) => boolean;
}

/**
 * Recovering twice, or in two processes at once, is harmless. A process that does not drive adopts nothing, because a saved result waits
 * for one that does, and takes nothing from a worker that may be alive: it may only be frozen, and renew when it wakes.
 */
export async function recover(parts: RecoveryPorts, rights: DriverRights | null = null): Promise<readonly Recovered[]> {
  const found: Recovered[] = [];
  for (const lease of await parts.dispatch.leases({ endedBefore: null })) {
    if (isPulled(lease)) {
      if (isPast(parts.clock, lease.until)) found.push(await timeOut(parts, lease, unreported));
      continue;
    }
    const why = deathOf(parts, lease, rights);
    if (why === null) continue;
    const worker = processOf(lease.worker);
    if (worker !== null) {
      await killStrays({ marker: { name: attemptMarker, value: lease.attempt } });
      if (!isAlive(worker)) await letGitEnd(worker);
    }
    const attempt = (await parts.store.attempt(lease.attempt))?.attempt ?? null;
    const saved = attempt?.state.phase === "started" ? readEnd(parts, lease.run, attempt) : null;
    const isAwaited = attempt?.state.phase === "started" && waits(parts, lease, attempt);
    const isGone = worker === null ? lease.worker === noWorker : !isAlive(worker);
    if ((saved !== null || isAwaited) && isGone) {
      const as = saved === null ? "awaited" : "adopted";
      if (rights !== null && (await rights.adopt(lease, saved))) found.push({ lease, attempt, as, why });
      else if (rights === null && saved === null && (await isLate(parts, lease)))
        found.push(await timeOut(parts, lease, late));
      continue;
    }
    const used = attempt === null ? {} : await lostUsage(parts, lease, attempt);
    await reportEnd(parts, lease, "lost", `${why}${leftAway(attempt)}`, used);
    if (attempt !== null) removeRecords(parts, lease.run, attempt, null);
    found.push({ lease, attempt, as: "lost", why });
  }
  return found;
}

/** Where to look for work that no other machine has. */
function leftAway(attempt: Attempt | null): string {
  if (attempt === null || attempt.host === hostName() || attempt.state.phase === "dispatched") return "";
  return `; what it had not handed over is on ${attempt.host} in ${attempt.state.workspace}`;
}

/** Nobody drives it, its time is over, and no report of it is there. One that is there waits for a driver. */
async function isLate(parts: RecoveryPorts, lease: Lease): Promise<boolean> {
  const begun = await findBegun(parts, lease.attempt);
  if (begun === null || begun.waitsUntil === null || !isPast(parts.clock, begun.waitsUntil)) return false;
  return !(await hasReport(parts, begun));
}

/** Another program does the work: it need not know that a driver has died. */
function waits(parts: Pick<Parts, "home">, { run }: Lease, attempt: Attempt): boolean {
  return readBeginRecord(parts, run, attempt).waitsUntil !== null;
}

/** For people: what was taken over, what runs again, and why. */
export function inWords({ lease, attempt, as, why }: Recovered): string {
  const what = `${lease.story ? `${lease.story} ` : ""}${attempt === null ? "an attempt" : nameWithPart(attempt)}`;
  const number = attempt === null ? "" : ` (attempt ${attempt.number})`;
  if (as === "timed_out") return `${what}${number} has timed out: ${why}`;
  if (as === "awaited") return `${what}${number} is still awaited: another program works on it`;
  if (as === "adopted") return `${what}${number} had ended when ${why}: its result is taken over`;
  if (attempt !== null && attempt.host !== hostName())
    return `${what}${number} was running when ${why}: what it had not handed over stays there, and it runs again`;
  const unfinished =
    attempt?.executor === "integrate"
      ? "what it had begun is finished or undone"
      : "what it changed, if anything, is kept as a diff";
  return `${what}${number} was running when ${why}: ${unfinished}, and it runs again`;
}

const unreported = "its time was over, and the agent that had claimed it had not reported";

/** The lease of a pulled attempt is its time limit; it counts like that of an agent that Pawl started. */
async function timeOut(parts: RecoveryPorts, lease: Lease, why: string): Promise<Recovered> {
  const attempt = (await parts.store.attempt(lease.attempt))?.attempt ?? null;
  await reportEnd(parts, lease, "timed_out", why);
  if (attempt !== null) removeRecords(parts, lease.run, attempt, null);
  return { lease, attempt, as: "timed_out", why };
}

function deathOf({ clock }: Pick<Parts, "clock">, lease: Lease, rights: DriverRights | null): string | null {
  if (lifeOfWorker(lease.worker) === "dead") return "the process that drove it died";
  if (lease.worker === noWorker) return "its driver had left it";
  // A worker that is alive and does not renew is frozen; its token is void from here on.
  const isTaken = isPast(clock, lease.until) && rights?.mayTake(lease) === true;
  return isTaken ? "its worker stopped reporting" : null;
}

async function reportEnd(
  parts: RecoveryPorts,
  lease: Lease,
  outcome: "lost" | "timed_out",
  why: string,
  used: Partial<LostUsage> = {},
): Promise<void> {
  const decision = await transition(parts, lease.run, {
    type: "finish_attempt",
    at: parts.clock.now(),
    author: "driver",
    story: lease.story,
    attempt: lease.attempt,
    token: null,
    report: { outcome, why, retryAt: null, notes: [], usage: noUsage, ...used, session: null, tree: null },
  });
  parts.log(`attempt.${outcome}`, { run: lease.run, attempt: lease.attempt, why, accepted: decision.accepted ? 1 : 0 });
}
