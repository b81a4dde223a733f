// Stops a running attempt while its run continues.

import type { StoppedAttempt } from "../../contracts/run-documents.ts";
import { AppError } from "../../domain/error.ts";
import { transition } from "../../runtime/transition/transition.ts";
import type { Application } from "../application.ts";
import { findRun, wholeRun } from "../references.ts";
import { type MeantAttempt, runningAttempt } from "./running-attempt.ts";

export interface StopRequest extends MeantAttempt {
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
    const naming = `pawl stop ${summary.number} STEP, and --story STORY`;
    const attempt = runningAttempt(await wholeRun(parts.store, summary), summary.number, { story, step }, naming);
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
      ...(attempt.part === undefined ? {} : { part: attempt.part }),
      attempt: attempt.number,
      ended: attempt.driver === "pull",
    };
  });
}
