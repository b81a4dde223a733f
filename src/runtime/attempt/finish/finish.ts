// Finishes an attempt: the store gets its result, and the files that were kept until then go.

import { nameWithPart } from "../../../domain/attempt.ts";
import type { FinishAttempt } from "../../../domain/command.ts";
import type { Decision } from "../../../domain/decision.ts";
import { errorText } from "../../../domain/error.ts";
import type { Event } from "../../../domain/event.ts";
import { type RunId, type Token, token as tokenOf } from "../../../domain/ids.ts";
import type { Report } from "../../../domain/report.ts";
import type { HandOver } from "../../../store/store.ts";
import type { Parts } from "../../parts.ts";
import type { StopSwitch } from "../../stop-switch.ts";
import { isStoreTrouble } from "../../store-trouble.ts";
import { applyIn, type TransitionPorts } from "../../transition/transition.ts";
import { authorOf, type Claim, type Claimed, type ClaimRequest, claimIn, nothingClaimed } from "../claim/claim.ts";
import { logStep, wordFor } from "../logs.ts";
import { removeRecords } from "../records.ts";
import { withPause } from "../settle/back-off.ts";

export type FinishPorts = TransitionPorts &
  Pick<Parts, "home" | "clock" | "log" | "warn" | "protocols" | "executors" | "machines">;

/** What is stored of an attempt that has ended. */
export interface Result {
  readonly report: Report;
  /** The state of its tree, where other machines find it; null: nothing was handed over. */
  readonly handed: HandOver | null;
}

export interface FinishedBy {
  readonly stop: StopSwitch;
  /** The token with which an agent reports; null: a driver does. */
  readonly token: string | null;
}

/** What a driver wants to claim in the transaction that stores a result, asked when the result is there; null: nothing. */
export type Wants = () => ClaimRequest | null;

export interface Finished {
  readonly decision: Decision;
  /** What was claimed with it. */
  readonly next: Claim | null;
}

export async function finish(
  parts: FinishPorts,
  claim: Claim,
  report: Report,
  by: FinishedBy,
  handed: HandOver | null = null,
): Promise<Decision> {
  return (await finishAndClaim(parts, claim, { report, handed }, by, () => null)).decision;
}

export async function finishAndClaim(
  parts: FinishPorts,
  claim: Claim,
  { report, handed }: Result,
  by: FinishedBy,
  wants: Wants,
): Promise<Finished> {
  const { run, attempt } = claim;
  const paused = withPause(report, claim, parts.clock.now(), Math.random());
  const finished = await store(parts, claim, { report: paused, handed }, by, wants);
  const { decision, next } = finished;
  // A late, repeated or foreign report of an agent must not touch the files of an attempt that may still run.
  if (!decision.accepted && by.token !== null) return finished;
  logStep(parts, claim, wordFor(decision.events, report), { outcome: report.outcome });
  removeRecords(parts, run.header.id, attempt, next?.attempt ?? null);
  if (decision.accepted) await putFilesAway(parts, claim, decision.events);
  return finished;
}

const firstWaitMs = 500;
const longestWaitMs = 15_000;

/** A result must not be lost because the disk is full or the store is locked for a minute: it is tried again. */
async function store(
  parts: FinishPorts,
  claim: Claim,
  { report, handed }: Result,
  by: FinishedBy,
  wants: Wants,
): Promise<Finished> {
  const { run, attempt } = claim;
  const token: Token | null = by.token === null ? null : tokenOf(by.token);
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
    try {
      const command = {
        type: "finish_attempt",
        at: parts.clock.now(),
        author: authorOf(claim),
        story: attempt.story,
        attempt: attempt.id,
        token,
        report,
      } as const;
      return await storeOnce(parts, run.header.id, { command, handed }, wants());
    } catch (error) {
      // A driver that is told to leave does not wait: the next one finds the attempt, and its work is not lost.
      if (!isStoreTrouble(error) || by.stop.reason !== null) throw error;
      parts.warn(`${error.message}; the result of ${nameWithPart(attempt)} waits (${error.hint})`);
      await parts.clock.sleep(waitMs);
    }
  }
}

/**
 * A driver that has nothing else to do claims the next step in the same transaction: the disk writes once, not twice. If that fails,
 * the result is stored alone; the driver then claims as usual, and says what is wrong.
 */
async function storeOnce(
  parts: FinishPorts,
  run: RunId,
  end: AttemptEnd,
  request: ClaimRequest | null,
): Promise<Finished> {
  const stored =
    request &&
    (await storeAndClaim(parts, run, end, request).catch((error: unknown) => {
      parts.log("claim.failed", { run, why: errorText(error) });
      return null;
    }));
  const { decision, claimed } = stored || (await storeAndClaim(parts, run, end, null));
  for (const committed of [{ run, events: decision.events }, ...claimed.commits]) parts.commits.tell(committed);
  return { decision, next: claimed.claim };
}

async function storeAndClaim(
  parts: FinishPorts,
  run: RunId,
  { command, handed }: AttemptEnd,
  request: ClaimRequest | null,
): Promise<{ readonly decision: Decision; readonly claimed: Claimed }> {
  return await parts.store.transaction(async (tx) => {
    const decision = await applyIn(parts, tx, run, command);
    if (!decision.accepted) return { decision, claimed: nothingClaimed };
    if (handed !== null) await parts.machines?.handOver(tx, handed);
    return { decision, claimed: request === null ? nothingClaimed : await claimIn(parts, tx, request) };
  });
}

interface AttemptEnd extends Pick<Result, "handed"> {
  readonly command: FinishAttempt;
}

/** The attempt has ended: a protocol that fails here changes nothing about it. */
async function putFilesAway(
  { protocols, log, warn }: Pick<Parts, "protocols" | "log" | "warn">,
  claim: Claim,
  events: readonly Event[],
): Promise<void> {
  const { header } = claim.run;
  try {
    await protocols.of(header.definition).settled(claim, events);
  } catch (error) {
    log("protocol.failed", { run: header.id, attempt: claim.attempt.id, why: errorText(error) });
    warn(errorText(error));
  }
}
