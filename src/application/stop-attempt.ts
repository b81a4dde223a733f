// Stopping an attempt. Owns: which running attempt a person means, and stopping it while its run stays.

import type { StoppedAttempt } from "../contracts/run-documents.ts";
import { type Attempt, hasEnded } from "../domain/attempt.ts";
import { AppError } from "../domain/error.ts";
import { transition } from "../runtime/transition/transition.ts";
import type { Application } from "./application.ts";
import { findRun, wholeRun } from "./references.ts";

export interface StopRequest {
  /** Only in this story. */
  readonly story?: string | undefined;
  /** Only this step, by its id or its name. */
  readonly step?: string | undefined;
  readonly reason?: string | undefined;
  readonly author?: string | undefined;
}

/** Its step then waits for a person; the rest of the run continues. */
export async function stopRunningAttempt(
  app: Application,
  reference: string,
  { story, step, reason = "stopped by a person", author = app.author }: StopRequest = {},
): Promise<StoppedAttempt> {
  return await app.change(null, async ({ parts }) => {
    const summary = await findRun(parts.store, reference);
    const { header, stories } = await wholeRun(parts.store, summary);
    const running = [header, ...Object.values(stories)].flatMap(({ attempts }) => attempts).filter(isRunning);
    const meant = running
      .filter((attempt) => story === undefined || sameWord(attempt.story ?? "", story))
      .filter((attempt) => step === undefined || sameWord(attempt.step, step) || sameWord(attempt.name, step));
    const [attempt, ...others] = meant;
    if (!attempt) throw nothingRuns(summary.number, running);
    if (others.length > 0)
      throw new AppError("AMBIGUOUS", `run #${summary.number} has several attempts at work; none was stopped`, {
        details: meant.map(placeOf),
        hint: `name one: pawl stop ${summary.number} STEP, and --story STORY`,
      });
    const decision = await transition(parts, summary.id, {
      type: "stop_attempt",
      story: attempt.story,
      attempt: attempt.id,
      reason,
      at: parts.clock.now(),
      author,
    });
    if (!decision.accepted)
      throw new AppError("REFUSED", `run #${summary.number}: ${decision.why}`, {
        hint: `\`pawl status ${summary.number}\` shows where it stands`,
      });
    return {
      run: summary.id,
      number: summary.number,
      story: attempt.story,
      step: attempt.step,
      attempt: attempt.number,
      ended: attempt.driver === "pull",
    };
  });
}

function isRunning(attempt: Attempt): boolean {
  return !hasEnded(attempt) && attempt.state.phase !== "stopping";
}

function sameWord(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function placeOf({ story, step, number, executor }: Attempt): string {
  return `${story === null ? "" : `${story} `}${step} (attempt ${number}, ${executor})`;
}

function nothingRuns(number: number, running: readonly Attempt[]): AppError {
  if (running.length === 0)
    return new AppError("REFUSED", `run #${number}: no attempt is running`, {
      hint: `\`pawl why ${number}\` says what it does`,
    });
  return new AppError("NOT_FOUND", `run #${number} has no such attempt at work`, {
    details: running.map(placeOf),
    hint: `name one of these: pawl stop ${number} STEP, and --story STORY`,
  });
}
