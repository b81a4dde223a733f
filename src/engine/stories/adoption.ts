// Adds stories that a run does not plan itself: those it starts with, some of them partly done elsewhere, and those added later.

import type { AddStories } from "../../domain/command.ts";
import type { Rejection } from "../../domain/decision.ts";
import type { StoriesStep } from "../../domain/definition.ts";
import { type StepName, type StoryId, stepId } from "../../domain/ids.ts";
import type { Header } from "../../domain/run.ts";
import { isOver } from "../../domain/step.ts";
import { type AdoptedStep, type AdoptedStory, isUnbegun, type StorySpec } from "../../domain/story.ts";
import { fitCaps } from "../caps.ts";
import { chainOf } from "../chain/step-ids.ts";
import type { Draft } from "../draft.ts";
import { runState } from "../evolve.ts";
import { rejectCommand } from "../rejection.ts";
import { reopenStories } from "../retry.ts";
import { changeStory } from "../status-changes.ts";

export function adoptStories(draft: Draft, stories: readonly StorySpec[], adopted: readonly AdoptedStory[]): void {
  if (stories.length === 0) return;
  draft.emit(null, { type: "stories_planned", stories, dropped: [] });
  fitCaps(draft);
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

/** Changes the plan of a run that is not over. What has begun stays as it is; the rest waits for its turn. */
export function addStories(draft: Draft, { stories, dropped = [], done = [] }: AddStories): Rejection | null {
  const { header } = draft.run;
  const state = runState(header);
  if (state === "done" || state === "cancelled") return rejectCommand("over", `the run is ${state}; start a new one`);
  const step = header.chain.find(({ name }) => isStories(header, name));
  if (!step || isOver(step)) return rejectCommand("illegal", "the stories of this run are over; start a new run");
  const failed = header.chain.find(({ state }) => state.status === "failed");
  if (failed && failed.id !== step.id) return rejectCommand("illegal", `${failed.name} has failed; retry it first`);
  const begun = [...dropped, ...done].find(
    (id) => !header.stories.some((entry) => entry.id === id && isUnbegun(entry)),
  );
  if (begun !== undefined) return rejectCommand("illegal", `story ${begun} has begun, or is not in the run: it stays`);
  const kept = header.stories.filter(({ id }) => !dropped.includes(id));
  const present = new Set(kept.map(({ id }) => id));
  const added = stories.filter(({ id }) => !present.has(id));
  if (added.length + dropped.length + done.length === 0)
    return rejectCommand("illegal", "the run already has all of these stories");
  const known = new Set([...present, ...added.map(({ id }) => id)]);
  for (const { id, dependsOn } of [...kept.filter(isUnbegun), ...added]) {
    const unknown = dependsOn.find((other) => !known.has(other));
    if (unknown !== undefined)
      return rejectCommand("unknown", `${id} depends on ${unknown}, which is not a story of the run`);
  }
  const isNew = added.some(({ id }) => !dropped.includes(id));
  if (state === "failed" && isNew) draft.emit(null, { type: "run_reopened" });
  if (added.length + dropped.length > 0) draft.emit(null, { type: "stories_planned", stories: added, dropped });
  for (const id of done) countAsDone(draft, id);
  fitCaps(draft);
  if (failed && isNew) reopenStories(draft, step);
  return null;
}

function countAsDone(draft: Draft, id: StoryId): void {
  const entry = draft.run.header.stories.find((candidate) => candidate.id === id);
  if (entry?.status === "blocked") changeStory(draft, id, "waiting", "");
  changeStory(draft, id, "done", "it was done outside of this run");
}

function isStories({ definition }: Header, name: StepName): boolean {
  return definition.steps.some((step) => step.name === name && step.kind === "stories");
}
