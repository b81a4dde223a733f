// Looks up the part of the frozen workflow that a step of a chain comes from.

import type { Attempt } from "../domain/attempt.ts";
import {
  type Definition,
  defaultRestarts,
  isPerformed,
  type JoinStep,
  mayWrite,
  type PerformedDefinition,
  type PerformedWork,
  partsWrite,
  type StepDefinition,
  type StoriesStep,
} from "../domain/definition.ts";
import type { PartName, StepName, StoryId } from "../domain/ids.ts";
import { joinPart, type PartDefinition } from "../domain/part.ts";
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
): PerformedWork | null {
  const definition = definitionOf(run, story, name);
  if (!isPerformed(definition)) return null;
  if (part === undefined) return definition;
  const writes = partsWrite(run.header.definition, definition);
  if (writes && part === joinPart) return joinOf(definition);
  // The work of one part is not the whole: what they change together is checked where it is joined.
  const checks = writes ? [] : definition.checks;
  const { name: _name, agent, spend: _spend, ...fields } = partDefinition(definition, part) ?? {};
  if (definition.kind === "agent") return { ...definition, ...fields, checks, agent: agent ?? definition.agent };
  return { ...definition, ...fields, checks };
}

/** It asks no agent, so it has a verdict and nothing to say; the checks of the step are about what it joined. */
function joinOf(definition: PerformedDefinition): JoinStep {
  const { parts: _parts, reads: _reads, writes: _writes, ...fields } = definition;
  return { ...fields, kind: "join", input: "", produces: [], decide: null, expects: null };
}

/** Whether a part of a step may change files. Then it works in a tree of its own, where the run has trees. */
export function isWriter(run: Run, story: StoryId | null, { name, part }: Pick<Attempt, "name" | "part">): boolean {
  const definition = definitionOf(run, story, name);
  if (part === undefined || !isPerformed(definition) || !partsWrite(run.header.definition, definition)) return false;
  return part !== joinPart && mayWrite(run.header.definition, definition, partDefinition(definition, part));
}

/** What the file says of one part; undefined: nothing, since its name is from the context. */
export function partDefinition(
  { parts }: Pick<PerformedDefinition, "parts">,
  name: PartName,
): PartDefinition | undefined {
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
export function mayHold(definition: Definition): boolean {
  const known = holding.get(definition);
  if (known !== undefined) return known;
  const { steps, caps, includes = {} } = definition;
  const asks = Object.values(includes).some(({ budget }) => budget?.then.to === "gate");
  const holds = caps.then === "gate" || asks || steps.some(stepMayHold);
  holding.set(definition, holds);
  return holds;
}

/** Each attempt asks, a definition never changes, and a long one has a thousand steps. */
const holding = new WeakMap<Definition, boolean>();

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
