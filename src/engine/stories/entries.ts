// Entries of stories. Owns: a story's line in the header, as a plan makes it and as changes leave it.

import type { Event } from "../../domain/event.ts";
import type { StoryEntry, StorySpec } from "../../domain/story.ts";
import { storyStatus } from "../moves.ts";

export function entryOf(spec: StorySpec): StoryEntry {
  return {
    id: spec.id,
    title: spec.title,
    status: "waiting",
    dependsOn: spec.dependsOn,
    ...(spec.priority === undefined ? {} : { priority: spec.priority }),
    ...(spec.touches === undefined ? {} : { touches: spec.touches }),
  };
}

/** It has a slot only while it is at work, and waits as one that has begun after it failed. */
export function changedEntry(entry: StoryEntry, event: Extract<Event, { type: "story_changed" }>): StoryEntry {
  const status = storyStatus(entry, event.status);
  const { slot: before, begun: wasBegun, ...kept } = entry;
  const slot = event.slot ?? before;
  const atWork = status === "running" || status === "held";
  const begun = !atWork && (wasBegun === true || (status === "waiting" && entry.status === "failed"));
  return { ...kept, status, ...(atWork && slot !== undefined ? { slot } : {}), ...(begun ? { begun } : {}) };
}
