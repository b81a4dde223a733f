// Updates one part of a run and returns a new run. Unchanged parts keep their identity, by which the store knows what to write.

import type { Attempt } from "../domain/attempt.ts";
import type { AttemptId, PartName, StepId, StoryId } from "../domain/ids.ts";
import type { Part } from "../domain/part.ts";
import type { Header, Run } from "../domain/run.ts";
import type { Scope } from "../domain/scope.ts";
import type { Step } from "../domain/step.ts";
import { IllegalTransition } from "./tables.ts";

export function withHeader(run: Run, change: Partial<Header>): Run {
  return { ...run, header: { ...run.header, ...change } };
}

export function withScope(run: Run, story: StoryId | null, change: (scope: Scope) => Partial<Scope>): Run {
  if (story === null) return withHeader(run, change(run.header));
  const scope = run.stories[story];
  if (!scope) throw new IllegalTransition(`story ${story}`, "not opened", "change");
  return { ...run, stories: { ...run.stories, [story]: { ...scope, ...change(scope) } } };
}

export function withStep(run: Run, story: StoryId | null, id: StepId, change: (step: Step) => Step): Run {
  return withScope(run, story, (scope) => ({
    chain: withItem(scope.chain, (step) => step.id === id, change, `step ${id}`),
  }));
}

export function withPart(step: Step, name: PartName, change: (part: Part) => Part): Step {
  return { ...step, parts: withItem(step.parts ?? [], (part) => part.name === name, change, `part ${name}`) };
}

export function withAttempt(
  run: Run,
  story: StoryId | null,
  id: AttemptId,
  change: (attempt: Attempt) => Attempt,
): Run {
  return withScope(run, story, (scope) => ({
    attempts: withItem(scope.attempts, (attempt) => attempt.id === id, change, `attempt ${id}`),
  }));
}

export function withItem<T>(
  list: readonly T[],
  is: (item: T) => boolean,
  change: (item: T) => T,
  what: string,
): readonly T[] {
  const index = list.findIndex(is);
  const item = list[index];
  if (item === undefined) throw new IllegalTransition(what, "nothing", "change");
  return list.with(index, change(item));
}
