// Opens the parts of a step: those of its workflow, or those that a key of the context names at that moment.

import { type PerformedDefinition, partsWrite } from "../../domain/definition.ts";
import { type PartName, partName, type StoryId } from "../../domain/ids.ts";
import { isEnded, namesIn, type Part, type PartsDefinition, refusedNames } from "../../domain/part.ts";
import { contextOf, type Run } from "../../domain/run.ts";
import type { Step } from "../../domain/step.ts";
import { whyNot } from "../conditions.ts";
import type { Draft } from "../draft.ts";
import { failStep } from "../status-changes.ts";

type WithParts = PerformedDefinition & { readonly parts: PartsDefinition };

/** Whether the step is performed as its parts, or as a whole. Once its parts are open, it stays with them for that visit. */
export function opensParts(run: Run, story: StoryId | null, step: Step, { if: condition }: PartsDefinition): boolean {
  return step.parts !== undefined || condition === undefined || whyNot(run, story, condition) === null;
}

/** A list that cannot be used fails the step: nothing says how many parts there should have been. */
export function openParts(draft: Draft, story: StoryId | null, step: Step, definition: WithParts): void {
  const names = namesOfParts(draft.run, story, definition);
  if (typeof names === "string") {
    draft.emit(story, { type: "step_opened", step: step.id });
    return failStep(draft, story, step, `${step.name}: ${names}`);
  }
  const keeps = step.state.status === "waiting" ? decided(step.parts ?? [], names) : [];
  const isRetry = step.state.status === "waiting" && step.parts !== undefined;
  draft.emit(story, { type: "parts_opened", step: step.id, parts: names, ...(isRetry ? { keeps } : {}) });
}

/** After a retry: parts that have a verdict do not run again. */
function decided(parts: readonly Part[], names: readonly PartName[]): readonly PartName[] {
  return parts
    .filter((part) => isEnded(part) && (part.state.status === "passed" || part.state.status === "rejected"))
    .map(({ name }) => name)
    .filter((name) => names.includes(name));
}

/** The names, or why there are none. */
function namesOfParts(run: Run, story: StoryId | null, definition: WithParts): readonly PartName[] | string {
  const { of, need } = definition.parts;
  if ("list" in of) return of.list.map(({ name }) => name);
  const context = contextOf(run, story);
  const text = Object.hasOwn(context, of.each) ? context[of.each] : undefined;
  if (text === undefined) return `its parts are those in \`${of.each}\`, and no step has set it`;
  const names = namesIn(text);
  const refused = refusedNames(names, { write: partsWrite(run.header.definition, definition) });
  if (refused !== null) return `its parts are those in \`${of.each}\`: ${refused}`;
  if (need !== "all" && need > names.length)
    return `it needs ${need} parts that pass, and \`${of.each}\` names only ${names.length}`;
  return names.map(partName);
}
