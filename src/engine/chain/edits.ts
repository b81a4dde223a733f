// Resets, skips and inserts steps of a chain, the same way for routes, people and agents. What people and agents may request is
// checked in chain-edits.ts.

import type { NewStep } from "../../domain/edit.ts";
import type { PlacedStep } from "../../domain/event.ts";
import type { StepId, StoryId } from "../../domain/ids.ts";
import { isWithin } from "../../domain/include.ts";
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
  /** Parts that have a verdict keep it. */
  readonly keepsParts?: boolean;
  readonly reason: string;
}

/**
 * Starts a new visit of every step of the span. Their outputs are cleared and their gates become void; their attempts stay. A step
 * that an edit skipped stays skipped.
 */
export function resetSpan(draft: Draft, story: StoryId | null, reset: Reset): void {
  const scope = draft.scope(story);
  const span = spanOf(scope, reset.from, reset.to).filter(
    ({ state }) => state.status !== "waiting" && !(state.status === "skipped" && state.by !== "route"),
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
    ...(reset.keepsParts ? { keepsParts: true } : {}),
    reason: reset.reason,
  });
}

/** Marks the steps that a forward route jumps over. */
export function skipSpan(draft: Draft, story: StoryId | null, from: Step, to: Step, reason: string): void {
  skipByRoute(draft, story, spanOf(draft.scope(story), from, to).slice(1, -1), reason);
}

/** Marks steps that do not run unless a route goes back before them. Those that are over stay as they are. */
export function skipByRoute(
  draft: Draft,
  story: StoryId | null,
  steps: readonly Step[],
  reason: string,
  feedback?: { readonly to: StepId; readonly text: string },
): void {
  const open = steps.filter((step) => !isOver(step));
  if (open.length === 0) return;
  const ids = open.map((step) => step.id);
  draft.emit(story, { type: "steps_skipped", steps: ids, by: "route", reason, ...(feedback ? { feedback } : {}) });
}

/**
 * Skips a step that its chain has reached, or the whole of an included workflow that begins with it. What it was told is for the step
 * that runs in its place.
 */
export function passBy(
  draft: Draft,
  story: StoryId | null,
  step: Step,
  reason: string,
  include: string | null = null,
): void {
  const skipped = [step, ...(include === null ? [] : includedBehind(draft, story, step, include))];
  const { chain } = draft.scope(story);
  const behind = chain.slice(chain.findIndex(({ id }) => id === step.id));
  const to = behind.find((later) => !isOver(later) && !skipped.includes(later));
  const told = step.feedback === "" || !to || to.feedback !== "" ? undefined : { to: to.id, text: step.feedback };
  skipByRoute(draft, story, skipped, reason, told);
}

/** The steps behind this one that belong to an included workflow. */
export function includedBehind(draft: Draft, story: StoryId | null, step: Step, include: string): readonly Step[] {
  const { chain } = draft.scope(story);
  const behind = chain.slice(chain.findIndex(({ id }) => id === step.id) + 1);
  // Where it is repeated, or is part of what is, only what runs for the same entry.
  const { item } = step;
  const isRepeated = item?.include !== undefined && `${include}.`.startsWith(`${item.include}.`);
  const isSame = (other: Step) => other.item?.first !== item?.first || other.item?.number === item?.number;
  return behind.filter(
    (other) => (!isRepeated || isSame(other)) && isWithin(draft.definition(story, other.name), include),
  );
}

/** The step that runs once this one is over. */
export function followingStep({ chain }: Scope, step: Step): Step | undefined {
  return chain.slice(chain.findIndex(({ id }) => id === step.id) + 1).find((later) => !isOver(later));
}

export interface Insertion {
  /** null: at the end. */
  readonly before: StepId | null;
  readonly steps: readonly NewStep[];
  /** Feedback for the first of them. */
  readonly feedback?: string;
  /** Feedback for the gate among them, at the end of a limit. */
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
  const asked = steps.findLast(({ name }) => {
    const definition = draft.definition(story, name);
    return definition.kind === "gate" && definition.signal === undefined;
  });
  draft.emit(story, {
    type: "steps_inserted",
    before,
    steps,
    ...(feedback ? { feedback } : {}),
    ...(asks ? { asks } : {}),
    ...(asks && asked ? { asked: asked.id } : {}),
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
