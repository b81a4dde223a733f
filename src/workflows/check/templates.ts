// Which keys an input names, and which of them some step sets. A key that is never set is shown as missing.

import { generalKeys } from "../../domain/context.ts";
import { isPerformed, type PerformedDefinition, type StepDefinition } from "../../domain/definition.ts";

/** Keys that a template may name before a step sets them. */
export function knownKeysOf(
  steps: readonly StepDefinition[],
  context: Readonly<Record<string, string>>,
  protocolKeys: readonly string[] = [],
): string[] {
  const keys = new Set<string>([...generalKeys, ...protocolKeys]);
  for (const key of Object.keys(context)) keys.add(key.toLowerCase());
  for (const step of performedSteps(steps)) {
    for (const key of step.produces ?? []) keys.add(key.toLowerCase());
    if (step.decide !== null) keys.add(step.decide);
    if (step.kind === "decision") keys.add("evidence");
    for (const key of replyKeys(step.input)) keys.add(key);
    for (const key of replyKeys(step.expects ?? "")) keys.add(key);
  }
  return [...keys].toSorted();
}

/** The first `{{…}}` that stands for none of these, exactly as they are spelled: where a text is filled in by word, not by key. */
export function foreignIn(text: string, known: readonly string[]): string | null {
  const braces = text.match(/\{\{[^{}]*\}\}/g) ?? [];
  return braces.find((found) => !known.includes(found.slice(2, -2).trim())) ?? null;
}

/** Steps that are performed, in bodies too. */
export function performedSteps(steps: readonly StepDefinition[]): PerformedDefinition[] {
  return steps.flatMap((step) => {
    if (step.kind === "stories") return performedSteps(step.body);
    return isPerformed(step) ? [step] : [];
  });
}

/** An input shows the reply that it wants: `KEY: value` lines. */
function replyKeys(input: string): string[] {
  return [...input.matchAll(/^\s*(?:regex:\s*\^?)?([A-Z][A-Z0-9_]*):/gm)].map(([, key = ""]) => key.toLowerCase());
}
