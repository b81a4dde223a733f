// What stories and parts said, by name: `STEP.STORY.KEY` and `STEP.PART.KEY` are what one of them said, `STEP.*.KEY` what all of
// them said. The values are in the entries of the stories and in the parts of a step, so that every decision about a run has them.

import type { PartName, StepName, StoryId } from "./ids.ts";
import { givenParts, type Part } from "./part.ts";
import { foldValue } from "./route.ts";
import type { Chain } from "./step.ts";
import type { StoryEntry } from "./story.ts";

/** All values of one key that the stories or the parts of one step said. */
export interface SaidName {
  readonly step: StepName;
  readonly key: string;
}

/** What one story or part said; null: it did not set the key. */
export type SaidValue = Speaker & { readonly value: string | null };

/** Who said it. */
export type Speaker = { readonly story: StoryId } | { readonly part: PartName };

export function speakerName(speaker: Speaker): string {
  return "story" in speaker ? speaker.story : speaker.part;
}

/** Where what was said is looked up. */
export interface SaidPlaces {
  readonly stories: readonly StoryEntry[];
  /** The steps whose parts can be named: those of the scope itself first. */
  readonly chain: Chain;
}

export interface WithCollected {
  readonly definition: { readonly collects?: Readonly<Record<StepName, readonly string[]>> };
}

export const saidText = ({ step, key }: SaidName) => `${step}.*.${key}`;

/** A name in a text, of one of these steps; `by`: the story or part, `*` for all. Null: it is none. Ids may have points. */
export function readSaidName(text: string, steps: readonly StepName[]): (SaidName & { readonly by: string }) | null {
  const step = steps.find((name) => text.startsWith(`${name}.`));
  const [, by, key] = /^(.+)\.([^.]+)$/.exec(step === undefined ? "" : text.slice(step.length + 1)) ?? [];
  return step === undefined || by === undefined || key === undefined ? null : { step, by, key: foldValue(key) };
}

/** What each said, in the order of the plan or of the list. A story that was done elsewhere and a part that failed have said nothing. */
export function saidBy({ stories, chain }: SaidPlaces, name: SaidName): readonly SaidValue[] {
  const parts = chain.find((step) => step.name === name.step && step.parts !== undefined)?.parts;
  if (parts !== undefined) return givenParts(parts).flatMap((part) => saidByPart(part, name.key));
  return stories.flatMap((entry) =>
    isOf(entry, name.step) ? [{ story: entry.id, value: valueOf(entry, name.key) }] : [],
  );
}

/** A part that was stopped was not asked to the end: it is none of them. */
function saidByPart({ name, state, said = {} }: Part, key: string): readonly SaidValue[] {
  if (state.status === "stopped") return [];
  return [{ part: name, value: Object.hasOwn(said, key) ? (said[key] ?? null) : null }];
}

function isOf({ said, status }: StoryEntry, step: StepName): boolean {
  return said === undefined ? status === "done" : said.of === step;
}

function valueOf({ said }: StoryEntry, key: string): string | null {
  return said !== undefined && Object.hasOwn(said.values, key) ? (said.values[key] ?? null) : null;
}

/** A list of all of them stays readable, and small enough for a prompt. */
const longestList = 64 * 1024;
const cutMark = "\n… (more of them said it)";

/** Every name that has a value, in lower case, for templates. */
export function saidValues(places: SaidPlaces & WithCollected): Readonly<Record<string, string>> {
  const names = Object.entries(places.definition.collects ?? {}).flatMap(([step, keys]) =>
    keys.map((key): SaidName => ({ step: step as StepName, key })),
  );
  const values = names.flatMap((name) => {
    const said = saidBy(places, name).flatMap(({ value, ...speaker }) =>
      value === null ? [] : [{ by: speakerName(speaker), value }],
    );
    const each = said.map(({ by, value }) => [`${name.step}.${by}.${name.key}`, value] as const);
    return said.length === 0 ? [] : [[saidText(name), listOf(said)] as const, ...each];
  });
  return Object.fromEntries(values.map(([name, value]) => [name.toLowerCase(), value]));
}

/** One a line with its name; a value of several lines stays one entry. */
function listOf(said: readonly { readonly by: string; readonly value: string }[]): string {
  const list = said.map(({ by, value }) => `${by}: ${value.replaceAll("\n", "\n  ")}`).join("\n");
  return list.length <= longestList ? list : list.slice(0, longestList).toWellFormed() + cutMark;
}
