// Scheduling. Owns: which story is worked on next, and in which slot: by dependencies, priority, and what it will touch.

import type { StoriesStep } from "../../domain/definition.ts";
import type { StoryId } from "../../domain/ids.ts";
import type { Header } from "../../domain/run.ts";
import type { StoryEntry } from "../../domain/story.ts";
import { chainOf } from "../chain/step-ids.ts";
import type { Draft } from "../draft.ts";
import { changeStory } from "../ends.ts";

/** The stories that somebody works on or is asked about. */
export function storiesAtWork(header: Header): readonly StoryId[] {
  return header.stories.filter(isAtWork).map(({ id }) => id);
}

/** Those whose chain exists and that wait for a place: whatever may give them one must know them. */
export function storiesToResume(header: Header): readonly StoryId[] {
  return header.stories.filter(({ status, begun }) => begun === true && status === "waiting").map(({ id }) => id);
}

/** Starts stories until as many are at work as may be; where a failure stops the rest, only those that had begun. */
export function openNext(draft: Draft, definition: StoriesStep, which: "all" | "begun"): void {
  for (;;) {
    const { stories } = draft.run.header;
    const atWork = stories.filter(isAtWork);
    if (atWork.length >= definition.concurrency) return;
    const candidates = which === "all" ? stories : stories.filter(({ begun }) => begun);
    const next = chooseNext(draft, candidates, stories);
    if (!next) return;
    if (!next.begun) draft.emit(next.id, { type: "story_opened", of: definition.name, chain: chainOf(definition) });
    changeStory(draft, next.id, "running", "", definition.workspace === "worktree" ? freeSlot(atWork) : undefined);
  }
}

/**
 * The lowest priority first, then in the order of the plan. One that touches what another is touching now waits while there is
 * other work.
 */
function chooseNext(
  draft: Draft,
  candidates: readonly StoryEntry[],
  stories: readonly StoryEntry[],
): StoryEntry | undefined {
  const done = new Set(stories.filter(({ status }) => status === "done").map(({ id }) => id));
  const atWork = stories.filter(isAtWork);
  const ready = candidates
    .filter(({ status, dependsOn }) => status === "waiting" && dependsOn.every((id) => done.has(id)))
    .filter(({ id, begun }) => !begun || draft.run.stories[id] !== undefined)
    .toSorted((a, b) => rank(a) - rank(b));
  return ready.find((entry) => !atWork.some((other) => touchTheSame(entry, other))) ?? ready[0];
}

function isAtWork({ status }: StoryEntry): boolean {
  return status === "running" || status === "held";
}

function rank({ priority }: StoryEntry): number {
  return priority ?? Number.MAX_SAFE_INTEGER;
}

function freeSlot(atWork: readonly StoryEntry[]): number {
  const taken = new Set(atWork.map(({ slot }) => slot));
  let slot = 1;
  while (taken.has(slot)) slot += 1;
  return slot;
}

function touchTheSame(one: StoryEntry, other: StoryEntry): boolean {
  const theirs = (other.touches ?? []).map(placeOf);
  return (one.touches ?? []).map(placeOf).some((place) => theirs.some((their) => overlap(place, their)));
}

/** A pattern stands for everything below the directory that it begins with. */
function placeOf(path: string): string {
  const fixed = /[*?[{]/.test(path) ? path.replace(/[^/]*[*?[{][^]*$/, "") : path;
  return fixed.replace(/^\.\//, "").replace(/\/+$/, "");
}

function overlap(one: string, other: string): boolean {
  if (one === "" || other === "" || one === other) return true;
  return one.startsWith(`${other}/`) || other.startsWith(`${one}/`);
}
