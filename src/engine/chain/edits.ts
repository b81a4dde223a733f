// Resets, skips and inserts steps of a chain, the same way for routes, people and agents. What people and agents may request is
// checked in chain-edits.ts.

import type { NewStep } from "../../domain/edit.ts";
import type { PlacedStep } from "../../domain/event.ts";
import type { StepId, StoryId } from "../../domain/ids.ts";
import type { Scope } from "../../domain/scope.ts";
import { isOver, type Step } from "../../domain/step.ts";
import { bodyOf } from "../definitions.ts";
import type { Draft } from "../draft.ts";
import { clearedKeys } from "../outputs.ts";
import { newIds } from "./step-ids.ts";

export interface Reset {
  readonly from: Step;
  readonly to: Step;
  /** The step that sends the work back. Its own keys stay, because they are the feedback. */
  readonly keeps: Step | null;
  readonly feedback: string;
  readonly reason: string;
}

/**
 * Starts a new visit of every step of the span. Their outputs are cleared and their gates become void; their attempts stay. A step
 * that an edit skipped stays skipped.
 */
export function resetSpan(draft: Draft, story: StoryId | null, reset: Reset): void {
  const scope = draft.scope(story);
  const span = spanOf(scope, reset.from, reset.to).filter(
    ({ state }) => state.status !== "waiting" && !(state.status === "skipped" && state.by === "edit"),
  );
  const ids = span.map((step) => step.id);
  for (const gate of scope.gates) {
    if (ids.includes(gate.step) && gate.state.status !== "void") {
      draft.emit(story, { type: "gate_voided", gate: gate.id, reason: reset.reason });
    }
  }
  const informed = span.filter(
    (step) => step.id === reset.from.id || draft.definition(story, step.name).kind === "stories",
  );
  draft.emit(story, {
    type: "steps_reset",
    steps: ids,
    cleared: span.filter((step) => step.id !== reset.keeps?.id).flatMap((step) => clearedKeys(step.produced)),
    keeps: reset.keeps?.id ?? null,
    feedback: { steps: informed.map((step) => step.id), text: reset.feedback },
    reason: reset.reason,
  });
}

/** Marks the steps that a forward route jumps over. */
export function skipSpan(draft: Draft, story: StoryId | null, from: Step, to: Step, reason: string): void {
  const between = spanOf(draft.scope(story), from, to)
    .slice(1, -1)
    .filter((step) => !isOver(step));
  if (between.length === 0) return;
  draft.emit(story, { type: "steps_skipped", steps: between.map((step) => step.id), by: "route", reason });
}

export interface Insertion {
  /** null: at the end. */
  readonly before: StepId | null;
  readonly steps: readonly NewStep[];
  /** Feedback for the first of them. */
  readonly feedback?: string;
  /** Feedback for the last of them, where that is a gate at the end of a limit. */
  readonly asks?: string;
}

/** Inserts steps before one that can still run. */
export function insertSteps(draft: Draft, story: StoryId | null, insertion: Insertion): readonly PlacedStep[] {
  const { before, feedback, asks } = insertion;
  const ids = newIds(
    draft.run,
    story,
    insertion.steps.map(({ name }) => name),
  );
  const steps = ids.flatMap((id, index): PlacedStep[] => {
    const added = insertion.steps[index];
    if (!added) return [];
    return [{ id, name: added.name, ...(added.description === "" ? {} : { description: added.description }) }];
  });
  draft.emit(story, {
    type: "steps_inserted",
    before,
    steps,
    ...(feedback ? { feedback } : {}),
    ...(asks ? { asks } : {}),
  });
  return steps;
}

/** How many more steps a chain may have. Steps that Pawl itself adds at the end do not count. */
export function stepsLeft(draft: Draft, story: StoryId | null): number {
  if (story === null) return Number.POSITIVE_INFINITY;
  const { maxSteps } = bodyOf(draft.run, story);
  if (maxSteps === undefined) return Number.POSITIVE_INFINITY;
  const counted = draft.scope(story).chain.filter(({ name }) => draft.definition(story, name).kind !== "integrate");
  return maxSteps - counted.length;
}

function spanOf(scope: Scope, from: Step, to: Step): readonly Step[] {
  const start = scope.chain.findIndex((step) => step.id === from.id);
  const end = scope.chain.findIndex((step) => step.id === to.id);
  return scope.chain.slice(start, end + 1);
}
