// Finishes an attempt: the store gets its result, and the files that were kept until then go.

import type { Decision } from "../../../domain/decision.ts";
import { errorText } from "../../../domain/error.ts";
import type { Event } from "../../../domain/event.ts";
import { type Token, token as tokenOf } from "../../../domain/ids.ts";
import type { Report } from "../../../domain/report.ts";
import type { Parts } from "../../parts.ts";
import type { StopSwitch } from "../../stop-switch.ts";
import { isStoreTrouble } from "../../store-trouble.ts";
import { type TransitionPorts, transition } from "../../transition/transition.ts";
import { authorOf, type Claim } from "../claim/claim.ts";
import { logStep, wordFor } from "../logs.ts";
import { removeRecords } from "../records.ts";
import { withPause } from "../settle/back-off.ts";

export type FinishPorts = TransitionPorts & Pick<Parts, "home" | "clock" | "log" | "warn" | "protocols">;

export interface FinishedBy {
  readonly stop: StopSwitch;
  /** The token with which an agent reports; null: a driver does. */
  readonly token: string | null;
}

export async function finish(parts: FinishPorts, claim: Claim, report: Report, by: FinishedBy): Promise<Decision> {
  const { run, attempt } = claim;
  const decision = await store(parts, claim, withPause(report, claim, parts.clock.now(), Math.random()), by);
  // A late, repeated or foreign report of an agent must not touch the files of an attempt that may still run.
  if (!decision.accepted && by.token !== null) return decision;
  logStep(parts, claim, wordFor(decision.events, report), { outcome: report.outcome });
  removeRecords(parts, run.header.id, attempt);
  if (decision.accepted) await putFilesAway(parts, claim, decision.events);
  return decision;
}

const firstWaitMs = 500;
const longestWaitMs = 15_000;

/** A result must not be lost because the disk is full or the store is locked for a minute: it is tried again. */
async function store(parts: FinishPorts, claim: Claim, report: Report, by: FinishedBy): Promise<Decision> {
  const { run, attempt } = claim;
  const token: Token | null = by.token === null ? null : tokenOf(by.token);
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
    try {
      return await transition(parts, run.header.id, {
        type: "finish_attempt",
        at: parts.clock.now(),
        author: authorOf(claim),
        story: attempt.story,
        attempt: attempt.id,
        token,
        report,
      });
    } catch (error) {
      // A driver that is told to leave does not wait: the next one finds the attempt, and its work is not lost.
      if (!isStoreTrouble(error) || by.stop.reason !== null) throw error;
      parts.warn(`${error.message}; the result of ${attempt.name} waits (${error.hint})`);
      await parts.clock.sleep(waitMs);
    }
  }
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
