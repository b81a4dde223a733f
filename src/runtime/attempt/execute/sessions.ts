// Finds the session that an attempt resumes, and what that session has used so far.

import { type Attempt, addUsage, hasEnded, noUsage } from "../../../domain/attempt.ts";
import { attemptsOf } from "../../../domain/run.ts";
import type { Resumed } from "../../../executors/executor.ts";
import type { Claim } from "../claim/claim.ts";

export interface SessionChoice {
  readonly resume: Resumed | null;
  /** Why it begins a fresh session although the workflow names one. */
  readonly notes: readonly string[];
}

/** From the same story and the same executor: an executor cannot open the session of another one. */
export function sessionFor({ run, attempt, definition }: Claim): SessionChoice {
  const { session: step } = definition;
  if (step === undefined) return { resume: null, notes: [] };
  const earlier = attemptsOf(run, attempt.story).filter(({ id }) => id !== attempt.id);
  const last = earlier.findLast((candidate) => candidate.name === step && isWhole(candidate));
  if (last === undefined && step === attempt.name) return { resume: null, notes: [] };
  if (last === undefined || last.session === null) return fresh(`${step} has left no session`);
  if (last.executor !== attempt.executor) return fresh(`${step} was performed by ${last.executor}`);
  const { session } = last;
  const spent = earlier
    .filter((candidate) => candidate.session === session && candidate.executor === attempt.executor)
    .reduce((sum, { usage }) => addUsage(sum, usage), noUsage);
  return { resume: { session, spent }, notes: [] };
}

/** The session of an attempt that broke off may be broken as well. */
function isWhole(attempt: Attempt): boolean {
  return hasEnded(attempt) && attempt.state.outcome === "completed";
}

function fresh(why: string): SessionChoice {
  return { resume: null, notes: [`it began a fresh session: ${why}`] };
}
