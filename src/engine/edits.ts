// Edits. Owns: changing a chain: reset, skip, insert. One mechanism, whoever asks: a route, a person or an agent.

import { type StepName, type StoryId, stepId } from "../domain/ids.ts";
import type { Scope } from "../domain/scope.ts";
import { isOver, type Step } from "../domain/step.ts";
import type { Draft } from "./draft.ts";
import { withdrawn } from "./outputs.ts";

export interface Reset {
  readonly from: Step;
  readonly to: Step;
  /** The step that asks: its own keys stay, as the feedback. */
  readonly keeps: Step | null;
  readonly feedback: string;
  readonly reason: string;
}

/**
 * Going back invalidates: the steps of the span get a new visit, what they produced and what was approved there is void.
 * Their attempts stay. A step that an edit skipped stays skipped.
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
  const told = span.filter(
    (step) => step.id === reset.from.id || draft.definition(story, step.name).kind === "stories",
  );
  draft.emit(story, {
    type: "steps_reset",
    steps: ids,
    cleared: span.filter((step) => step.id !== reset.keeps?.id).flatMap((step) => withdrawn(step.produced)),
    keeps: reset.keeps?.id ?? null,
    feedback: { steps: told.map((step) => step.id), text: reset.feedback },
    reason: reset.reason,
  });
}

/** Marks what a forward route jumps over. */
export function skipSpan(draft: Draft, story: StoryId | null, from: Step, to: Step, reason: string): void {
  const between = spanOf(draft.scope(story), from, to)
    .slice(1, -1)
    .filter((step) => !isOver(step));
  if (between.length === 0) return;
  draft.emit(story, { type: "steps_skipped", steps: between.map((step) => step.id), by: "route", reason });
}

/** Puts steps before one that can still run. Ids are new and never reused. */
export function insertBefore(draft: Draft, story: StoryId | null, before: Step, names: readonly StepName[]): void {
  const taken = new Set<string>(draft.scope(story).chain.map((step) => step.id));
  const steps = names.map((name) => {
    let number = 2;
    while (taken.has(`${name}~${number}`)) number += 1;
    taken.add(`${name}~${number}`);
    return { id: stepId(`${name}~${number}`), name };
  });
  draft.emit(story, { type: "steps_inserted", before: before.id, steps });
}

function spanOf(scope: Scope, from: Step, to: Step): readonly Step[] {
  const start = scope.chain.findIndex((step) => step.id === from.id);
  const end = scope.chain.findIndex((step) => step.id === to.id);
  return scope.chain.slice(start, end + 1);
}
