// Agents that are turned away. Owns: what it means for everybody: until when nobody asks that account, and who goes on instead. Does
// not own: waiting out a limit that concerns one attempt alone (results.ts).

import type { Report } from "../domain/report.ts";
import type { ExecutionEnd } from "../executors/executor.ts";
import type { Hold } from "../store/store.ts";
import { choose } from "./accounts.ts";
import type { Claim } from "./claim.ts";
import type { Parts } from "./parts.ts";

/** A used-up account that does not say until when. */
const firstHoldMs = 15 * 60_000;
const longestHoldMs = 2 * 60 * 60_000;
/** Whoever is not logged in is asked again later; until then others are asked first. */
const authHoldMs = 15 * 60_000;
/** Those who wait for one account do not all come back in the same second. */
const spreadMs = 20_000;

/** The report of an attempt that was turned away, with what follows for the account written down. */
export async function afterEnd(parts: Parts, claim: Claim, end: ExecutionEnd, report: Report): Promise<Report> {
  const { attempt, run, definition } = claim;
  const account = parts.executors.accountOf(attempt.executor);
  const cause = causeOf(end);
  if (cause === null) {
    if (end.outcome === "ran" && claim.hold !== null) await parts.store.transaction((tx) => tx.release(account));
    return report;
  }
  if (end.outcome === "ran" || definition.kind !== "agent") return report;
  const now = parts.clock.now();
  const until = untilOf(cause, end, claim.hold, now);
  const why = shortly(parts.secrets.redact(end.why));
  const holds = await parts.store.transaction(async (tx) => {
    await tx.hold({ account, cause, since: now, until, why });
    return await tx.holds();
  });
  // It was turned away after it had reported: that stands.
  if (report.outcome === "completed" || report.asked !== undefined) return report;
  const others = parts.executors
    .namesFor(run.header, definition.agent)
    .filter((name) => parts.executors.accountOf(name) !== account && name !== "pull");
  const next = choose(parts.executors, others, holds, now);
  if (next.kind === "chosen" && (next.hold === null || next.hold.until <= now)) {
    return {
      ...turnedAway(report, `${why}; ${next.name} goes on`, now),
      notes: [...report.notes, `${attempt.executor} was turned away (${cause}): ${next.name} goes on`],
    };
  }
  if (cause === "auth") return report;
  const soonest = next.kind === "held" ? Math.min(until, next.until) : until;
  return turnedAway(report, end.why, soonest + Math.round(Math.random() * spreadMs));
}

function causeOf(end: ExecutionEnd): Hold["cause"] | null {
  if (end.outcome === "rate_limited" && end.kind === "quota") return "quota";
  return end.outcome === "blocked" && end.kind === "auth" ? "auth" : null;
}

function untilOf(cause: Hold["cause"], end: ExecutionEnd, before: Hold | null, now: number): number {
  if (cause === "auth") return now + authHoldMs;
  if (end.outcome === "rate_limited" && end.retryAt !== null) return Math.max(now, end.retryAt);
  return now + Math.min(longestHoldMs, firstHoldMs * 2 ** Math.min(before?.times ?? 0, 10));
}

/** Nobody's fault: it counts for no limit. */
function turnedAway(report: Report, why: string, retryAt: number): Report {
  const { usage, session, model, version, tree, notes } = report;
  return {
    outcome: "rate_limited",
    why,
    retryAt,
    notes,
    usage,
    session,
    tree,
    ...(model === undefined ? {} : { model }),
    ...(version === undefined ? {} : { version }),
  };
}

function shortly(why: string): string {
  const line = why.replace(/\s+/g, " ").trim();
  return line.length > 300 ? `${line.slice(0, 299)}…` : line;
}
