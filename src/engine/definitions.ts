// Looks up the part of the frozen workflow that a step of a chain comes from.

import type { Attempt } from "../domain/attempt.ts";
import {
  type Definition,
  defaultRestarts,
  isPerformed,
  type PerformedDefinition,
  type StepDefinition,
  type StoriesStep,
} from "../domain/definition.ts";
import type { PartName, StepName, StoryId } from "../domain/ids.ts";
import type { PartDefinition } from "../domain/part.ts";
import type { Header, Run } from "../domain/run.ts";
import { lateOption } from "../domain/signal.ts";

export function definitionOf(run: Run, story: StoryId | null, name: StepName): StepDefinition {
  const steps = story === null ? run.header.definition.steps : bodyOf(run, story).body;
  const found = steps.find((step) => step.name === name);
  if (!found) throw new Error(`workflow ${run.header.definition.id} has no step "${name}"`);
  return found;
}

/** What performs a step, or one part of it: what the part does not say is as its step says. Null: nothing performs it. */
export function performedBy(
  run: Run,
  story: StoryId | null,
  { name, part }: Pick<Attempt, "name" | "part">,
): PerformedDefinition | null {
  const definition = definitionOf(run, story, name);
  if (!isPerformed(definition)) return null;
  const own = part === undefined ? undefined : partDefinition(definition, part);
  if (own === undefined) return definition;
  const { name: _name, agent, spend: _spend, ...fields } = own;
  if (definition.kind === "agent") return { ...definition, ...fields, agent: agent ?? definition.agent };
  return { ...definition, ...fields };
}

/** What the file says of one part; undefined: nothing, since its name is from the context. */
export function partDefinition({ parts }: PerformedDefinition, name: PartName): PartDefinition | undefined {
  return parts && "list" in parts.of ? parts.of.list.find((part) => part.name === name) : undefined;
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
export function mayHold({ steps, caps, includes = {} }: Definition): boolean {
  const asks = Object.values(includes).some(({ budget }) => budget?.then.to === "gate");
  return caps.then === "gate" || asks || steps.some(stepMayHold);
}

/** How often a step may request its own restart. */
export function restartsOf(run: Run, story: StoryId | null): number {
  return (story === null ? undefined : bodyOf(run, story).restarts) ?? defaultRestarts;
}

function stepMayHold(step: StepDefinition): boolean {
  if (step.kind === "gate") return step.signal === undefined || step.options[lateOption]?.to === "gate";
  if (step.kind === "stories") return step.storyBudget.then.to === "gate" || step.body.some(stepMayHold);
  const rules = [...Object.values(step.on), step.onError, step.onUnreadable, ...Object.values(step.onErrorBy ?? {})];
  return (
    step.budget?.then.to === "gate" ||
    rules.some((rule) => rule !== undefined && (rule.route.to === "gate" || rule.limit?.then.to === "gate"))
  );
}
