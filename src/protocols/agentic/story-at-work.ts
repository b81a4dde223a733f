// The story that STATE.json and reports are about: the one at work, else the next one, else the last one that was done.

import type { StoryEntry, StoryStatus } from "../../domain/story.ts";

const order: readonly StoryStatus[] = ["running", "held", "failed", "waiting", "blocked", "cancelled"];

export function storyAtWork(stories: readonly StoryEntry[]): StoryEntry | null {
  for (const status of order) {
    const found = stories.filter((entry) => entry.status === status).toSorted(byTurn)[0];
    if (found !== undefined) return found;
  }
  return stories.at(-1) ?? null;
}

/** As the run takes them: what waits for no other story, then the lowest priority, then in the order of the plan. */
function byTurn(one: StoryEntry, other: StoryEntry): number {
  const isLate = ({ openDependencies }: StoryEntry) => Math.sign(openDependencies);
  return isLate(one) - isLate(other) || turnOf(one) - turnOf(other);
}

function turnOf({ priority }: StoryEntry): number {
  return priority ?? Number.MAX_SAFE_INTEGER;
}
