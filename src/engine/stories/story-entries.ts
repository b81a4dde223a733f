// Applies events to the list of story entries. It counts open dependencies when a story is planned and counts down when one of
// them is done, so that scheduling only compares a number.

import type { Event } from "../../domain/event.ts";
import type { StoryId } from "../../domain/ids.ts";
import type { StoryEntry, StorySaid, StorySpec } from "../../domain/story.ts";
import { nextStoryStatus } from "../moves.ts";
import { IllegalTransition } from "../tables.ts";

type Entries = readonly StoryEntry[];

export function withStoriesPlanned(entries: Entries, event: Extract<Event, { type: "stories_planned" }>): Entries {
  const dropped = new Set(event.dropped);
  const kept = entries.filter(({ id }) => !dropped.has(id));
  const done = new Set(kept.filter(({ status }) => status === "done").map(({ id }) => id));
  return [...kept, ...event.stories.map((spec) => entryOf(spec, done))];
}

/** Marks a story that waits with a chain of its own. */
export function withStoryBegun(entries: Entries, id: StoryId): Entries {
  const [index, entry] = found(entries, id);
  return entries.with(index, { ...entry, begun: true });
}

export function withStorySaid(entries: Entries, id: StoryId, said: StorySaid): Entries {
  const [index, entry] = found(entries, id);
  return entries.with(index, { ...entry, said });
}

export function withStoryReverted(entries: Entries, { of, by }: Extract<Event, { type: "story_reverted" }>): Entries {
  const [index, entry] = found(entries, of);
  if (entry.status !== "done" || entry.reverted !== undefined)
    throw new IllegalTransition(`story ${of}`, entry.status, "revert");
  return entries.with(index, { ...entry, reverted: by });
}

export function withStoryChanged(entries: Entries, event: Extract<Event, { type: "story_changed" }>): Entries {
  const [index, entry] = found(entries, event.of);
  const changed = entries.with(index, changedEntry(entry, event));
  return event.status === "done" ? changed.map((other) => countedDown(other, event.of)) : changed;
}

function entryOf(spec: StorySpec, done: ReadonlySet<StoryId>): StoryEntry {
  return {
    id: spec.id,
    title: spec.title,
    status: "waiting",
    dependsOn: spec.dependsOn,
    openDependencies: spec.dependsOn.filter((id) => !done.has(id)).length,
    ...(spec.priority === undefined ? {} : { priority: spec.priority }),
    ...(spec.touches === undefined ? {} : { touches: spec.touches }),
    ...(spec.context === undefined ? {} : { context: spec.context }),
  };
}

/** An entry has a slot only while it is in progress. A failed story that waits again counts as begun, and so does one stopped at work. */
function changedEntry(entry: StoryEntry, event: Extract<Event, { type: "story_changed" }>): StoryEntry {
  const status = nextStoryStatus(entry, event.status);
  const { slot: before, begun: wasBegun, ...kept } = entry;
  const slot = event.slot ?? before;
  const atWork = status === "running" || status === "held";
  const wasAtWork = entry.status === "running" || entry.status === "held";
  const becomesBegun = status === "waiting" ? entry.status === "failed" : status === "cancelled" && wasAtWork;
  const begun = !atWork && (wasBegun === true || becomesBegun);
  return {
    ...kept,
    status,
    ...(atWork && slot !== undefined ? { slot } : {}),
    ...(begun ? { begun } : {}),
    ...(event.leftOut ? { leftOut: event.leftOut } : {}),
  };
}

/** A story that is done stays done, so the number never goes up again. */
function countedDown(entry: StoryEntry, done: StoryId): StoryEntry {
  if (!entry.dependsOn.includes(done)) return entry;
  const times = entry.dependsOn.filter((id) => id === done).length;
  return { ...entry, openDependencies: entry.openDependencies - times };
}

function found(entries: Entries, id: StoryId): readonly [index: number, entry: StoryEntry] {
  const index = entries.findIndex((entry) => entry.id === id);
  const entry = entries[index];
  if (!entry) throw new IllegalTransition(`story ${id}`, "nothing", "change");
  return [index, entry];
}
