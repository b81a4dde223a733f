// Ends a step or a story that is dropped, and a story that is stopped, once nothing of it runs any more.

import type { StoryId } from "../domain/ids.ts";
import type { Dropping, Step } from "../domain/step.ts";
import { resetSpan, skipByRoute } from "./chain/edits.ts";
import type { Draft } from "./draft.ts";
import { changeStory, failStep } from "./status-changes.ts";

/** Nothing of the step runs any more. */
export function settleDropped(draft: Draft, story: StoryId | null, step: Step, dropping: Dropping): void {
  if (story !== null && dropping.as === "stopped") {
    // It waits, so that a retry of the `stories` step continues here.
    const { feedback } = step;
    const { reason } = dropping;
    resetSpan(draft, story, { from: step, to: step, keeps: null, feedback, keepsParts: true, reason });
    return changeStory(draft, story, "cancelled", reason);
  }
  if (dropping.whole && story !== null && dropping.as === "done") {
    // Not done: an integration that was dropped has put nothing on the base.
    draft.emit(story, { type: "step_cancelled", step: step.id });
    const rest = draft.scope(story).chain.filter((other) => other.id !== step.id);
    skipByRoute(draft, story, rest, droppedText(dropping));
    return endDroppedStory(draft, story, dropping);
  }
  if (dropping.as === "failed") return failStep(draft, story, step, droppedText(dropping));
  if (story !== null) changeStory(draft, story, "running", "");
  leave(draft, story, step, dropping);
}

/** A step that has not started is skipped; no other step of a chain can be. */
function leave(draft: Draft, story: StoryId | null, step: Step, dropping: Dropping): void {
  if (step.state.status === "ready") skipByRoute(draft, story, [step], droppedText(dropping));
  else draft.emit(story, { type: "step_done", step: step.id });
}

/** Stories that depend on it begin, or are blocked with it. */
export function endDroppedStory(draft: Draft, story: StoryId, dropping: Dropping): void {
  const isDone = dropping.as === "done";
  changeStory(draft, story, isDone ? "done" : "failed", droppedText(dropping), isDone ? { leftOut: true } : {});
  if (!isDone) return;
  for (const entry of draft.run.header.stories) {
    if (entry.status === "blocked") changeStory(draft, entry.id, "waiting", "");
  }
}

export function droppedText({ as, reason }: Dropping): string {
  if (as === "stopped") return reason;
  return `dropped as ${as}${reason === "" ? "" : `: ${reason}`}`;
}
