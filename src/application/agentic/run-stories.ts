// Brings the stories of a project's queue into the run that works on them.

import type { StorySpec } from "../../domain/story.ts";
import type { Parts } from "../../runtime/parts.ts";
import { transition } from "../../runtime/transition/transition.ts";
import type { LocatedRun } from "../../store/store.ts";
import type { Application } from "../application.ts";
import type { ProjectPlace } from "./place.ts";
import { openRun } from "./project-runs.ts";
import { plannedStory, readQueue } from "./queue.ts";

/** Nothing happens where no run is open: the next one takes them all. */
export async function addToRun(app: Application, place: ProjectPlace): Promise<void> {
  const run = await openRun((await app.read()).parts.store, place);
  if (run !== null) await app.change(null, async ({ parts }) => await addMissing(parts, run, place, app.author));
}

/** Stories of the queue that the run does not have yet. */
async function addMissing(
  parts: Parts,
  run: LocatedRun,
  place: ProjectPlace,
  author: string,
): Promise<readonly StorySpec[]> {
  const known = new Set((await parts.store.storySpecs(run.id)).map(({ id }) => id));
  const stories = readQueue(place)
    .filter(({ id }) => !known.has(id))
    .map(plannedStory);
  if (stories.length === 0) return [];
  await transition(parts, run.id, { type: "add_stories", stories, at: parts.clock.now(), author });
  return stories;
}
