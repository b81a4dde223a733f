// Rounds of a `stories` step: how many stories must be done, whether so many are or still can be, and how the step says that too few
// are. A round begins when the chain reaches the step and lasts over retries.

import { counted } from "../../domain/counted.ts";
import { hasNeed, type StoriesStep } from "../../domain/definition.ts";
import type { Header } from "../../domain/run.ts";
import { isOver, type Step, type StoriesRound } from "../../domain/step.ts";
import type { StoryEntry, StoryStatus } from "../../domain/story.ts";
import { storyGroupsOf } from "./story-groups.ts";

/** `enough`: so many are done as must be. `too_few`: so many cannot be done any more. */
export type RoundStatus = "open" | "enough" | "too_few";

/** The round that the opening of a step begins, with `added` stories; null: a retry, or all stories must be done. */
export function newRound(header: Header, step: Step, { need }: StoriesStep, added: number): StoriesRound | null {
  if (step.round !== undefined || !hasNeed(header.definition)) return null;
  const { done, open, broken } = storyGroupsOf(header.stories);
  const isFirst = step.visit === 1 && !header.chain.some((other) => isOver(other) && isStories(header, other));
  if (isFirst) return { needed: need ?? null, without: [] };
  // Work that was sent back is one story, however many were needed before.
  const more = step.visit === 1 ? need : need && Math.min(need, open + added);
  return { needed: more === undefined ? null : done + more, without: broken.map(({ id }) => id) };
}

function isStories({ definition }: Header, { name }: Step): boolean {
  return definition.steps.some((step) => step.name === name && step.kind === "stories");
}

/** Stories of this round that failed, or cannot start because one did. */
export function failedIn({ stories }: Pick<Header, "stories">, { round }: Step): readonly StoryEntry[] {
  const failed = storyGroupsOf(stories).broken.filter(({ status }) => status !== "cancelled");
  return round === undefined || round.without.length === 0
    ? failed
    : failed.filter(({ id }) => !round.without.includes(id));
}

/** Stories of this round that were stopped: a retry of the step works on them again. */
export function stoppedIn({ stories }: Pick<Header, "stories">, { round }: Step): readonly StoryEntry[] {
  return storyGroupsOf(stories).broken.filter(
    ({ id, status }) => status === "cancelled" && round?.without.includes(id) !== true,
  );
}

/** A failure starts no other story. */
export function isHalted({ stories }: Pick<Header, "stories">, step: Step, definition: StoriesStep): boolean {
  return definition.onStoryFailed === "stop" && failedIn({ stories }, step).some(({ status }) => status === "failed");
}

export function roundStatusOf({ stories }: Pick<Header, "stories">, step: Step, definition: StoriesStep): RoundStatus {
  const needed = step.round?.needed ?? null;
  if (needed === null) return failedIn({ stories }, step).length > 0 ? "too_few" : "open";
  const { done, open, atWork, toResume } = storyGroupsOf(stories);
  if (done >= needed) return "enough";
  const canEnd = isHalted({ stories }, step, definition) ? atWork.length + toResume.length : open;
  return done + canEnd < needed ? "too_few" : "open";
}

/** Why a step with `need` has failed. */
export function tooFewText({ stories }: Pick<Header, "stories">, step: Step): string {
  const { done, broken } = storyGroupsOf(stories);
  const leftOut = stories.filter((entry) => entry.leftOut).map(({ id }) => id);
  const those = (status: StoryStatus) => broken.filter((entry) => entry.status === status).map(({ id }) => id);
  const facts = [
    said(those("failed"), "failed"),
    said(those("blocked"), "blocked"),
    said(those("cancelled"), "stopped"),
    said(leftOut, "left out by a person"),
  ].filter((text) => text !== "");
  const all = counted(stories.length, "story", "stories");
  return [`${step.name}: ${done} of ${all} done, and ${step.round?.needed} must be`, ...facts].join("; ");
}

function said(names: readonly string[], what: string): string {
  return names.length === 0 ? "" : `${what}: ${names.join(", ")}`;
}
