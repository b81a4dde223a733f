// Templates. Owns: which keys an input names, and which of them somebody can set. What nobody sets is shown as missing.

import { engineKeys } from "../domain/context.ts";
import type { PerformedDefinition, StepDefinition } from "../domain/definition.ts";

/** Keys that a template may name although nobody has set them yet. */
export function knownKeysOf(steps: readonly StepDefinition[], context: Readonly<Record<string, string>>): string[] {
  const keys = new Set<string>([...engineKeys, "branch"]);
  for (const key of Object.keys(context)) keys.add(key.toLowerCase());
  for (const step of performedSteps(steps)) {
    for (const key of step.produces ?? []) keys.add(key.toLowerCase());
    if (step.decide !== null) keys.add(step.decide);
    for (const key of replyKeys(step.input)) keys.add(key);
    for (const key of replyKeys(step.expects ?? "")) keys.add(key);
  }
  return [...keys].toSorted();
}

export interface Placeholder {
  /** As it stands in the text, with its braces. */
  readonly text: string;
  readonly key: string;
}

/** `{{key}}`, with spaces, and with a filter (`{{ url | default: "" }}`), which does not belong to the key. */
export function placeholdersIn(input: string): Placeholder[] {
  return [...input.matchAll(/\{\{([^{}]*)\}\}/g)].map(([text, inner = ""]) => ({
    text,
    key: (inner.split("|")[0] ?? "").trim().toLowerCase(),
  }));
}

/** Steps that are performed, in bodies too. */
export function performedSteps(steps: readonly StepDefinition[]): PerformedDefinition[] {
  return steps.flatMap((step) => {
    if (step.kind === "stories") return performedSteps(step.body);
    return step.kind === "gate" ? [] : [step];
  });
}

/** An input shows the reply that it wants: `KEY: value` lines. */
function replyKeys(input: string): string[] {
  return [...input.matchAll(/^\s*([A-Z][A-Z0-9_]*):/gm)].map(([, key = ""]) => key.toLowerCase());
}
