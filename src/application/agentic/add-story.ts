// Adds stories to a project: one by its words, or those of a PRD.

import type { ProjectStories } from "../../contracts/project-documents.ts";
import { AppError } from "../../domain/error.ts";
import { isSafeId, storyId } from "../../domain/ids.ts";
import type { Application } from "../application.ts";
import { readText } from "../files.ts";
import { prdStories } from "../ralph/prd-stories.ts";
import { catchUp } from "./catch-up.ts";
import { type ProjectPlace, projectAt } from "./place.ts";
import { changeQueue, type QueuedStory, queued, readQueue } from "./queue.ts";
import { addToRun } from "./run-stories.ts";

export interface AddStoryRequest {
  readonly dir?: string | undefined;
  readonly story: string;
  readonly title: string;
  /** It starts when these are done. */
  readonly after?: readonly string[] | undefined;
  readonly size?: string | undefined;
  /** Parts of it can be worked on at once. */
  readonly parallel?: boolean | undefined;
  /** A file with its description. */
  readonly text?: string | undefined;
}

export async function addStory(app: Application, request: AddStoryRequest): Promise<ProjectStories> {
  const place = await projectAt(app, request.dir);
  await catchUp(app, place);
  const { story, after = [] } = request;
  if (!isSafeId(story) || story === "done") {
    throw new AppError("USAGE", `"${story}" cannot be the id of a story; nothing was changed`, {
      hint: "use letters, digits, dots, dashes and underscores, at most 64: US-001",
    });
  }
  const title = titleOf(request);
  const spec = queued({
    id: storyId(story),
    title,
    description: request.text === undefined ? title : readText(request.text, app.path(request.text)),
    acceptanceCriteria: [],
    dependsOn: after.map(storyId),
  });
  await changeQueue(place, (stories) => {
    if (stories.some(({ id }) => id === spec.id)) throw alreadyThere(story);
    const unknown = after.find((id) => !stories.some((other) => other.id === id));
    if (unknown === undefined) return [...stories, spec];
    throw new AppError("NOT_FOUND", `${unknown} is not a story of this project; nothing was changed`, {
      hint: `pawl project add ${unknown} TITLE`,
    });
  });
  return await shared(app, place, [spec], []);
}

/** Stories that the project has already stay as they are. */
export async function importStories(
  app: Application,
  request: { readonly dir?: string | undefined; readonly file: string },
): Promise<ProjectStories> {
  const place = await projectAt(app, request.dir);
  await catchUp(app, place);
  const { stories, notes } = prdStories(readText(request.file, app.path(request.file)), request.file);
  let added: readonly QueuedStory[] = [];
  await changeQueue(place, (known) => {
    added = stories.filter(({ id }) => !known.some((other) => other.id === id));
    return [...known, ...added];
  });
  const kept = stories.length - added.length;
  const words = `${kept} ${kept === 1 ? "story was" : "stories were"} there already and ${kept === 1 ? "stays as it is" : "stay as they are"}`;
  return await shared(app, place, added, kept === 0 ? notes : [...notes, words]);
}

async function shared(
  app: Application,
  place: ProjectPlace,
  added: readonly QueuedStory[],
  notes: readonly string[],
): Promise<ProjectStories> {
  await addToRun(app, place);
  return {
    added: added.map(({ id }) => id),
    stories: readQueue(place).map(({ id, title, dependsOn }) => ({ id, title, dependsOn })),
    notes,
  };
}

/** The size and the mark of parallel parts are in the title, where the protocol looks for them. */
function titleOf({ title, size, parallel = false }: AddStoryRequest): string {
  const words = title.replaceAll(/\s+/g, " ").trim();
  if (words === "") throw new AppError("USAGE", "the story has no title", { hint: "pawl project add US-001 TITLE" });
  if (size !== undefined && !/^[SML]$/.test(size))
    throw new AppError("USAGE", `"${size}" is not a size; nothing was changed`, { hint: "use --size S, M or L" });
  return [words, ...(size === undefined ? [] : [`[${size}]`]), ...(parallel ? ["[P]"] : [])].join(" ");
}

function alreadyThere(story: string): AppError {
  return new AppError("REFUSED", `${story} is a story of this project already; nothing was changed`, {
    hint: "`pawl project status` shows where it stands; choose another id",
  });
}
