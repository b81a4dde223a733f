// The overview of a run's stories. Owns: one pass over all entries for everything that asks how the stories stand. It is made once
// for each list, and a list stays the same until an entry changes: most decisions in a run of thousands of stories look at none.

import { isSettled, type StoryEntry } from "../../domain/story.ts";

export interface StoryGroups {
  /** They are worked on, or wait for an answer of a person. */
  readonly atWork: readonly StoryEntry[];
  /** They have a chain and wait for a free place: a transition that may give them one needs them. */
  readonly toResume: readonly StoryEntry[];
  /** What depends on them cannot start. */
  readonly broken: readonly StoryEntry[];
  readonly allSettled: boolean;
}

/** Lists of entries are never changed in place, so what was derived from one stays true as long as the list lives. */
const made = new WeakMap<readonly StoryEntry[], StoryGroups>();

export function storyGroupsOf(entries: readonly StoryEntry[]): StoryGroups {
  const known = made.get(entries);
  if (known) return known;
  const overview = lookOver(entries);
  made.set(entries, overview);
  return overview;
}

function lookOver(entries: readonly StoryEntry[]): StoryGroups {
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
