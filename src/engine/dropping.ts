// Drops one step or one story at a person's request, as done or as failed, and stops a story that is not needed any more. What runs is
// stopped first; the rest of the run continues.

import { hasEnded } from "../domain/attempt.ts";
import type { DropStep, DropStory } from "../domain/command.ts";
import type { Rejection } from "../domain/decision.ts";
import { isPerformed, type StoriesStep } from "../domain/definition.ts";
import type { StoryId } from "../domain/ids.ts";
import { isEnded } from "../domain/part.ts";
import { type Dropping, hasOpenParts, isOver, type Step } from "../domain/step.ts";
import { hasBegunText, isUnbegun, type StoryEntry } from "../domain/story.ts";
import { stopRunning } from "./attempts/stopping.ts";
import { chainOf } from "./chain/step-ids.ts";
import type { Draft } from "./draft.ts";
import { droppedText, endDroppedStory, settleDropped } from "./dropped.ts";
import { stopParts } from "./parts/settling.ts";
import { rejectCommand } from "./rejection.ts";
import { changeStory } from "./status-changes.ts";

/** The step that its chain has reached; what is over or still to come is refused. */
export function dropStep(draft: Draft, command: DropStep): Rejection | null {
  const { story, step: wanted, as, reason } = command;
  const { end } = draft.run.header;
  if (end) return rejectCommand("over", `the run is ${end.status}`);
  const { chain } = draft.scope(story);
  const named = chain.filter(({ id, name }) => id === wanted || name === wanted);
  const step = named.find((candidate) => !isOver(candidate)) ?? named.at(-1);
  if (!step) return rejectCommand("unknown", `there is no step ${wanted}`);
  const { status } = step.state;
  if (isOver(step) || status === "failed" || status === "cancelled")
    return rejectCommand("over", `step ${step.id} is ${status} already`);
  if (status === "waiting")
    return rejectCommand("illegal", `step ${step.id} has not been reached; \`pawl edit\` skips steps that are to come`);
  const definition = draft.definition(story, step.name);
  if (definition.kind === "stories")
    return rejectCommand("illegal", `step ${step.id} has stories at work; drop them one by one`);
  const mustRun = isPerformed(definition) && (definition.kind === "integrate" || definition.mandatory === true);
  if (as === "done" && mustRun)
    return rejectCommand("illegal", `step ${step.id} cannot count as done without its work; drop it as failed`);
  if (step.dropping) return rejectCommand("stale", `step ${step.id} is being dropped already`);
  begin(draft, story, step, { as, reason, whole: false });
  return null;
}

/** A story that is not over. Its work stays on its branch and is not integrated. */
export function dropStory(draft: Draft, { of, as, reason, onlyUnbegun }: DropStory): Rejection | null {
  const { header } = draft.run;
  if (header.end) return rejectCommand("over", `the run is ${header.end.status}`);
  const entry = header.stories.find(({ id }) => id === of);
  if (!entry) return rejectCommand("unknown", `there is no story ${of}`);
  const { status } = entry;
  if (status === "done" || status === "cancelled" || status === "skipped" || (status === "failed" && as === "failed"))
    return rejectCommand("over", `story ${of} is ${status} already`);
  if (onlyUnbegun && !isUnbegun(entry)) return rejectCommand("illegal", hasBegunText(entry));
  const step = draft.run.stories[of]?.chain.find((candidate) => !isOver(candidate));
  if ((status === "running" || status === "held") && step) {
    const { dropping } = step;
    if (dropping)
      return rejectCommand(
        "stale",
        `story ${of} is being ${dropping.as === "stopped" ? "stopped" : "dropped"} already`,
      );
    begin(draft, of, step, { as, reason, whole: true });
    return null;
  }
  const body = as === "failed" && !draft.run.stories[of] ? nextBody(draft) : null;
  if (body === undefined) return rejectCommand("illegal", "no step of this run works on stories any more");
  // A failed story has a chain, so that a retry finds where it continues.
  if (body !== null) draft.emit(of, { type: "story_opened", of: body.name, chain: chainOf(body) });
  if (status !== "waiting") changeStory(draft, of, "waiting", "");
  endDroppedStory(draft, of, { as, reason, whole: true });
  return null;
}

/** Nobody needs the story any more: what runs of it is stopped, and it does not begin. Stopping it twice changes nothing. */
export function stopStory(draft: Draft, { id, status }: StoryEntry, reason: string): void {
  const step = draft.run.stories[id]?.chain.find((candidate) => !isOver(candidate));
  if (status === "waiting") changeStory(draft, id, "cancelled", reason);
  else if (step && !step.dropping) begin(draft, id, step, { as: "stopped", reason, whole: true });
}

/** The `stories` step that works on what has not begun. */
function nextBody(draft: Draft): StoriesStep | undefined {
  const { chain } = draft.run.header;
  const steps = chain.filter((step) => !isOver(step)).map(({ name }) => draft.definition(null, name));
  return steps.find((step) => step.kind === "stories");
}

/** Records the wish, stops what runs, and settles at once where nothing does. */
function begin(draft: Draft, story: StoryId | null, step: Step, dropping: Dropping): void {
  draft.emit(story, { type: "step_dropping", step: step.id, ...dropping });
  if (hasOpenParts(step)) return dropParts(draft, story, step, dropping);
  const { gates, attempts } = draft.scope(story);
  for (const gate of gates) {
    if (gate.step === step.id && gate.state.status === "open")
      draft.emit(story, { type: "gate_voided", gate: gate.id, reason: droppedText(dropping) });
  }
  for (const attempt of attempts) {
    if (attempt.step === step.id && !hasEnded(attempt) && attempt.state.phase !== "stopping")
      stopRunning(draft, attempt, droppedText(dropping));
  }
  const isBusy = draft.scope(story).attempts.some((attempt) => attempt.step === step.id && !hasEnded(attempt));
  if (!isBusy) settleDropped(draft, story, draft.step(story, step.id), dropping);
}

/** Parts that run end with their attempts; then `settleParts` ends the step. */
function dropParts(
  draft: Draft,
  story: StoryId | null,
  step: Step & { readonly parts: NonNullable<Step["parts"]> },
  dropping: Dropping,
): void {
  stopParts(draft, story, step, droppedText(dropping));
  const now = draft.step(story, step.id);
  if (now.parts?.every(isEnded)) settleDropped(draft, story, now, dropping);
}
