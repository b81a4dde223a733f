// Which keys an input names, and which of them some step sets. A key that is never set is shown as missing.

import { generalKeys } from "../../domain/context.ts";
import { type GateStep, isPerformed, type PerformedDefinition, type StepDefinition } from "../../domain/definition.ts";
import { contextKey } from "../../domain/include.ts";
import type { PartDefinition } from "../../domain/part.ts";

/** Keys that a template may name before a step sets them. */
export function knownKeysOf(
  steps: readonly StepDefinition[],
  context: Readonly<Record<string, string>>,
  protocolKeys: readonly string[] = [],
): string[] {
  const keys = new Set<string>([...generalKeys, ...protocolKeys]);
  for (const key of Object.keys(context)) keys.add(key.toLowerCase());
  for (const step of authorsIn(steps)) {
    // What parts say does not reach the context: it is read by name.
    if (!("parts" in step) || step.parts === undefined) for (const key of keysSetBy(step)) keys.add(key);
  }
  return [...keys].toSorted();
}

/** A step that sets keys: one that is performed, or one that gets them with its signal. */
export type AuthorStep = PerformedDefinition | GateStep;

export function isAuthor(step: StepDefinition): step is AuthorStep {
  return isPerformed(step) || (step.kind === "gate" && step.signal !== undefined);
}

/** Those of bodies, too. */
export function authorsIn(steps: readonly StepDefinition[]): readonly AuthorStep[] {
  return steps.flatMap((step) => (step.kind === "stories" ? step.body : [step])).filter(isAuthor);
}

/** The keys that a step declares. */
export function declaredKeys(step: AuthorStep): readonly string[] {
  return (step.kind === "gate" ? step.signal?.produces : step.produces) ?? [];
}

/** The keys that a step sets, as far as the file says it. */
export function keysSetBy(step: AuthorStep): readonly string[] {
  return printedKeys(step).map((key) => contextKey(step, key));
}

function printedKeys(step: AuthorStep): readonly string[] {
  if (step.kind === "gate") return declaredKeys(step);
  return [
    ...(step.produces ?? []).map((key) => key.toLowerCase()),
    ...(step.decide === null ? [] : [step.decide]),
    ...(step.kind === "decision" ? ["evidence"] : []),
    ...replyKeys(step.input),
    ...partsOf(step).flatMap(({ input = "" }) => replyKeys(input)),
    ...replyKeys(step.expects ?? ""),
  ];
}

/** The parts that the file describes. */
export function partsOf({ parts }: PerformedDefinition): readonly PartDefinition[] {
  return parts && "list" in parts.of ? parts.of.list : [];
}

/** Whether a key names what stories or parts said: `review.*.verdict`, or three words of which the first is a step. */
export function looksSaid(key: string, steps: readonly StepDefinition[]): boolean {
  const inner = steps.flatMap((step) => (step.kind === "stories" ? [step, ...step.body] : [step]));
  return key.includes(".*.") || (key.split(".").length > 2 && inner.some(({ name }) => key.startsWith(`${name}.`)));
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
