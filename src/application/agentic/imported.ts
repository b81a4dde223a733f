// The story that another orchestrator left in STATE.json, or a run whose store is gone: the run that starts now goes on with it.

import type { StoryId } from "../../domain/ids.ts";
import type { AdoptedStory, StoryEntry } from "../../domain/story.ts";
import { type AiFolder, aiFolder, storyState } from "../../protocols/agentic/ai-folder.ts";
import { readOrNull, stateFields } from "../../protocols/agentic/found-state.ts";
import { importStory } from "../../protocols/agentic/imported-state.ts";
import type { Store } from "../../store/store.ts";
import { appendInside } from "../../system/files/inside.ts";
import { readOptional } from "../../system/files/text.ts";
import type { Application } from "../application.ts";
import { wholeRun } from "../references.ts";
import type { ProjectPlace } from "./place.ts";
import { openRun, runsOf } from "./project-runs.ts";
import { changeQueue, type QueuedStory, queued, readQueue } from "./queue.ts";
import { projectRules } from "./rules.ts";

/** What `continue` has to work on. */
export interface ProjectStock {
  /** The stories of the project, with the one that the file shows. */
  readonly queue: readonly QueuedStory[];
  /** The story that the file shows; null: the store knows it, or there is none. */
  readonly imported: { readonly adopted: AdoptedStory; readonly notes: readonly string[] } | null;
  /** Stories that are done, by this store or by the files of one that is gone. */
  readonly done: readonly StoryId[];
}

/** Changes nothing. Throws for a file that cannot be used, and for a session of another program that may still be at work. */
export async function stockOf(app: Application, place: ProjectPlace, takeOver: boolean): Promise<ProjectStock> {
  const { store, clock } = (await app.read()).parts;
  const queue = readQueue(place);
  const folder = aiFolder(place.ai);
  const stories = await storiesOf(store, place);
  const done = [...new Set(stories.filter(({ status }) => status === "done").map(({ id }) => id))];
  const isNew = (id: StoryId) => !stories.some((entry) => entry.id === id);
  const text = readOptional(folder.state);
  if (text === null || (await openRun(store, place)) !== null) return { queue, imported: null, done };
  const { workflow } = projectRules(app, place.root, (await app.configuration(place.root)).project);
  const body = workflow.definition.steps.flatMap((step) => (step.kind === "stories" ? step.body : []));
  const known = queue.map(({ id }) => id);
  const request = { file: folder.state, body, known, now: clock.now(), takeOver };
  const { story, notes } = importStory(text, request);
  const doneBefore = known.filter((id) => isNew(id) && id !== story?.spec.id && showsDone(folder, id));
  if (story === null || !isNew(story.spec.id)) return { queue, imported: null, done: [...done, ...doneBefore] };
  const { spec, adopted } = story;
  return {
    queue: known.includes(spec.id) ? queue : [queued(spec), ...queue],
    imported: { adopted, notes },
    done: [...done, ...doneBefore, ...(adopted.status === "done" ? [spec.id] : [])],
  };
}

function showsDone(folder: AiFolder, story: StoryId): boolean {
  return stateFields(readOrNull(folder.dir, storyState(folder, story)))?.["step"] === "done";
}

/** As the runs of this store know them: what the files say of them came from there. */
async function storiesOf(store: Store, place: ProjectPlace): Promise<readonly StoryEntry[]> {
  const runs = await Promise.all(
    (await runsOf(store, place)).toReversed().map(async (run) => await wholeRun(store, run)),
  );
  return runs.flatMap(({ header }) => header.stories);
}

/** A story that was imported is one of the project's from now on. */
export async function keepImported(place: ProjectPlace, { queue, imported }: ProjectStock): Promise<void> {
  if (imported === null) return;
  await changeQueue(place, (stories) => [
    ...queue.filter(({ id }) => id === imported.adopted.id && !stories.some((other) => other.id === id)),
    ...stories,
  ]);
  const at = new Date().toISOString();
  const { dir, log } = aiFolder(place.ai);
  for (const note of imported.notes) appendInside(dir, log, `${at} [INFO] [pawl] import: ${note}\n`);
}
