// Stops attempts: one, at a person's request, or all of a run that is cancelled.

import { type Attempt, hasEnded, nameWithPart, noUsage } from "../../domain/attempt.ts";
import type { StopOneAttempt } from "../../domain/command.ts";
import type { Rejection } from "../../domain/decision.ts";
import type { Draft } from "../draft.ts";
import { openGate } from "../gates/gates.ts";
import { startOptions } from "../gates/waits.ts";
import { rejectCommand } from "../rejection.ts";

/** The run goes on; the step is held until a person continues it. */
export function stopAttempt(draft: Draft, { story, attempt: id, reason }: StopOneAttempt): Rejection | null {
  const { end } = draft.run.header;
  if (end) return rejectCommand("over", `the run is ${end.status}`);
  const attempt = draft.scope(story).attempts.find((candidate) => candidate.id === id);
  if (!attempt) return rejectCommand("unknown", `there is no attempt ${id}`);
  if (hasEnded(attempt)) return rejectCommand("stale", `attempt ${id} has already ended (${attempt.state.outcome})`);
  if (attempt.state.phase === "stopping") return rejectCommand("stale", `attempt ${id} is being stopped already`);
  stopRunning(draft, attempt, reason);
  if (attempt.driver === "pull") holdStopped(draft, attempt);
  return null;
}

/** Asks a person how to continue after a stopped attempt. */
export function holdStopped(draft: Draft, attempt: Attempt): void {
  const { story, step: id, part } = attempt;
  const step = draft.step(story, id);
  const told = step.parts?.find(({ name }) => name === part) ?? step;
  openGate(draft, story, step, {
    question: `${nameWithPart(attempt)} was stopped. Start it again?`,
    options: startOptions(draft, story, step),
    deadline: null,
    cause: "stopped",
    feedback: told.feedback,
    part,
  });
}

export function stopRunning(draft: Draft, attempt: Attempt, reason: string): void {
  const { id, story, driver } = attempt;
  if (driver === "push") {
    draft.emit(story, { type: "attempt_stopping", attempt: id, reason });
    draft.perform({ type: "stop_attempt", run: draft.run.header.id, story, attempt: id });
    return;
  }
  // Pawl did not start this agent and cannot stop it. Ending the attempt voids its token.
  draft.emit(story, {
    type: "attempt_ended",
    attempt: id,
    outcome: "cancelled",
    verdict: null,
    taken: null,
    why: reason,
    discards: true,
    notes: [],
    usage: noUsage,
    session: null,
    tree: null,
  });
}
