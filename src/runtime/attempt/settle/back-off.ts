// How long a step waits before its next attempt: after a refusal that concerns one attempt alone, and after a crash. Both waits grow with
// each one in a row, so a broken agent is not started over and over.

import { type Attempt, hasEnded, type Outcome } from "../../../domain/attempt.ts";
import type { Report } from "../../../domain/report.ts";
import { scopeOf } from "../../../domain/run.ts";
import type { Claim } from "../claim/claim.ts";

const firstBackoffMs = 15_000;
const shortestBackoffMs = 1_000;
const longestWaitMs = 5 * 60_000;

/**
 * The back-off after a limit: the first time until the limit says, if it says so, and longer each time. `chance` is between 0 and 1,
 * so that agents which hit a limit together do not all come back together.
 */
export function withBackoff(report: Report, claim: Claim, now: number, chance: number): Report {
  if (report.outcome !== "rate_limited") return report;
  const times = inARow(claim, (outcome) => outcome === "rate_limited");
  const isKnown = report.retryAt !== null && times === 0;
  const waitMs = isKnown ? shortestBackoffMs : Math.min(longestWaitMs, firstBackoffMs * 2 ** Math.min(times, 10));
  return { ...report, retryAt: Math.max(report.retryAt ?? 0, now + Math.round(waitMs * (1 + chance / 4))) };
}

const firstPauseMs = 500;

/** The pause after a crash: 0.5 s, three times as long each time. Five starts in a row take more than 15 s. */
export function withPause(report: Report, claim: Claim, now: number, chance: number): Report {
  // An agent that pulls decides itself when it asks for work again.
  if (claim.attempt.driver === "pull" || !isCrash(report)) return report;
  const times = inARow(claim, (outcome) => outcome === "failed" || outcome === "lost");
  const waitMs = Math.min(longestWaitMs, firstPauseMs * 3 ** Math.min(times, 10));
  return { ...report, retryAt: now + Math.round(waitMs * (1 + chance / 4)) };
}

function isCrash(report: Report): report is Extract<Report, { readonly retryAt: number | null }> {
  if (report.outcome !== "failed" && report.outcome !== "lost") return false;
  return report.asks === undefined && report.asked === undefined;
}

/** How many attempts of the step directly before this one ended so, since its limits were last renewed. */
function inARow({ run, attempt }: Claim, counts: (outcome: Outcome) => boolean): number {
  const scope = scopeOf(run, attempt.story);
  const from = Math.max(scope?.countsFrom["*"] ?? 0, scope?.countsFrom[attempt.name] ?? 0);
  const isEarlier = ({ step, part, id }: Attempt, index: number) =>
    step === attempt.step && part === attempt.part && id !== attempt.id && index >= from;
  const earlier = (scope?.attempts ?? []).filter(isEarlier);
  return earlier.length - 1 - earlier.findLastIndex((each) => hasEnded(each) && !counts(each.state.outcome));
}
