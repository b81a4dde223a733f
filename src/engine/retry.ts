// Retries a failed run, story or step.

import type { RetryRun } from "../domain/command.ts";
import type { Rejection } from "../domain/decision.ts";
import type { StoryId } from "../domain/ids.ts";
import type { Header } from "../domain/run.ts";
import { isOver, type Step } from "../domain/step.ts";
import { resetSpan } from "./chain/edits.ts";
import type { Draft } from "./draft.ts";
import { runState } from "./evolve.ts";
import { rejectCommand } from "./rejection.ts";
import { changeStory } from "./status-changes.ts";
import { stoppedIn } from "./stories/rounds.ts";

/** Makes failed steps ready again and renews their limits. */
export function retryRun(draft: Draft, command: RetryRun): Rejection | null {
  const { header } = draft.run;
  const state = runState(header);
  if (state === "done" || state === "cancelled") return rejectCommand("over", `the run is ${state}; start a new one`);
  const outside = failedOutside(draft);
  const stories = failedStories(draft, command);
  if (outside && command.story !== null && stories.length > 0)
    return rejectCommand("illegal", `${outside.name} has failed; retry it first`);
  const failed = outside ? [] : stories;
  const step = command.story === null && failed.length === 0 ? failedStep(header.chain, command.step) : undefined;
  if (!step && failed.length === 0) return rejectCommand("illegal", nothingToRetry(command));
  if (state === "failed") draft.emit(null, { type: "run_reopened" });
  if (step) {
    draft.emit(null, { type: "limits_renewed", of: null });
    putBack(draft, null, step);
    resumeStopped(draft, step);
    return null;
  }
  for (const entry of draft.run.header.stories) {
    if (entry.status === "blocked") changeStory(draft, entry.id, "waiting", "");
  }
  const opened = draft.run.header.chain.find(({ state }) => state.status === "failed");
  if (opened) reopenStories(draft, opened);
  for (const story of failed) {
    draft.emit(story, { type: "limits_renewed", of: null });
    const step = failedStepOf(draft, story, command);
    if (step) putBack(draft, story, step);
    // It waits for a free slot like the others, so a retry never exceeds the concurrency.
    changeStory(draft, story, "waiting", "");
  }
  return null;
}

/** The round of a failed `stories` step continues. */
export function reopenStories(draft: Draft, step: Step): void {
  draft.emit(null, { type: "step_opened", step: step.id });
  resumeStopped(draft, step);
}

/** Stories that were stopped when too few could be done wait for their turn again. */
function resumeStopped(draft: Draft, step: Step): void {
  if (draft.definition(null, step.name).kind !== "stories") return;
  for (const { id } of stoppedIn(draft.run.header, step)) changeStory(draft, id, "waiting", "");
}

/** Resets a step so that the walk reaches it again. Its attempts, its feedback and the verdicts of its parts stay. */
function putBack(draft: Draft, story: StoryId | null, step: Step): void {
  const { feedback } = step;
  resetSpan(draft, story, {
    from: step,
    to: step,
    keeps: null,
    feedback,
    keepsParts: true,
    reason: `${step.name} is retried`,
  });
}

/** A failed step of the run that has no stories. Stories from a file may have failed long before it did. */
function failedOutside(draft: Draft): Step | undefined {
  const step = failedStep(draft.run.header.chain, null);
  return step && draft.definition(null, step.name).kind !== "stories" ? step : undefined;
}

function failedStories(draft: Draft, command: RetryRun): readonly StoryId[] {
  const { chain, stories } = draft.run.header;
  const isOfStories = ({ name }: Step) => draft.definition(null, name).kind === "stories";
  const step = chain.find((candidate) => isOfStories(candidate) && !isOver(candidate));
  // A step that has passed needs none of them.
  if (!step && chain.some(isOfStories)) return [];
  return stories
    .filter((entry) => entry.status === "failed" && (command.story === null || entry.id === command.story))
    .filter((entry) => step?.round?.without.includes(entry.id) !== true)
    .filter((entry) => isWhole(draft, entry.id, command) || failedStepOf(draft, entry.id, command))
    .map((entry) => entry.id);
}

/** Naming the `stories` step means all steps that failed inside it. */
function failedStepOf(draft: Draft, story: StoryId, command: RetryRun): Step | undefined {
  const chain = draft.run.stories[story]?.chain ?? [];
  return failedStep(chain, isWhole(draft, story, command) ? null : command.step);
}

/** Whether the whole story is retried. A story from a file may have failed without a failed step. */
function isWhole(draft: Draft, story: StoryId, { step }: RetryRun): boolean {
  return step === null || step === draft.run.stories[story]?.of;
}

function failedStep(chain: Header["chain"], name: RetryRun["step"]): Step | undefined {
  return chain.find((step) => step.state.status === "failed" && (name === null || step.name === name));
}

function nothingToRetry(command: RetryRun): string {
  const what = [command.story && `story ${command.story}`, command.step && `step ${command.step}`]
    .filter(Boolean)
    .join(", ");
  return what ? `${what} has not failed` : "nothing in this run has failed";
}
