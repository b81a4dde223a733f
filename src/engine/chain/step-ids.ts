// Assigns ids to steps that enter a chain. An id is never reused, even after its step was removed.

import type { StoriesStep } from "../../domain/definition.ts";
import type { PlacedStep } from "../../domain/event.ts";
import { type StepId, type StepName, type StoryId, stepId } from "../../domain/ids.ts";
import type { Run } from "../../domain/run.ts";
import { scopeOf } from "../../domain/run.ts";
import { bodyOf } from "../definitions.ts";

/** The chain of a story at its start. Integration steps keep their name even where the others are numbered. */
export function chainOf(definition: StoriesStep): readonly PlacedStep[] {
  let number = 0;
  return definition.body
    .filter((step) => !step.spare)
    .map(({ kind, name }) => {
      if (definition.ids !== "numbers" || kind === "integrate") return { id: stepId(name), name };
      number += 1;
      return { id: numbered(number), name };
    });
}

export function newIds(run: Run, story: StoryId | null, names: readonly StepName[]): readonly StepId[] {
  const taken = new Set<string>(scopeOf(run, story)?.chain.map((step) => step.id));
  if (story !== null) for (const id of run.stories[story]?.retired ?? []) taken.add(id);
  if (story !== null && bodyOf(run, story).ids === "numbers") {
    const highest = Math.max(0, ...[...taken].map(numberIn));
    return names.map((_, index) => numbered(highest + index + 1));
  }
  // The run's own chain keeps no list of removed ids. Replacements have higher numbers than the step they replace, so the
  // highest number ever used is still in the chain.
  const lowest = story === null ? 1 + Math.max(1, ...[...taken].map(suffixIn)) : 2;
  return names.map((name) => {
    let number = lowest;
    while (taken.has(`${name}~${number}`)) number += 1;
    taken.add(`${name}~${number}`);
    return stepId(`${name}~${number}`);
  });
}

function numbered(number: number): StepId {
  return stepId(`step-${String(number).padStart(3, "0")}`);
}

function numberIn(id: string): number {
  return Number(/^step-(\d+)$/.exec(id)?.[1] ?? 0);
}

function suffixIn(id: string): number {
  return Number(/~(\d+)$/.exec(id)?.[1] ?? 0);
}
