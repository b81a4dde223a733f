// Which steps of a workflow a session shows, and as what: a skill, a command, or a decision. Positions are found out and not shown.

import { type Definition, isPerformed, type PerformedWork, type StepDefinition } from "../../../domain/definition.ts";
import type { PartName, StepName, StoryId } from "../../../domain/ids.ts";

/** The three types of a session's steps. */
export type ShownType = "skill" | "cli" | "decision";

/** Null: it is not shown. A decision that nobody waits before is a position. */
export function shownType(definition: StepDefinition | undefined): ShownType | null {
  switch (definition?.kind) {
    case "agent":
      return "skill";
    case "command":
      return "cli";
    case "gate":
      return "decision";
    case "decision":
      return definition.waits === true ? "decision" : null;
    case "integrate":
    case "stories":
    case undefined:
      return null;
  }
}

/** Whether its attempts are waves. */
export function isWave(definition: Pick<StepDefinition | PerformedWork, "kind"> | undefined): boolean {
  return definition?.kind === "agent" || definition?.kind === "command";
}

/** Whether it runs alone. */
export function isBarrier(definition: StepDefinition): boolean {
  return isPerformed(definition) && definition.barrier === true;
}

/** A position: a decision that is taken at once. */
export function isPosition(definition: StepDefinition | undefined): boolean {
  return definition?.kind === "decision" && definition.waits !== true;
}

/** The body that the chains of phases come from. */
export function bodyIn({ steps }: Definition): readonly StepDefinition[] {
  return steps.flatMap((step) => (step.kind === "stories" ? step.body : []));
}

export function stepIn(definition: Definition, story: StoryId | null, name: StepName): StepDefinition | undefined {
  const steps = story === null ? definition.steps : bodyIn(definition);
  return steps.find((step) => step.name === name);
}

/** The parts that the file lists; none: it has no parts, or the context names them. */
export function partNamesOf(definition: StepDefinition | undefined): readonly PartName[] {
  return partsIn(definition).map(({ name }) => name);
}

/** What performs one part of a step; without a part, the step itself. */
export function performerOf<T extends StepDefinition>(definition: T, part: PartName | undefined): T {
  const own = partsIn(definition).find(({ name }) => name === part);
  if (own === undefined) return definition;
  const { name: _name, spend: _spend, ...fields } = own;
  return { ...definition, ...fields };
}

function partsIn(definition: StepDefinition | undefined) {
  const of = definition !== undefined && isPerformed(definition) ? definition.parts?.of : undefined;
  return of !== undefined && "list" in of ? of.list : [];
}

/** The stages of a step: its parts, or itself. */
export function stagesIn(definition: StepDefinition): readonly string[] {
  const parts = partNamesOf(definition);
  return parts.length === 0 ? [definition.name] : parts;
}

/** How often a decision may send the work back by what it inserts, and the verdict that does; null: it never does. */
export function retriesOf(definition: StepDefinition): { readonly key: string; readonly atMost: number } | null {
  if (definition.kind !== "decision") return null;
  for (const [key, rule] of Object.entries(definition.on))
    if (rule?.route.to === "insert" && rule.limit !== null) return { key, atMost: rule.limit.atMost };
  return null;
}

/** The last skill of the run's own chain, which a session works towards. */
export function targetIn({ steps }: Definition): string {
  const last = steps.findLast((step) => isWave(step) && !step.spare);
  return (last === undefined ? undefined : stagesIn(last).at(-1)) ?? "";
}
