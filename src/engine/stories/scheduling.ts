// Chooses which story to work on next and in which slot, by dependencies, priority, and the paths that it will touch.

import type { StoriesStep } from "../../domain/definition.ts";
import type { StoryEntry } from "../../domain/story.ts";
import { chainOf } from "../chain/step-ids.ts";
import type { Draft } from "../draft.ts";
import { changeStory } from "../status-changes.ts";

/** Opens stories up to the concurrency. `begun`: only stories that have begun, since a failure stops the others. */
export function openNext(draft: Draft, definition: StoriesStep, which: "all" | "begun"): void {
  for (;;) {
    const { atWork } = draft.storyGroups;
    if (atWork.length >= definition.concurrency) return;
    const next = chooseNext(draft, which, atWork);
    if (!next) return;
    if (!next.begun) draft.emit(next.id, { type: "story_opened", of: definition.name, chain: chainOf(definition) });
    const slot = definition.workspace === "worktree" ? { slot: freeSlot(atWork) } : {};
    changeStory(draft, next.id, "running", "", slot);
  }
}

/**
 * The lowest priority first, then in the order of the plan. A story that touches the same paths as one in progress waits while
 * there is other work.
 */
function chooseNext(draft: Draft, which: "all" | "begun", atWork: readonly StoryEntry[]): StoryEntry | undefined {
  const { header, stories } = draft.run;
  const busy = atWork.flatMap(placesOf);
  let first: StoryEntry | undefined;
  let free: StoryEntry | undefined;
  for (const entry of header.stories) {
    if (entry.status !== "waiting" || entry.openDependencies > 0) continue;
    if (entry.begun ? stories[entry.id] === undefined : which === "begun") continue;
    if (isBefore(entry, first)) first = entry;
    if (isBefore(entry, free) && !overlapsAny(placesOf(entry), busy)) free = entry;
  }
  return free ?? first;
}

/** With equal priority, the story that was planned first stays the choice. */
function isBefore(entry: StoryEntry, choice: StoryEntry | undefined): boolean {
  return choice === undefined || rank(entry) < rank(choice);
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

function placesOf({ touches }: StoryEntry): readonly string[] {
  return (touches ?? []).map(placeOf);
}

function overlapsAny(places: readonly string[], busy: readonly string[]): boolean {
  return places.some((place) => busy.some((other) => overlap(place, other)));
}

/** A pattern stands for everything below its leading directory. */
function placeOf(path: string): string {
  const fixed = /[*?[{]/.test(path) ? path.replace(/[^/]*[*?[{][^]*$/, "") : path;
  return fixed.replace(/^\.\//, "").replace(/\/+$/, "");
}

function overlap(one: string, other: string): boolean {
  if (one === "" || other === "" || one === other) return true;
  return one.startsWith(`${other}/`) || other.startsWith(`${one}/`);
}
