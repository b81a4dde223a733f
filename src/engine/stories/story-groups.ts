// Groups the stories of a run by their status, in one pass over all entries. The result is cached for each list of entries, which
// stays the same until an entry changes, so most decisions in a run of thousands of stories look at no entry.

import { isSettled, type StoryEntry } from "../../domain/story.ts";

export interface StoryGroups {
  /** Running, or held until a person answers. */
  readonly atWork: readonly StoryEntry[];
  /** They have a chain and wait for a free slot. A transition that may open one must load them. */
  readonly toResume: readonly StoryEntry[];
  /** Failed, blocked or cancelled: stories that depend on them cannot start. */
  readonly broken: readonly StoryEntry[];
  readonly allSettled: boolean;
  /** How many wait or are at work. */
  readonly open: number;
  /** How many are done, without those that a person left out. */
  readonly done: number;
}

/** Lists of entries are never changed in place, so a cached result stays valid. */
const cache = new WeakMap<readonly StoryEntry[], StoryGroups>();

export function storyGroupsOf(entries: readonly StoryEntry[]): StoryGroups {
  const known = cache.get(entries);
  if (known) return known;
  const groups = group(entries);
  cache.set(entries, groups);
  return groups;
}

function group(entries: readonly StoryEntry[]): StoryGroups {
  const atWork: StoryEntry[] = [];
  const toResume: StoryEntry[] = [];
  const broken: StoryEntry[] = [];
  let open = 0;
  let done = 0;
  for (const entry of entries) {
    const { status } = entry;
    if (status === "done") {
      if (!entry.leftOut) done += 1;
      continue;
    }
    if (!isSettled(entry)) open += 1;
    if (status === "running" || status === "held") atWork.push(entry);
    else if (status === "waiting" && entry.begun) toResume.push(entry);
    else if (status === "failed" || status === "blocked" || status === "cancelled") broken.push(entry);
  }
  return { atWork, toResume, broken, allSettled: open === 0, open, done };
}
