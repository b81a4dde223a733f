// Applies the limits of accounts: an account that refused an agent is held for every run, and another executor takes over if there is
// one. After a limit that concerns one attempt alone, its step backs off.

import type { Report } from "../../../domain/report.ts";
import type { ExecutionEnd } from "../../../executors/executor.ts";
import type { Hold } from "../../../store/store.ts";
import type { Parts } from "../../parts.ts";
import { isStoreTrouble } from "../../store-trouble.ts";
import type { Claim } from "../claim/claim.ts";
import { choose } from "../claim/executor-choice.ts";
import type { Answer } from "../execute/answer.ts";
import { withBackoff } from "./back-off.ts";
import { replaceOutcome } from "./outcomes.ts";

/** How long an account is held that does not say when its quota returns. */
const firstHoldMs = 15 * 60_000;
const longestHoldMs = 2 * 60 * 60_000;
const shortestHoldMs = 60_000;
/** An account that is not logged in is tried again later; until then other accounts are tried first. */
const authHoldMs = 15 * 60_000;
/** The attempts that wait for one account do not all come back in the same second. */
const spreadMs = 20_000;

/** The report as it is after the account's limits, with a hold or a release recorded for the other attempts. */
export async function applyAccountLimits(
  parts: AccountPorts,
  claim: Claim,
  answer: Answer,
  report: Report,
): Promise<Report> {
  if (answer.kind === "performed") return report;
  const refused = await recordLimits(parts, claim, answer.end, report);
  return refused ?? withBackoff(report, claim, parts.clock.now(), Math.random());
}

export type AccountPorts = Pick<Parts, "store" | "executors" | "secrets" | "clock" | "log">;

/** null: the account did not refuse it, or what it reported before stands. */
async function recordLimits(
  parts: AccountPorts,
  claim: Claim,
  end: ExecutionEnd,
  report: Report,
): Promise<Report | null> {
  try {
    const cause = causeOf(end);
    if (cause !== null && end.outcome !== "ran") return await holdAccount(parts, claim, { ...end, cause }, report);
    if (end.outcome === "ran") await releaseAccount(parts, claim);
    return null;
  } catch (error) {
    if (!isStoreTrouble(error)) throw error;
    // The result itself waits for the store; until then other attempts may try that account in vain.
    parts.log("account.not_held", { run: claim.run.header.id, attempt: claim.attempt.id, why: error.message });
    return null;
  }
}

/** The account has let an agent in: the hold that the claim knew is over. */
async function releaseAccount({ store, executors }: AccountPorts, { attempt, hold }: Claim): Promise<void> {
  const account = executors.accountOf(attempt.executor);
  if (hold !== null && account !== null) await store.transaction((tx) => tx.release(account, hold.since));
}

const refusedFor = { quota: "hit its quota", auth: "is not logged in" } as const;

type Refusal = Exclude<ExecutionEnd, { readonly outcome: "ran" }> & { readonly cause: Hold["cause"] };

async function holdAccount(
  parts: AccountPorts,
  { attempt, run, definition }: Claim,
  end: Refusal,
  report: Report,
): Promise<Report | null> {
  const { cause } = end;
  const account = parts.executors.accountOf(attempt.executor);
  if (definition.kind !== "agent" || account === null) return null;
  const now = parts.clock.now();
  const why = shortly(parts.secrets.redact(end.why));
  const holds = await parts.store.transaction(async (tx) => {
    const before = (await tx.holds()).find((known) => known.account === account) ?? null;
    await tx.hold({ account, cause, since: now, until: untilOf(cause, end, before, now), why });
    return await tx.holds();
  });
  // It was refused after it had reported: the report stands.
  if (report.outcome === "completed" || report.asked !== undefined) return null;
  const others = parts.executors
    .namesFor(run.header, definition.agent)
    .filter((name) => parts.executors.accountOf(name) !== account && name !== "pull");
  const next = choose(parts.executors, others, holds, now);
  if (next.kind === "chosen" && (next.hold === null || next.hold.until <= now)) {
    const notes = [...report.notes, `${attempt.executor} ${refusedFor[cause]}; falling back to ${next.name}`];
    return { ...refused(report, `falling back to ${next.name}: ${why}`, now), notes };
  }
  // The next claim sees the hold, and until when: the step itself need not wait.
  return cause === "auth" ? null : refused(report, end.why, now);
}

function causeOf(end: ExecutionEnd): Hold["cause"] | null {
  if (end.outcome === "rate_limited" && end.kind === "quota") return "quota";
  return end.outcome === "blocked" && end.kind === "auth" ? "auth" : null;
}

function untilOf(cause: Hold["cause"], end: ExecutionEnd, before: Hold | null, now: number): number {
  if (cause === "auth") return now + authHoldMs;
  const named = end.outcome === "rate_limited" ? end.retryAt : null;
  // A time that has passed, or almost, cannot be right: the account would be tried again at once, forever.
  if (named !== null && named - now >= shortestHoldMs) return named + Math.round(Math.random() * spreadMs);
  // An earlier refusal named a time, and this one is only a guess.
  if (before !== null && before.until > now) return before.until;
  return now + Math.min(longestHoldMs, firstHoldMs * 2 ** Math.min(before?.times ?? 0, 10));
}

/** It uses up no limit of the step. */
function refused(report: Report, why: string, retryAt: number): Report {
  return replaceOutcome(report, { outcome: "rate_limited", why, retryAt });
}

function shortly(why: string): string {
  const line = why.replace(/\s+/g, " ").trim();
  return line.length > 300 ? `${line.slice(0, 299)}…` : line;
}
