// The stories that a person has given a project, in order: `.ai/stories.json`, in the form of a PRD. A run takes them from there, so
// that a story can be given before there is a run, and outlives it.

import { join } from "node:path";
import type { StorySpec } from "../../domain/story.ts";
import { withFileLock } from "../../system/files/file-lock.ts";
import { writeInside } from "../../system/files/inside.ts";
import { readOptional } from "../../system/files/text.ts";
import { withSize } from "../../workflows/rules/story-size.ts";
import { type PrdStories, prdStories } from "../ralph/prd-stories.ts";
import type { ProjectPlace } from "./place.ts";

export type QueuedStory = PrdStories["stories"][number];

const queueName = "stories.json";

export function readQueue({ ai }: Pick<ProjectPlace, "ai">): readonly QueuedStory[] {
  const file = join(ai, queueName);
  const text = readOptional(file);
  return text === null ? [] : prdStories(text, file).stories;
}

/** `change` gets the stories that are there now; it may throw, and nothing is changed then. */
export async function changeQueue(
  place: Pick<ProjectPlace, "ai">,
  change: (stories: readonly QueuedStory[]) => readonly QueuedStory[],
): Promise<readonly QueuedStory[]> {
  const file = join(place.ai, queueName);
  return await withFileLock(`${file}.lock`, () => {
    const stories = change(readQueue(place));
    const text = `${JSON.stringify({ stories }, null, 2)}\n`;
    // A dependency that is unknown or leads in a circle is refused by the same reader that will read the file.
    prdStories(text, file);
    writeInside(place.ai, file, text);
    return stories;
  });
}

export function queued(spec: StorySpec): QueuedStory {
  return { ...spec, passes: false };
}

/** As a run takes it. */
export function plannedStory(story: QueuedStory): StorySpec {
  const { id, title, description, acceptanceCriteria, dependsOn, priority } = story;
  const plan = withSize({ id, title, description, acceptanceCriteria, dependsOn });
  return priority === undefined ? plan : { ...plan, priority };
}
