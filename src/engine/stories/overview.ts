// The overview of a run's stories. Owns: one pass over all entries for everything that asks how the stories stand. A draft keeps
// it until an entry changes, so that a decision in a run of thousands of stories looks at each of them once.

import { isSettled, type StoryEntry } from "../../domain/story.ts";

export interface StoryOverview {
  /** They are worked on, or wait for an answer of a person. */
  readonly atWork: readonly StoryEntry[];
  /** They have a chain and wait for a free place: a transition that may give them one needs them. */
  readonly toResume: readonly StoryEntry[];
  /** What depends on them cannot start. */
  readonly broken: readonly StoryEntry[];
  readonly allSettled: boolean;
}

export function overviewOf(entries: readonly StoryEntry[]): StoryOverview {
  const atWork: StoryEntry[] = [];
  const toResume: StoryEntry[] = [];
  const broken: StoryEntry[] = [];
  let allSettled = true;
  for (const entry of entries) {
    const { status } = entry;
    if (status === "done") continue;
    allSettled &&= isSettled(entry);
    if (status === "running" || status === "held") atWork.push(entry);
    else if (status === "waiting" && entry.begun) toResume.push(entry);
    else if (status === "failed" || status === "blocked" || status === "cancelled") broken.push(entry);
  }
  return { atWork, toResume, broken, allSettled };
}
