// Which steps of a workflow a session shows, and as what: a skill, a command, or a decision. Positions are found out and not shown.

import { type Definition, isPerformed, type PerformedWork, type StepDefinition } from "../../../domain/definition.ts";
import type { StepName, StoryId } from "../../../domain/ids.ts";

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

/** How often a decision may send the work back by what it inserts, and the verdict that does; null: it never does. */
export function retriesOf(definition: StepDefinition): { readonly key: string; readonly atMost: number } | null {
  if (definition.kind !== "decision") return null;
  for (const [key, rule] of Object.entries(definition.on))
    if (rule?.route.to === "insert" && rule.limit !== null) return { key, atMost: rule.limit.atMost };
  return null;
}

/** The last skill of the run's own chain, which a session works towards. */
export function targetIn({ steps }: Definition): string {
  return steps.findLast((step) => isWave(step) && !step.spare)?.name ?? "";
}
