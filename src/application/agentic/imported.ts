// The story that another orchestrator left in STATE.json, or a run whose store is gone: the run that starts now goes on with it.

import { errorText } from "../../domain/error.ts";
import type { StoryId } from "../../domain/ids.ts";
import type { AdoptedStory, StoryEntry } from "../../domain/story.ts";
import { type AiFolder, aiFolder, storyState } from "../../protocols/agentic/ai-folder.ts";
import { readOrNull } from "../../protocols/agentic/found-state.ts";
import { type ImportRequest, importStory } from "../../protocols/agentic/imported-state.ts";
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
  /** The stories of the project, with the one that STATE.json shows. */
  readonly queue: readonly QueuedStory[];
  /** Stories that are somewhere in the middle according to the files, the one that STATE.json shows first. */
  readonly imported: readonly AdoptedStory[];
  /** The one that STATE.json shows; null: the store knows it, or there is none. */
  readonly shown: StoryId | null;
  /** Stories that are done, by this store or by the files of one that is gone. */
  readonly done: readonly StoryId[];
  /** What of the files is taken and what is not, for the person who continues. */
  readonly notes: readonly string[];
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
  const nothing = { queue, imported: [], shown: null, done, notes: [] };
  if (text === null || (await openRun(store, place)) !== null) return nothing;
  const { workflow } = projectRules(app, place.root, (await app.configuration(place.root)).project);
  const body = workflow.definition.steps.flatMap((step) => (step.kind === "stories" ? step.body : []));
  const known = queue.map(({ id }) => id);
  const request = { body, known, now: clock.now() };
  const { story, notes } = importStory(text, { ...request, file: folder.state, takeOver });
  const isTaken = story !== null && isNew(story.spec.id);
  const others = known
    .filter((id) => isNew(id) && id !== story?.spec.id)
    .flatMap((id) => leftInStates(folder, id, { ...request, takeOver: true }));
  const left = [...(isTaken ? [{ adopted: story.adopted, notes }] : []), ...others];
  return {
    queue: !isTaken || known.includes(story.spec.id) ? queue : [queued(story.spec), ...queue],
    imported: left.flatMap(({ adopted }) => (adopted === null || adopted.status === "done" ? [] : [adopted])),
    shown: isTaken ? story.spec.id : null,
    done: [...done, ...left.flatMap(({ adopted }) => (adopted?.status === "done" ? [adopted.id] : []))],
    notes: [...left.flatMap((each) => each.notes), ...(isTaken ? [] : keptOut(story?.adopted ?? null, stories))],
  };
}

/** A story that the store knows is never imported: the store is right. */
function keptOut(adopted: AdoptedStory | null, stories: readonly StoryEntry[]): readonly string[] {
  const entry = stories.findLast(({ id }) => id === adopted?.id);
  if (adopted === null || entry === undefined || adopted.status === entry.status) return [];
  if (adopted.chain.every(({ state }) => state === "waiting") && entry.status !== "done") return [];
  const so = entry.status === "done" ? "is done and stays so" : "begins anew";
  return [
    `STATE.json shows ${entry.id} in the middle, but a run of this store had it (${entry.status}): it is not imported and ${so}`,
  ];
}

interface Left {
  /** Null: it begins anew. */
  readonly adopted: AdoptedStory | null;
  readonly notes: readonly string[];
}

/** What the file of one story says, where STATE.json shows another. */
function leftInStates(folder: AiFolder, id: StoryId, request: Omit<ImportRequest, "file">): readonly Left[] {
  const file = storyState(folder, id);
  const text = readOrNull(folder.root, file);
  if (text === null) return [];
  try {
    const { story, notes } = importStory(text, { ...request, file });
    if (story === null || story.spec.id !== id)
      return [{ adopted: null, notes: [`${file} shows another story; ${id} begins anew`] }];
    const { adopted } = story;
    const hasBegun =
      adopted.status !== "waiting" || adopted.chain.some(({ state, attempts }) => state !== "waiting" || attempts);
    // What is done is only counted.
    return hasBegun ? [{ adopted, notes: adopted.status === "done" ? [] : notes }] : [];
  } catch (error) {
    return [{ adopted: null, notes: [`${errorText(error)}; ${id} begins anew`] }];
  }
}

/** As the runs of this store know them: what the files say of them came from there. */
async function storiesOf(store: Store, place: ProjectPlace): Promise<readonly StoryEntry[]> {
  const runs = await Promise.all(
    (await runsOf(store, place)).toReversed().map(async (run) => await wholeRun(store, run)),
  );
  return runs.flatMap(({ header }) => header.stories);
}

/** A story that was imported is one of the project's from now on. Called when its run has started: what is refused changes nothing. */
export async function keepImported(place: ProjectPlace, { queue, shown, notes }: ProjectStock): Promise<void> {
  const found = queue.filter(({ id }) => id === shown);
  if (found.length > 0)
    await changeQueue(place, (stories) => [
      ...found.filter(({ id }) => !stories.some((other) => other.id === id)),
      ...stories,
    ]);
  const at = new Date().toISOString();
  const { root, log } = aiFolder(place.ai);
  for (const note of notes) appendInside(root, log, `${at} [INFO] [pawl] import: ${note}\n`);
}
