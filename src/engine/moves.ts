// Moves a state to another row of its table. The caller says which state it makes; the table says whether that is allowed.

import type { Attempt, AttemptPhase } from "../domain/attempt.ts";
import type { Part, PartState } from "../domain/part.ts";
import type { Step, StepState } from "../domain/step.ts";
import type { StoryEntry, StoryStatus } from "../domain/story.ts";
import { attemptTable, IllegalTransition, move, partTable, stepTable, storyTable } from "./tables.ts";

export function nextStepState(step: Step, change: string, to: StepState): StepState {
  return checked(move(stepTable, `step ${step.id}`, step.state.status, change), to.status, to);
}

export function nextPartState(part: Part, change: string, to: PartState): PartState {
  return checked(move(partTable, `part ${part.name}`, part.state.status, change), to.status, to);
}

export function nextAttemptState(attempt: Attempt, change: string, to: AttemptPhase): AttemptPhase {
  return checked(move(attemptTable, `attempt ${attempt.id}`, attempt.state.phase, change), to.phase, to);
}

/** Throws if the caller's state is not the one that the table has for this change. */
export function checked<T>(byTable: string, byCode: string, state: T): T {
  if (byTable !== byCode) throw new IllegalTransition("table", byTable, byCode);
  return state;
}

export function nextStoryStatus(entry: StoryEntry, to: StoryStatus): StoryStatus {
  const row: Readonly<Record<string, StoryStatus>> = storyTable[entry.status];
  if (!Object.values(row).includes(to)) throw new IllegalTransition(`story ${entry.id}`, entry.status, to);
  return to;
}
