// Adds stories that a run does not plan itself: those it starts with, some of them partly done elsewhere, and those added later.

import type { AddStories } from "../../domain/command.ts";
import type { Rejection } from "../../domain/decision.ts";
import type { StoriesStep } from "../../domain/definition.ts";
import { type StepName, stepId } from "../../domain/ids.ts";
import type { Header } from "../../domain/run.ts";
import { isOver } from "../../domain/step.ts";
import type { AdoptedStep, AdoptedStory, StorySpec } from "../../domain/story.ts";
import { chainOf } from "../chain/step-ids.ts";
import type { Draft } from "../draft.ts";
import { runState } from "../evolve.ts";
import { rejectCommand } from "../rejection.ts";
import { changeStory } from "../status-changes.ts";

export function adoptStories(draft: Draft, stories: readonly StorySpec[], adopted: readonly AdoptedStory[]): void {
  if (stories.length === 0) return;
  draft.emit(null, { type: "stories_planned", stories, dropped: [] });
  const of = draft.run.header.definition.steps.find((step) => step.kind === "stories");
  if (!of) return;
  for (const story of adopted) {
    // Without a chain there would be nothing to retry.
    if (story.chain.length === 0 && story.status === "failed")
      draft.emit(story.id, { type: "story_opened", of: of.name, chain: chainOf(of) });
    if (story.chain.length > 0)
      draft.emit(story.id, {
        type: "story_adopted",
        of: of.name,
        chain: [...resumable(story), ...ownSteps(of, story)],
      });
    // Blocked stories follow from failed ones, so they need no event.
    if (story.status === "done" || story.status === "failed")
      changeStory(draft, story.id, story.status, "imported from a file");
  }
}

/** A story that was in progress resumes at the step that failed when its driver died. */
function resumable({ chain, status }: AdoptedStory): readonly AdoptedStep[] {
  if (status !== "waiting") return chain;
  return chain.map((step) => (step.state === "failed" ? { ...step, state: "waiting" } : step));
}

/** A file never contains the integration steps that Pawl itself adds. */
function ownSteps({ body }: StoriesStep, { status }: AdoptedStory): readonly AdoptedStep[] {
  return body
    .filter(({ kind, spare }) => kind === "integrate" && !spare)
    .map(({ name, title }) => ({
      id: stepId(name),
      name,
      description: title,
      state: status === "done" ? "done" : "waiting",
      reason: "",
      notes: "",
      restarts: 0,
    }));
}

/** Adds stories to a run. They wait for their turn like the others. */
export function addStories(draft: Draft, { stories }: AddStories): Rejection | null {
  const { header } = draft.run;
  const state = runState(header);
  if (state === "done" || state === "cancelled") return rejectCommand("over", `the run is ${state}; start a new one`);
  const step = header.chain.find(({ name }) => isStories(header, name));
  if (!step || isOver(step)) return rejectCommand("illegal", "the stories of this run are over; start a new run");
  const failed = header.chain.find(({ state }) => state.status === "failed");
  if (failed && failed.id !== step.id) return rejectCommand("illegal", `${failed.name} has failed; retry it first`);
  const present = new Set(header.stories.map(({ id }) => id));
  const known = new Set([...present, ...stories.map(({ id }) => id)]);
  const added = stories.filter(({ id }) => !present.has(id));
  if (added.length === 0) return rejectCommand("illegal", "the run already has all of these stories");
  for (const { id, dependsOn } of added) {
    const unknown = dependsOn.find((other) => !known.has(other));
    if (unknown !== undefined)
      return rejectCommand("unknown", `${id} depends on ${unknown}, which is not a story of the run`);
  }
  if (state === "failed") draft.emit(null, { type: "run_reopened" });
  draft.emit(null, { type: "stories_planned", stories: added, dropped: [] });
  if (failed) draft.emit(null, { type: "step_opened", step: step.id });
  return null;
}

function isStories({ definition }: Header, name: StepName): boolean {
  return definition.steps.some((step) => step.name === name && step.kind === "stories");
}
