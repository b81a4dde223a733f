// Agents that are turned away. Owns: what it means for everybody: until when nobody asks that account, and who goes on instead. Does
// not own: waiting out a limit that concerns one attempt alone (results.ts).

import type { Report } from "../../../domain/report.ts";
import type { ExecutionEnd } from "../../../executors/executor.ts";
import type { Hold } from "../../../store/store.ts";
import { isStoreTrouble } from "../../loop/store-trouble.ts";
import type { Parts } from "../../parts.ts";
import type { Claim } from "../claim/claim.ts";
import { choose } from "../claim/executor-choice.ts";
import { replaceOutcome } from "./results.ts";

/** A used-up account that does not say until when. */
const firstHoldMs = 15 * 60_000;
const longestHoldMs = 2 * 60 * 60_000;
const shortestHoldMs = 60_000;
/** Whoever is not logged in is asked again later; until then others are asked first. */
const authHoldMs = 15 * 60_000;
/** Those who wait for one account do not all come back in the same second. */
const spreadMs = 20_000;

/** The report of an attempt whose account turned it away, with what follows for the others written down; null: it was not. */
export async function afterEnd(parts: Parts, claim: Claim, end: ExecutionEnd, report: Report): Promise<Report | null> {
  try {
    return await settle(parts, claim, end, report);
  } catch (error) {
    if (!isStoreTrouble(error)) throw error;
    // The result itself waits for the store; that others ask in vain meanwhile is the lesser evil.
    parts.log("account.not_held", { run: claim.run.header.id, attempt: claim.attempt.id, why: error.message });
    return null;
  }
}

async function settle(parts: Parts, claim: Claim, end: ExecutionEnd, report: Report): Promise<Report | null> {
  const { attempt, run, definition, hold } = claim;
  const account = parts.executors.accountOf(attempt.executor);
  const cause = causeOf(end);
  if (cause === null || end.outcome === "ran") {
    if (end.outcome === "ran" && hold !== null && account !== null)
      await parts.store.transaction((tx) => tx.release(account, hold.since));
    return null;
  }
  if (definition.kind !== "agent" || account === null) return null;
  const now = parts.clock.now();
  const why = shortly(parts.secrets.redact(end.why));
  const holds = await parts.store.transaction(async (tx) => {
    const before = (await tx.holds()).find((known) => known.account === account) ?? null;
    await tx.hold({ account, cause, since: now, until: untilOf(cause, end, before, now), why });
    return await tx.holds();
  });
  // It was turned away after it had reported: that stands.
  if (report.outcome === "completed" || report.asked !== undefined) return null;
  const others = parts.executors
    .namesFor(run.header, definition.agent)
    .filter((name) => parts.executors.accountOf(name) !== account && name !== "pull");
  const next = choose(parts.executors, others, holds, now);
  if (next.kind === "chosen" && (next.hold === null || next.hold.until <= now)) {
    const notes = [...report.notes, `${attempt.executor} was turned away (${cause}): ${next.name} goes on`];
    return { ...turnedAway(report, `${next.name} goes on: ${why}`, now), notes };
  }
  // Whoever claims it next sees the hold, and until when: the step itself waits for nothing.
  return cause === "auth" ? null : turnedAway(report, end.why, now);
}

function causeOf(end: ExecutionEnd): Hold["cause"] | null {
  if (end.outcome === "rate_limited" && end.kind === "quota") return "quota";
  return end.outcome === "blocked" && end.kind === "auth" ? "auth" : null;
}

function untilOf(cause: Hold["cause"], end: ExecutionEnd, before: Hold | null, now: number): number {
  if (cause === "auth") return now + authHoldMs;
  const named = end.outcome === "rate_limited" ? end.retryAt : null;
  // A time that is over, or as good as, is no time to believe in: it would be asked again at once, and for ever.
  if (named !== null && named - now >= shortestHoldMs) return named + Math.round(Math.random() * spreadMs);
  // Somebody was told more than a guess.
  if (before !== null && before.until > now) return before.until;
  return now + Math.min(longestHoldMs, firstHoldMs * 2 ** Math.min(before?.times ?? 0, 10));
}

/** Nobody's fault: it counts for no limit. */
function turnedAway(report: Report, why: string, retryAt: number): Report {
  return replaceOutcome(report, { outcome: "rate_limited", why, retryAt });
}

function shortly(why: string): string {
  const line = why.replace(/\s+/g, " ").trim();
  return line.length > 300 ? `${line.slice(0, 299)}…` : line;
}
