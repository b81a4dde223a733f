// Looks up the part of the frozen workflow that a step of a chain comes from.

import { type Definition, defaultRestarts, type StepDefinition, type StoriesStep } from "../domain/definition.ts";
import type { StepName, StoryId } from "../domain/ids.ts";
import type { Header, Run } from "../domain/run.ts";

export function definitionOf(run: Run, story: StoryId | null, name: StepName): StepDefinition {
  const steps = story === null ? run.header.definition.steps : bodyOf(run, story).body;
  const found = steps.find((step) => step.name === name);
  if (!found) throw new Error(`workflow ${run.header.definition.id} has no step "${name}"`);
  return found;
}

/** The `stories` step that a story belongs to. */
export function bodyOf(run: Run, story: StoryId): StoriesStep {
  return storiesStep(run.header, run.stories[story]?.of ?? ("" as StepName));
}

export function storiesStep(header: Header, name: StepName): StoriesStep {
  const found = header.definition.steps.find((step) => step.name === name);
  if (found?.kind !== "stories") throw new Error(`workflow ${header.definition.id} has no stories step "${name}"`);
  return found;
}

/** Whether a run of this workflow can ever ask a person. Only then must attempts record the tree that a gate would show. */
export function mayHold({ steps, caps }: Definition): boolean {
  return caps.then === "gate" || steps.some(stepMayHold);
}

/** How often a step may request its own restart. */
export function restartsOf(run: Run, story: StoryId | null): number {
  return (story === null ? undefined : bodyOf(run, story).restarts) ?? defaultRestarts;
}

function stepMayHold(step: StepDefinition): boolean {
  if (step.kind === "gate") return true;
  if (step.kind === "stories") return step.storyBudget.then.to === "gate" || step.body.some(stepMayHold);
  const rules = [...Object.values(step.on), step.onError, step.onUnreadable, ...Object.values(step.onErrorBy ?? {})];
  return (
    step.budget?.then.to === "gate" ||
    rules.some((rule) => rule !== undefined && (rule.route.to === "gate" || rule.limit?.then.to === "gate"))
  );
}
