// Reads `prd.json` and reports all of its problems at once with their positions.

import { basename } from "node:path";
import { AppError } from "../../domain/error.ts";
import { isSafeId, type StoryId } from "../../domain/ids.ts";
import type { StorySpec } from "../../domain/story.ts";
import { findCycle } from "../../prompts/cycle.ts";
import { cleanText } from "../../prompts/plaintext.ts";
import { itemsOf, type JsonText, Lines, membersOf, openJson, type Span } from "../files/json-places.ts";
import { type PrdProblem, type PrdStory, type ReadStory, readPrdStory } from "./prd-story.ts";

export interface Prd {
  readonly title: string;
  readonly stories: readonly PrdStory[];
  /** What the reader changed or did not find, in words. */
  readonly notes: readonly string[];
}

const maxStories = 5_000;
const hint = "a PRD is an array of stories, or an object with `userStories`; each story has an `id` and a `title`";

export function readPrd(text: string, file: string): Prd {
  const json = openJson(text, file, hint);
  const lines = new Lines(json.text);
  const problems: PrdProblem[] = [];
  const notes: string[] = [];
  const spans = storiesIn(json, file, notes);
  const read = spans.map((span) => readPrdStory(json.text, span, { problems, notes }));
  problems.push(...idProblems(read, spans), ...dependencyProblems(read, spans));
  if (problems.length === 0) {
    const skipped = read.filter((story) => story.skipped).map(({ id }) => id);
    if (skipped.length > 0) notes.push(`skipped, as ${file} says: ${skipped.join(", ")}`);
    const stories = read.filter((story) => !story.skipped).map(({ skipped: _read, ...story }) => story);
    return { title: titleOf(json.value, file), stories, notes };
  }
  const details = problems
    .toSorted((a, b) => a.at - b.at)
    .map(({ at, message }) => `${file}:${lines.placeOf(at)}: ${message}`);
  const [only, ...more] = details;
  const message = only !== undefined && more.length === 0 ? only : `${file} has ${details.length} problems`;
  throw new AppError("INPUT_INVALID", message, { hint: "correct the file and start again; nothing has run", details });
}

/** The stories in the text, each with where it is; a story that is no object has none. */
export function storySpans(text: string): { readonly text: string; readonly spans: readonly Span[] } {
  const json = openJson(text, "the PRD", hint);
  return { text: json.text, spans: storiesIn(json, "the PRD", []).filter(({ start }) => json.text[start] === "{") };
}

const listKeys = ["userStories", "user_stories", "stories"];

function storiesIn({ text, root }: JsonText, file: string, notes: string[]): readonly Span[] {
  const list = text[root.start] === "[" ? root : listIn(text, root, file, notes);
  const spans = itemsOf(text, list);
  if (spans.length === 0) throw new AppError("INPUT_INVALID", `${file} has no stories: the list is empty`, { hint });
  if (spans.length > maxStories)
    throw new AppError("INPUT_INVALID", `${file} has ${spans.length} stories; at most ${maxStories} are read`, {
      hint: "divide it into several files, one run each",
    });
  return spans;
}

function listIn(text: string, root: Span, file: string, notes: string[]): Span {
  const members = text[root.start] === "{" ? membersOf(text, root) : [];
  const lists = members.filter(({ key, value }) => listKeys.includes(key) && text[value.start] === "[");
  const list = listKeys.map((key) => lists.findLast((member) => member.key === key)).find((found) => found);
  if (lists.length > 1 && list) notes.push(`${file} has more than one list of stories; ${list.key} was used`);
  if (list) return list.value;
  const keys = members.map(({ key }) => key);
  const isStory = keys.includes("id") && keys.includes("title");
  const found = keys.length === 0 ? "" : ` (it has ${keys.slice(0, 10).join(", ").slice(0, 200)})`;
  throw new AppError("INPUT_INVALID", `${file} has no list of stories${found}`, {
    hint: isStory ? "it is one story: put it into an array" : hint,
  });
}

function titleOf(value: unknown, file: string): string {
  const fields = new Map(Object.entries(Array.isArray(value) ? {} : (value as object)));
  const texts = ["title", "project", "name", "description"].map((key) => fields.get(key));
  const title = texts.find((text): text is string => typeof text === "string" && text.trim() !== "");
  return title === undefined ? basename(file) : (cleanText(title).text.trim().split("\n")[0] ?? "");
}

function idProblems(stories: readonly PrdStory[], spans: readonly Span[]): readonly PrdProblem[] {
  const firsts = new Map<string, StoryId>();
  return stories.flatMap(({ id }, index) => {
    // An id that is not a string was already reported.
    if (id === "") return [];
    const at = spans[index]?.start ?? 0;
    const first = firsts.get(id.toLowerCase());
    firsts.set(id.toLowerCase(), first ?? id);
    const why = whyUnusable(id, first);
    return why === null ? [] : [{ at, message: why }];
  });
}

function whyUnusable(id: StoryId, first: StoryId | undefined): string | null {
  const shown = JSON.stringify(id.slice(0, 80));
  if (!isSafeId(id))
    return `the id ${shown} cannot be part of a file or branch name: use letters, digits, ".", "_" and "-", at most 64`;
  if (first === id) return `the id ${shown} is given twice`;
  // Ids become names of files and branches, and some file systems ignore case.
  return first === undefined ? null : `the ids ${shown} and "${first}" differ only in case`;
}

function dependencyProblems(stories: readonly ReadStory[], spans: readonly Span[]): readonly PrdProblem[] {
  const ids = new Map<string, StoryId>(stories.map(({ id }) => [id, id]));
  const skipped = new Set(stories.filter((story) => story.skipped).map(({ id }) => id));
  const folded = new Map<string, StoryId>(stories.map(({ id }) => [id.toLowerCase(), id]));
  const problems = stories.flatMap(({ id, dependsOn, skipped: isSkipped }, index) =>
    (isSkipped ? [] : dependsOn).flatMap((needed) => {
      const at = spans[index]?.start ?? 0;
      if (needed === id) return [{ at, message: `${id} depends on itself` }];
      if (skipped.has(needed)) return [{ at, message: `${id} depends on ${needed}, which is skipped` }];
      if (ids.has(needed)) return [];
      const meant = folded.get(needed.toLowerCase());
      const instead = meant === undefined ? "" : `; did you mean ${meant}?`;
      return [{ at, message: `${id} depends on ${JSON.stringify(needed)}, which is not in the file${instead}` }];
    }),
  );
  const cycle = problems.length > 0 ? null : findCycle(openOnly(stories));
  if (!cycle) return problems;
  const at = spans[stories.findIndex(({ id }) => id === cycle[0])]?.start ?? 0;
  return [{ at, message: `stories depend on each other: ${cycle.join(" -> ")}` }];
}

/** Stories that have not passed, without dependencies on those that have. */
function openOnly(stories: readonly PrdStory[]): readonly Pick<StorySpec, "id" | "dependsOn">[] {
  const passed = new Set(stories.filter(({ passes }) => passes).map(({ id }) => id));
  return stories
    .filter(({ passes }) => !passes)
    .map(({ id, dependsOn }) => ({ id, dependsOn: dependsOn.filter((needed) => !passed.has(needed)) }));
}
