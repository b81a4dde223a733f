// Makes a step or a part of it ready: at once, or after a pause. A step with parts opens them instead.

import { isPerformed } from "../domain/definition.ts";
import type { StoryId } from "../domain/ids.ts";
import type { Part } from "../domain/part.ts";
import type { Step } from "../domain/step.ts";
import type { Draft } from "./draft.ts";
import { openParts, opensParts } from "./parts/opening.ts";

export interface Readying {
  /** A time in the past, null or none means now. */
  readonly notBefore?: number | null | undefined;
  /** null: the step keeps the feedback that it has. */
  readonly feedback: string | null;
}

export function readyStep(draft: Draft, story: StoryId | null, step: Step, readying: Readying): void {
  const definition = draft.definition(story, step.name);
  if (isPerformed(definition) && definition.parts && opensParts(draft.run, story, step, definition.parts))
    return openParts(draft, story, step, { ...definition, parts: definition.parts });
  draft.emit(story, { type: "step_readied", step: step.id, ...pauseOf(draft, readying), feedback: readying.feedback });
}

export function readyPart(draft: Draft, story: StoryId | null, { id }: Step, part: Part, readying: Readying): void {
  const { feedback } = readying;
  draft.emit(story, { type: "part_readied", step: id, part: part.name, ...pauseOf(draft, readying), feedback });
}

function pauseOf({ at }: Draft, { notBefore }: Readying): { readonly notBefore: number; readonly pauseMs: number } {
  const pauseMs = Math.max(0, (notBefore ?? at) - at);
  return { notBefore: at + pauseMs, pauseMs };
}
