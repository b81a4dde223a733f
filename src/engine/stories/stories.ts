// Decides what the end of a story means for the run and for the stories that depend on it. scheduling.ts chooses the next story.

import type { StoriesStep } from "../../domain/definition.ts";
import { fixStoryPrefix, type StoryId, storyId } from "../../domain/ids.ts";
import { hasOpenStories, type Step } from "../../domain/step.ts";
import {
  isSettled,
  isStoppedUnbegun,
  isUnbegun,
  type StoryEntry,
  type StorySpec,
  type StoryStatus,
} from "../../domain/story.ts";
import { fitCaps } from "../caps.ts";
import { storiesStep } from "../definitions.ts";
import type { Draft } from "../draft.ts";
import { stopStory } from "../dropping.ts";
import { sendMessage } from "../messages.ts";
import { changeStory, failStep } from "../status-changes.ts";
import { mergeOutputs, saidAtEnd } from "./collected.ts";
import { failedIn, isHalted, newRound, type RoundStatus, roundStatusOf, tooFewText } from "./rounds.ts";
import { openNext } from "./scheduling.ts";

/** Opens a `stories` step that the chain has reached. */
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
  // A retry continues the round that the step has.
  const sentBack = step.visit > 1 && step.round === undefined;
  const isFixed = sentBack && draft.storyGroups.allSettled && definition.sentBack !== "nothing";
  const round = newRound(draft.run.header, step, definition, isFixed ? 1 : 0);
  draft.emit(null, { type: "step_opened", step: step.id, ...(round === null ? {} : { round }) });
  if (isFixed) planFix(draft, step.feedback || "The work was sent back without a reason.");
  refuseTooFew(draft, draft.step(null, step.id), definition);
}

/** So many stories as must be done are not there: nothing begins. */
function refuseTooFew(draft: Draft, step: Step, definition: StoriesStep): void {
  const { header } = draft.run;
  if (definition.need === undefined || roundStatusOf(header, step, definition) !== "too_few") return;
  failStep(draft, null, step, tooFewText(header, step));
}

/** A new plan replaces stories that were planned before and have not begun. Stories that are done stay done. */
export function planStories(draft: Draft, planned: readonly StorySpec[]): void {
  const { stories } = draft.run.header;
  const isReplaced = (entry: StoryEntry) => isUnbegun(entry) || isStoppedUnbegun(entry);
  // Ids name files and branches, and some file systems do not tell case apart.
  const kept = new Map(stories.filter((entry) => !isReplaced(entry)).map(({ id }) => [id.toLowerCase(), id]));
  const added = planned
    .filter(({ id }) => !kept.has(id.toLowerCase()))
    .map((spec) => ({ ...spec, dependsOn: spec.dependsOn.map((id) => kept.get(id.toLowerCase()) ?? id) }));
  draft.emit(null, {
    type: "stories_planned",
    stories: added,
    dropped: stories.filter(isReplaced).map(({ id }) => id),
  });
  fitCaps(draft);
}

/** Every step of the story's chain is over. */
export function finishStory(draft: Draft, story: StoryId): void {
  const merged = mergeOutputs(draft.run.header, story, draft.scope(story).context);
  const said = saidAtEnd(draft.run, story);
  draft.emit(null, { type: "story_merged", of: story, ...merged, ...(said === null ? {} : { said }) });
  const title = draft.run.header.stories.find(({ id }) => id === story)?.title ?? "";
  changeStory(draft, story, "done", "");
  sendMessage(draft, "story_done", { story, step: null, text: `${story} is done: ${title}` });
}

/** Opens stories that can start, and ends the step when none is left. Idempotent, like the walk. */
export function settleStories(draft: Draft): void {
  const step = draft.run.header.chain.find(hasOpenStories);
  if (!step || draft.isOver) return;
  const definition = storiesStep(draft.run.header, step.name);
  blockDependents(draft);

  const { header } = draft.run;
  const status = roundStatusOf(header, step, definition);
  if (definition.others === "stop" && status !== "open") stopOthers(draft, status);
  else openNext(draft, definition, isHalted(header, step, definition) ? "begun" : "all");
  if (draft.storyGroups.atWork.length > 0) return;

  if (definition.need !== undefined) return endRound(draft, step, definition);
  const failed = failedIn(draft.run.header, step);
  if (failed.length > 0) return failStep(draft, null, step, failureOf(failed));
  if (!draft.storyGroups.allSettled) {
    return failStep(draft, null, step, `${definition.name}: stories depend on each other and none can start`);
  }
  draft.emit(null, { type: "step_done", step: step.id });
}

/** Stories at work end with their attempts; those that wait do not begin. */
function stopOthers(draft: Draft, status: Exclude<RoundStatus, "open">): void {
  const reason = status === "enough" ? "enough stories are done" : "too few stories can be done";
  for (const entry of draft.run.header.stories) {
    if (!isSettled(entry)) stopStory(draft, entry, reason);
  }
}

/** Nothing is at work, and nothing more can begin. */
function endRound(draft: Draft, step: Step, definition: StoriesStep): void {
  if (roundStatusOf(draft.run.header, step, definition) !== "enough")
    return failStep(draft, null, step, tooFewText(draft.run.header, step));
  // What a failure or a missing dependency has kept from starting.
  stopOthers(draft, "enough");
  draft.emit(null, { type: "step_done", step: step.id });
}

/** A story whose dependency failed cannot start. A retry of the dependency unblocks it. */
function blockDependents(draft: Draft): void {
  for (;;) {
    const broken = new Set(draft.storyGroups.broken.map(({ id }) => id));
    if (broken.size === 0) return;
    const dependent = draft.run.header.stories.find(
      (entry) => entry.status === "waiting" && entry.dependsOn.some((id) => broken.has(id)),
    );
    if (!dependent) return;
    const cause = dependent.dependsOn.find((id) => broken.has(id));
    changeStory(draft, dependent.id, "blocked", `${cause} did not finish`);
  }
}

/** Stories that are done stay done, so work that is sent back becomes a new story. */
function planFix(draft: Draft, feedback: string): void {
  const { stories } = draft.run.header;
  const criteria = feedback
    .split("\n")
    .map((line) => line.replace(/^\s*(?:[-*]|\d+[.)])\s*/, "").trim())
    .filter((line) => line !== "")
    .slice(0, 20);
  const spec: StorySpec = {
    id: freeFixId(stories),
    title: "Address review feedback",
    description: feedback,
    acceptanceCriteria: [...criteria, "Typecheck passes"],
    dependsOn: [],
  };
  draft.emit(null, { type: "stories_planned", stories: [spec], dropped: [] });
}

/** The first `FIX-n` that no story has, in any case of its letters: plans and PRDs use such ids, too. */
function freeFixId(stories: readonly StoryEntry[]): StoryId {
  const taken = new Set(stories.map(({ id }) => id.toLowerCase()));
  let number = 1;
  while (taken.has(`${fixStoryPrefix}${number}`.toLowerCase())) number += 1;
  return storyId(`${fixStoryPrefix}${number}`);
}

function failureOf(stories: readonly StoryEntry[]): string {
  const names = (status: StoryStatus) =>
    stories
      .filter((entry) => entry.status === status)
      .map((entry) => entry.id)
      .join(", ");
  const [failed, blocked] = [names("failed"), names("blocked")];
  if (failed === "") return `a story that ${blocked} depends on was not done`;
  return `story ${failed} failed${blocked ? `; blocked by it: ${blocked}` : ""}`;
}
