// The log of steps. Owns: a line when one starts and when it ends, in the words of Dynamic Ralph, with who and what it was about.

import type { Event } from "../../../domain/event.ts";
import type { Report } from "../../../domain/report.ts";
import type { Parts } from "../../parts.ts";
import { slotOf } from "../../trees/workspace-paths.ts";
import type { Claim } from "../claim/claim.ts";

/** `step_again`: it ran to its end, and runs once more all the same. */
type StepWord = "step_started" | "step_completed" | "step_failed" | "step_cancelled" | "step_again";

export function logStep(
  parts: Pick<Parts, "log">,
  { run, attempt }: Claim,
  word: StepWord,
  more: Readonly<Record<string, string>> = {},
): void {
  parts.log(word, {
    run_id: run.header.id,
    agent_id: slotOf(run, attempt.story),
    story_id: attempt.story,
    step_id: attempt.step,
    type: attempt.name,
    attempt: attempt.number,
    ...more,
  });
}

/** What became of the step, as the engine decided. */
export function endOf(events: readonly Event[], { outcome }: Report): StepWord {
  if (events.some(({ type }) => type === "step_done")) return "step_completed";
  if (outcome === "timed_out" || outcome === "cancelled") return "step_cancelled";
  if (outcome !== "completed" || events.some(({ type }) => type === "step_failed")) return "step_failed";
  return "step_again";
}
