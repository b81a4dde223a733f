// Stories in the run. Owns: what the end of a story means for the run and for those that depend on it, and the story that a
// route back to a finished `stories` step adds. Which one is worked on when is in scheduling.ts.

import type { StoriesStep } from "../../domain/definition.ts";
import { fixStoryPrefix, type StoryId, storyId } from "../../domain/ids.ts";
import type { Step } from "../../domain/step.ts";
import type { StoryEntry, StorySpec, StoryStatus } from "../../domain/story.ts";
import { storiesStep } from "../definitions.ts";
import type { Draft } from "../draft.ts";
import { changeStory, failStep } from "../status-changes.ts";
import { openNext } from "./scheduling.ts";

/** The chain has reached a `stories` step: give it its stories. */
export function openStories(draft: Draft, step: Step, definition: StoriesStep): void {
  const { stories } = draft.run.header;
  if (stories.length === 0) {
    draft.emit(null, { type: "step_opened", step: step.id });
    return failStep(
      draft,
      null,
      step,
      `${definition.name}: planning did not produce STORIES_JSON, so there is no story to work on`,
    );
  }
  const sentBack = step.visit > 1;
  draft.emit(null, { type: "step_opened", step: step.id });
  if (sentBack && draft.storyGroups.allSettled)
    planFix(draft, step.feedback || "The work was sent back without a reason.");
}

/** What a step has planned replaces what was planned before and not begun; stories that are done stay done. */
export function planStories(draft: Draft, planned: readonly StorySpec[]): void {
  const { stories } = draft.run.header;
  const isDropped = ({ status, begun }: StoryEntry) => (status === "waiting" || status === "blocked") && !begun;
  const kept = new Set(stories.filter((entry) => !isDropped(entry)).map(({ id }) => id));
  const added = planned.filter((spec) => !kept.has(spec.id));
  draft.emit(null, { type: "stories_planned", stories: added, dropped: stories.filter(isDropped).map(({ id }) => id) });
}

/** A story's chain has come to its end. */
export function finishStory(draft: Draft, story: StoryId): void {
  const { given } = draft.run.header;
  const set = Object.entries(draft.scope(story).context).filter(([key]) => !given.includes(key));
  draft.emit(null, { type: "story_merged", of: story, set: Object.fromEntries(set) });
  changeStory(draft, story, "done", "");
}

/** Starts what can start; ends the step when nothing is left. Idempotent, like the walk. */
export function settleStories(draft: Draft): void {
  const step = draft.run.header.chain.find(({ state }) => state.status === "running" && state.attempt === null);
  if (!step || draft.isOver) return;
  const definition = storiesStep(draft.run.header, step.name);
  blockOrphans(draft);

  const stopped =
    definition.onStoryFailed === "stop" && draft.storyGroups.broken.some(({ status }) => status === "failed");
  openNext(draft, definition, stopped ? "begun" : "all");
  const { atWork, broken, allSettled } = draft.storyGroups;
  if (atWork.length > 0) return;

  const failed = broken.filter(({ status }) => status !== "cancelled");
  if (failed.length > 0) return failStep(draft, null, step, failureOf(failed));
  if (!allSettled) {
    return failStep(draft, null, step, `${definition.name}: stories wait for each other and none can start`);
  }
  draft.emit(null, { type: "step_done", step: step.id });
}

/** A story whose dependency failed cannot start; `retry` of the dependency sets it free again. */
function blockOrphans(draft: Draft): void {
  for (;;) {
    const broken = new Set(draft.storyGroups.broken.map(({ id }) => id));
    if (broken.size === 0) return;
    const orphan = draft.run.header.stories.find(
      (entry) => entry.status === "waiting" && entry.dependsOn.some((id) => broken.has(id)),
    );
    if (!orphan) return;
    const cause = orphan.dependsOn.find((id) => broken.has(id));
    changeStory(draft, orphan.id, "blocked", `${cause} did not finish`);
  }
}

/** Stories that are done stay done: what was sent back becomes one story more. */
function planFix(draft: Draft, feedback: string): void {
  const { stories } = draft.run.header;
  const number = stories.filter((entry) => entry.id.startsWith(fixStoryPrefix)).length + 1;
  const criteria = feedback
    .split("\n")
    .map((line) => line.replace(/^\s*(?:[-*]|\d+[.)])\s*/, "").trim())
    .filter((line) => line !== "")
    .slice(0, 20);
  const spec: StorySpec = {
    id: storyId(`${fixStoryPrefix}${number}`),
    title: "Address review feedback",
    description: feedback,
    acceptanceCriteria: [...criteria, "Typecheck passes"],
    dependsOn: [],
  };
  draft.emit(null, { type: "stories_planned", stories: [spec], dropped: [] });
}

function failureOf(stories: readonly StoryEntry[]): string {
  const names = (status: StoryStatus) =>
    stories
      .filter((entry) => entry.status === status)
      .map((entry) => entry.id)
      .join(", ");
  const blocked = names("blocked");
  return `story ${names("failed")} failed${blocked ? `; blocked by it: ${blocked}` : ""}`;
}
