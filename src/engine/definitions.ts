// Looking up definitions. Owns: which part of the frozen workflow a step of a chain comes from.

import type { StepDefinition, StoriesStep } from "../domain/definition.ts";
import type { StepName, StoryId } from "../domain/ids.ts";
import type { Header, Run } from "../domain/run.ts";

export function definitionOf(run: Run, story: StoryId | null, name: StepName): StepDefinition {
  const steps = story === null ? run.header.definition.steps : bodyOf(run, story).body;
  const found = steps.find((step) => step.name === name);
  if (!found) throw new Error(`workflow ${run.header.definition.id} has no step "${name}"`);
  return found;
}

/** The `stories` step that a story is worked on by. */
export function bodyOf(run: Run, story: StoryId): StoriesStep {
  return storiesStep(run.header, run.stories[story]?.of ?? ("" as StepName));
}

export function storiesStep(header: Header, name: StepName): StoriesStep {
  const found = header.definition.steps.find((step) => step.name === name);
  if (found?.kind !== "stories") throw new Error(`workflow ${header.definition.id} has no stories step "${name}"`);
  return found;
}
