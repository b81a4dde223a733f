// Finds what changed in a PRD since its run knows it, and says which changes the run can still take.

import { fixStoryPrefix, type StoryId } from "../../domain/ids.ts";
import { isUnbegun, type StoryEntry, type StorySpec } from "../../domain/story.ts";
import type { FoundRun } from "../protocol.ts";
import type { Prd } from "./prd.ts";

interface PrdChanges {
  /** All stories that have not begun, in the order of the file, if one of them has other words. */
  readonly replaced: readonly StorySpec[];
  readonly dropped: readonly StoryId[];
  readonly done: readonly StoryId[];
  readonly notes: readonly string[];
}

export function changesIn(found: {
  readonly run: FoundRun;
  /** As the run planned them. */
  readonly specs: readonly StorySpec[];
  readonly file: string;
  readonly prd: Prd;
  /** Stories of an imported state need not be in the PRD. */
  readonly keepsUnknown: boolean;
}): PrdChanges {
  const { run, file, prd, keepsUnknown } = found;
  const entries = run.header.stories;
  const written = new Map(prd.stories.map((story) => [story.id, story]));
  const planned = new Map(found.specs.map((spec) => [spec.id, spec]));
  const open = new Map(openSpecs(new Set(entries.map(({ id }) => id)), prd).map((spec) => [spec.id, spec]));
  const isOfPerson = ({ id }: StoryEntry) => planned.get(id)?.byPerson === true;
  const isGone = (entry: StoryEntry) => !isOfPerson(entry) && isMissing(entry);
  const isMissing = ({ id }: StoryEntry) => !written.has(id) && !keepsUnknown && !id.startsWith(fixStoryPrefix);
  const passes = ({ id }: StoryEntry) => written.get(id)?.passes === true;
  const isOther = (entry: StoryEntry) => !isOfPerson(entry) && differs(open.get(entry.id), planned.get(entry.id));

  const unbegun = entries.filter(isUnbegun);
  const removed = unbegun.filter(isGone).map(({ id }) => id);
  const done = unbegun.filter(passes).map(({ id }) => id);
  const changed = unbegun.filter(isOther).map(({ id }) => id);
  const waiting = new Set(changed.length === 0 ? [] : unbegun.map(({ id }) => id));
  const inFile = [...open.values()].map((spec) =>
    planned.get(spec.id)?.byPerson ? (planned.get(spec.id) ?? spec) : spec,
  );
  const replaced = inFile.filter(({ id }) => waiting.has(id));
  const begun = entries.filter((entry) => !isUnbegun(entry));
  const late = begun.filter(({ status }) => status !== "done" && status !== "cancelled");
  return {
    replaced,
    dropped: [...removed, ...replaced.map(({ id }) => id)],
    done,
    notes: [
      ...listed(`removed from ${file}, and no longer planned`, removed),
      ...listed(`passes in ${file}, and counts as done`, done),
      ...listed(`changed in ${file}, and planned as it is now`, changed),
      ...listed(
        `removed from ${file} after it had begun: it is finished (\`pawl cancel\` ends the run)`,
        idsOf(late.filter(isGone)),
      ),
      ...listed(`passes in ${file}, but has begun: it is finished`, idsOf(late.filter(passes))),
      ...listed(
        `changed in ${file} after it had begun: it keeps the words that it began with`,
        idsOf(begun.filter(isOther)),
      ),
    ],
  };
}

/** The stories that are not done. Dependencies that were done before the run knew them are dropped. */
export function openSpecs(known: ReadonlySet<StoryId>, prd: Prd): readonly StorySpec[] {
  const passed = new Set(prd.stories.filter(({ passes }) => passes).map(({ id }) => id));
  return prd.stories
    .filter(({ passes }) => !passes)
    .map((story) => {
      const dependsOn = story.dependsOn.filter((id) => known.has(id) || !passed.has(id));
      return { ...specOf(story), dependsOn };
    });
}

export function specOf({ passes: _read, ...spec }: Prd["stories"][number]): StorySpec {
  return spec;
}

function differs(one: StorySpec | undefined, other: StorySpec | undefined): boolean {
  return one !== undefined && other !== undefined && comparable(one) !== comparable(other);
}

function comparable({ title, description, acceptanceCriteria, dependsOn, priority, touches }: StorySpec): string {
  return JSON.stringify([title, description, acceptanceCriteria, dependsOn, priority ?? null, touches ?? []]);
}

function idsOf(entries: readonly StoryEntry[]): readonly StoryId[] {
  return entries.map(({ id }) => id);
}

function listed(what: string, ids: readonly StoryId[]): readonly string[] {
  return ids.length === 0 ? [] : [`${what}: ${ids.join(", ")}`];
}
