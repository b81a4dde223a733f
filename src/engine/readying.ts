// Makes a step ready: at once, or after a pause.

import type { StoryId } from "../domain/ids.ts";
import type { Step } from "../domain/step.ts";
import type { Draft } from "./draft.ts";

export interface Readying {
  /** A time in the past, null or none means now. */
  readonly notBefore?: number | null | undefined;
  /** null: the step keeps the feedback that it has. */
  readonly feedback: string | null;
}

export function readyStep(draft: Draft, story: StoryId | null, step: Step, readying: Readying): void {
  const { notBefore, feedback } = readying;
  const pauseMs = Math.max(0, (notBefore ?? draft.at) - draft.at);
  draft.emit(story, { type: "step_readied", step: step.id, notBefore: draft.at + pauseMs, pauseMs, feedback });
}
