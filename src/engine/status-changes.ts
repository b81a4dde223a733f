// Ends runs, fails steps and changes the status of stories, with the messages that people get about it.

import type { StoryId } from "../domain/ids.ts";
import type { Step } from "../domain/step.ts";
import type { StoryStatus } from "../domain/story.ts";
import type { Draft } from "./draft.ts";
import { sendMessage } from "./messages.ts";

export function endRun(draft: Draft, status: "done" | "failed" | "cancelled", reason: string): void {
  draft.emit(null, { type: "run_ended", status, reason });
  if (status === "done") sendMessage(draft, "run_done", { story: null, step: null, text: "The run is done." });
  if (status === "failed")
    sendMessage(draft, "run_failed", { story: null, step: null, text: `The run failed: ${reason}` });
  draft.perform({ type: "close_run", run: draft.run.header.id });
}

/** A failed step fails its story, or its run. */
export function failStep(draft: Draft, story: StoryId | null, step: Step, reason: string): void {
  draft.emit(story, { type: "step_failed", step: step.id, reason });
  if (story === null) endRun(draft, "failed", reason);
  else changeStory(draft, story, "failed", reason);
}

export function changeStory(
  draft: Draft,
  story: StoryId,
  status: StoryStatus,
  reason: string,
  more: { readonly slot?: number; readonly leftOut?: true } = {},
): void {
  const entry = draft.run.header.stories.find((candidate) => candidate.id === story);
  if (!entry || entry.status === status) return;
  draft.emit(null, { type: "story_changed", of: story, status, reason, ...more });
}
