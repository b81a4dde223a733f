// Planned stories. Owns: finding STORIES_JSON in what an agent prints and checking the whole plan before any of it is
// used. Does not own: the run's list of stories.

import { isSafeId, type StoryId, storyId } from "../domain/ids.ts";
import type { StorySpec } from "../domain/story.ts";
import { findCycle } from "./cycle.ts";
import { placeOf, spanJson } from "./json.ts";
import { type KeyLine, readKeyLine } from "./keyline.ts";
import { cleanText } from "./plaintext.ts";

export const storiesKey = "stories_json";
const maxStories = 20;
const maxProblemsShown = 5;

type PlannedStories =
  | { readonly kind: "none" }
  | { readonly kind: "stories"; readonly stories: readonly StorySpec[]; readonly notes: readonly string[] }
  | { readonly kind: "invalid"; readonly problem: string };

export function readStories(text: string): PlannedStories {
  const cleaned = cleanText(text).text;
  const starts = findStarts(cleaned);
  const start = starts.at(-1);
  if (start === undefined) return { kind: "none" };
  const json = parseFrom(cleaned, start);
  if (!json.ok) return { kind: "invalid", problem: json.problem };
  const notes = starts.length > 1 ? ["STORIES_JSON was given more than once; the last one counts"] : [];
  return checkPlan(json.value, notes);
}

/** In a list, `STORIES_JSON: is missing a field` is about it; followed by JSON, a block or nothing it is one. */
export function isStoriesLine({ key, value, nested }: KeyLine): boolean {
  return key === storiesKey && (!nested || value === "" || /^(?:[[{]|```|~~~)/.test(value));
}

/** Positions right after each `STORIES_JSON:`. */
function findStarts(text: string): readonly number[] {
  const starts: number[] = [];
  let offset = 0;
  for (const line of text.split("\n")) {
    const keyLine = readKeyLine(line);
    if (keyLine && isStoriesLine(keyLine))
      starts.push(offset + line.indexOf(keyLine.spelling) + keyLine.spelling.length);
    offset += line.length + 1;
  }
  return starts;
}

type Parsed = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: string };

function parseFrom(text: string, start: number): Parsed {
  const opening = /^\s*(?:(?:`{3,}|~{3,})[^\S\n]*(?:json[c5]?)?\s*)?/i.exec(text.slice(start));
  const from = start + (opening?.[0].length ?? 0);
  const span = spanJson(text, from);
  if (span.ok) {
    try {
      return { ok: true, value: JSON.parse(text.slice(from, span.end)) };
    } catch (error) {
      return { ok: false, problem: `STORIES_JSON is not valid JSON: ${(error as Error).message}` };
    }
  }
  const { line, column } = placeOf(text, span.at);
  const found = foundAt(text, span.at);
  const problem = `STORIES_JSON is not valid JSON at line ${line}, column ${column}: expected ${span.expected}, found ${found}`;
  return { ok: false, problem };
}

function foundAt(text: string, at: number): string {
  if (text.slice(at).trim() === "") return "the end of the output";
  const keyLine = readKeyLine(/^[^\n]*/.exec(text.slice(at, at + 200))?.[0] ?? "");
  if (keyLine?.plain) return `the line ${keyLine.spelling}`;
  const rest = text.slice(at, at + 12).toWellFormed();
  return rest.startsWith("\n") ? "a line break" : JSON.stringify(rest.split("\n")[0]);
}

function checkPlan(value: unknown, notes: readonly string[]): PlannedStories {
  if (!Array.isArray(value)) return { kind: "invalid", problem: "STORIES_JSON must be an array of stories" };
  if (value.length === 0) return { kind: "invalid", problem: "STORIES_JSON must not be empty" };
  if (value.length > maxStories) {
    const problem = `STORIES_JSON has ${value.length} stories; at most ${maxStories} are allowed`;
    return { kind: "invalid", problem };
  }
  const problems: string[] = [];
  const noted = new Set(notes);
  const stories = value.map((element, index) => checkStory(element, `STORIES_JSON[${index}]`, problems, noted));
  if (problems.length === 0) problems.push(...checkIds(stories), ...checkDependencies(stories));
  if (problems.length === 0) return { kind: "stories", stories, notes: [...noted] };
  const more = problems.length - maxProblemsShown;
  const shown = problems.slice(0, maxProblemsShown).join("; ");
  return { kind: "invalid", problem: more > 0 ? `${shown}; and ${more} more` : shown };
}

const knownFields = new Set(["id", "title", "description"]);
const criteriaFields = ["acceptanceCriteria", "acceptance_criteria"] as const;
const dependencyFields = ["dependsOn", "depends_on"] as const;

/** Always gives a story; it is used only when nothing was added to `problems`. */
function checkStory(element: unknown, where: string, problems: string[], notes: Set<string>): StorySpec {
  const fields = new Map<string, unknown>();
  if (typeof element === "object" && element !== null && !Array.isArray(element))
    for (const [name, value] of Object.entries(element)) fields.set(name, value);
  else problems.push(`${where} must be an object`);
  if (fields.size === 0 && problems.length > 0) return blank;

  const text = (name: string): string => {
    const value = fields.get(name);
    const kept = typeof value === "string" ? cleanText(value).text.trim() : "";
    if (kept === "") problems.push(`${where}.${name} must be a non-empty string`);
    return kept;
  };
  const spelled = <Name extends string>(names: readonly [Name, Name]): Name => {
    if (fields.has(names[0]) && fields.has(names[1])) notes.add(`${where}: ${names[0]} was used, not ${names[1]}`);
    return fields.has(names[0]) || !fields.has(names[1]) ? names[0] : names[1];
  };
  const criteria = spelled(criteriaFields);
  const dependencies = spelled(dependencyFields);
  const acceptanceCriteria = textsOf(fields.get(criteria));
  if (!acceptanceCriteria || acceptanceCriteria.length === 0)
    problems.push(`${where}.${criteria} must be a non-empty array of strings`);
  const dependsOn = dependenciesOf(fields.get(dependencies));
  if (!dependsOn) problems.push(`${where}.${dependencies} must be an array of story ids`);
  const known = new Set<string>([...knownFields, ...criteriaFields, ...dependencyFields]);
  const extra = [...fields.keys()].filter((name) => !known.has(name));
  if (extra.length > 0) notes.add(`${where}: ignored ${extra.slice(0, 10).join(", ").slice(0, 200)}`);

  const id = storyId(text("id"));
  const title = text("title").replace(/\s+/g, " ");
  const description = text("description");
  return { id, title, description, acceptanceCriteria: acceptanceCriteria ?? [], dependsOn: dependsOn ?? [] };
}

const blank: StorySpec = { id: storyId(""), title: "", description: "", acceptanceCriteria: [], dependsOn: [] };

function textsOf(value: unknown): readonly string[] | null {
  if (!Array.isArray(value)) return null;
  const texts = value.map((item: unknown) => (typeof item === "string" ? cleanText(item).text.trim() : ""));
  return texts.includes("") ? null : texts;
}

function dependenciesOf(value: unknown): readonly StoryId[] | null {
  if (value === undefined || value === null || value === "") return [];
  const ids = textsOf(typeof value === "string" ? [value] : value);
  return ids && [...new Set(ids)].map(storyId);
}

function checkIds(stories: readonly StorySpec[]): readonly string[] {
  const problems: string[] = [];
  const firsts = new Map<string, number>();
  for (const [index, { id }] of stories.entries()) {
    const where = `STORIES_JSON[${index}].id`;
    // Ids become names of files and branches, and some file systems do not tell case apart.
    const first = firsts.get(id.toLowerCase());
    if (!isSafeId(id)) problems.push(`${where} ${JSON.stringify(id)} may only have letters, digits, ".", "_" and "-"`);
    else if (first !== undefined) problems.push(`${where} "${id}" is already the id of STORIES_JSON[${first}]`);
    else firsts.set(id.toLowerCase(), index);
  }
  return problems;
}

function checkDependencies(stories: readonly StorySpec[]): readonly string[] {
  const ids = new Set(stories.map(({ id }) => id));
  const problems = stories.flatMap(({ dependsOn }, index) =>
    dependsOn
      .filter((id) => !ids.has(id))
      .map((id) => `STORIES_JSON[${index}].dependsOn names ${JSON.stringify(id)}, which is not in the plan`),
  );
  const cycle = findCycle(stories);
  if (cycle) problems.push(`STORIES_JSON has a cycle of dependencies: ${cycle.join(" -> ")}`);
  return problems;
}
