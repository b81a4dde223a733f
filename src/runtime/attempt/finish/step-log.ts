// The log of steps: a line when a step starts and when it ends, with the slot, the story and the step that it is about.

import type { Event } from "../../../domain/event.ts";
import type { Report } from "../../../domain/report.ts";
import type { StepWord } from "../../../protocols/protocol.ts";
import type { Parts } from "../../parts.ts";
import { slotOf } from "../../trees/workspace-paths.ts";
import type { Claim } from "../claim/claim.ts";

export function logStep(
  parts: Pick<Parts, "log" | "protocols">,
  { run, attempt }: Claim,
  word: StepWord,
  more: Readonly<Record<string, string>> = {},
): void {
  const { stepWords } = parts.protocols.of(run.header.definition);
  parts.log(stepWords[word] ?? word, {
    run_id: run.header.id,
    agent_id: slotOf(run, attempt.story),
    story_id: attempt.story,
    step_id: attempt.step,
    type: attempt.name,
    attempt: attempt.number,
    ...more,
  });
}

/** The word for the end of a step, as the engine decided. */
export function wordFor(events: readonly Event[], { outcome }: Report): StepWord {
  if (events.some(({ type }) => type === "step_done")) return "step_completed";
  if (outcome === "timed_out" || outcome === "cancelled") return "step_cancelled";
  if (outcome !== "completed" || events.some(({ type }) => type === "step_failed")) return "step_failed";
  return "step_again";
}
