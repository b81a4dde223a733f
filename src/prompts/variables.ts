// Template values of a story: the text of a story as an agent reads it.

import type { StoryValues } from "../domain/context.ts";
import type { StoryEntry, StorySpec } from "../domain/story.ts";

/** For every step of a story's chain: who verifies it sees the same story as who wrote it. */
export function storyVariables(story: {
  readonly spec: StorySpec;
  readonly entries: readonly StoryEntry[];
  readonly feedback: string;
  readonly progress: string;
}): StoryValues {
  const { spec, entries, feedback, progress } = story;
  return {
    current_story: formatStory(spec),
    current_story_id: spec.id,
    current_story_title: spec.title,
    completed_stories: formatCompletedStories(entries),
    stories_remaining: String(entries.filter(({ status }) => status === "waiting").length),
    verify_feedback: feedback,
    retry_feedback: feedback,
    progress,
  };
}

export function formatStory({ id, title, description, acceptanceCriteria }: StorySpec): string {
  const parts = [`Story ${id}: ${title}`];
  // A story that came without a text has its title there.
  if (description.trim() !== title.trim()) parts.push(description);
  const criteria = acceptanceCriteria.map((criterion, index) => `  ${index + 1}. ${criterion}`);
  if (criteria.length > 0) parts.push(["Acceptance Criteria:", ...criteria].join("\n"));
  return parts.join("\n\n");
}

export function formatCompletedStories(entries: readonly StoryEntry[]): string {
  const done = entries.filter(({ status }) => status === "done");
  return done.length === 0 ? "(none yet)" : done.map(({ id, title }) => `- ${id}: ${title}`).join("\n");
}
