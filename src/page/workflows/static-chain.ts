// The chain of a workflow that no run is in: its steps in their order, who performs each, and its ways back with their limits.

import type { DefinitionDocument } from "../../contracts/definition.ts";
import { isPerformed, type StepDefinition, type StoriesStep } from "../../domain/definition.ts";
import { possibleWays } from "../run/chain/ways-back.ts";
import { staticChainTexts as texts } from "../texts/workflows.ts";

export interface StaticRow {
  readonly key: string;
  readonly name: string;
  /** What it does, in words. Empty: the name says it. */
  readonly title: string;
  /** The stories step whose body it is in; null: the run's own chain. */
  readonly of: string | null;
  readonly performedBy: string;
  /** It has attempts of its own. */
  readonly isPerformed: boolean;
  /** What else a reader should know: conditions, checks, limits. */
  readonly notes: readonly string[];
  readonly waysBack: readonly StaticWay[];
}

interface StaticWay {
  readonly key: string;
  readonly to: string;
  /** Null: a person decides each time. */
  readonly limit: number | null;
}

export function staticChain({ steps }: Pick<DefinitionDocument, "steps">): readonly StaticRow[] {
  return (steps as unknown as readonly StepDefinition[]).flatMap((step) => rowsOf(step, null));
}

function rowsOf(step: StepDefinition, of: StoriesStep | null): readonly StaticRow[] {
  const row: StaticRow = {
    key: of === null ? step.name : `${of.name}/${step.name}`,
    name: step.name,
    title: step.kind === "gate" ? step.question : step.title === step.name ? "" : step.title,
    of: of?.name ?? null,
    performedBy: performerOf(step),
    isPerformed: isPerformed(step),
    notes: notesOf(step),
    waysBack: possibleWays(step, of).map(({ key, to, limit }) => ({ key, to, limit })),
  };
  return step.kind === "stories" ? [row, ...step.body.flatMap((inside) => rowsOf(inside, step))] : [row];
}

function performerOf(step: StepDefinition): string {
  switch (step.kind) {
    case "agent":
      return texts.agent(step.agent);
    case "gate":
      return step.signal === undefined ? texts.person : texts.signal(step.signal.name);
    case "stories":
      return texts.stories(step.concurrency);
    case "command":
    case "integrate":
    case "decision":
      return texts[step.kind];
  }
}

function notesOf(step: StepDefinition): readonly string[] {
  const performed = isPerformed(step) ? step : null;
  const checks = performed?.checks.length ?? 0;
  return [
    ...(step.spare === true ? [texts.spare] : []),
    ...(step.if === undefined ? [] : [texts.conditional]),
    ...(step.repeatFor === undefined ? [] : [texts.repeated(step.repeatFor)]),
    ...(performed?.waits === true ? [texts.waits] : []),
    ...(performed?.parts === undefined ? [] : [texts.parts]),
    ...(checks === 0 ? [] : [texts.checks(checks)]),
    ...(step.kind === "stories" ? [texts.storyLimit(step.storyBudget.atMost)] : []),
  ];
}
