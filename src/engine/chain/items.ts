// Repeats a step, or an included workflow, for each entry of a list: when the chain reaches it, the list is taken and recorded, and
// copies for the other entries stand behind it. From then on they are steps as all others.

import { counted } from "../../domain/counted.ts";
import type { StepDefinition } from "../../domain/definition.ts";
import type { StoryId } from "../../domain/ids.ts";
import { isWithin } from "../../domain/include.ts";
import { type Item, readItems } from "../../domain/item.ts";
import { contextOf } from "../../domain/run.ts";
import { isOver, type Step } from "../../domain/step.ts";
import { bodyOf } from "../definitions.ts";
import type { Draft } from "../draft.ts";
import { failStep } from "../status-changes.ts";
import { passBy, stepsLeft } from "./edits.ts";
import { newIds } from "./step-ids.ts";

export interface Repetition {
  /** The key that has the list. */
  readonly key: string;
  /** The included workflow that is repeated; null: the step alone. */
  readonly include: string | null;
}

/** Whether the step may run: its list is taken for this visit, or it runs for a later entry. Else the list is taken, and it waits. */
export function hasItems(draft: Draft, story: StoryId | null, step: Step, repetition: Repetition): boolean {
  const { item, visit } = step;
  if (item && (item.first !== step.id || step.itemsVisit === visit)) return true;
  takeItems(draft, story, step, repetition);
  return false;
}

function takeItems(draft: Draft, story: StoryId | null, step: Step, { key, include }: Repetition): void {
  const context = contextOf(draft.run, story);
  const read = readItems(key, Object.hasOwn(context, key) ? context[key] : undefined);
  if ("wrong" in read) return failWaiting(draft, story, step, `${include ?? step.name}: ${read.wrong}`);
  const { items } = read;
  const [value] = items;
  if (value === undefined) return passBy(draft, story, step, `${key} is empty`, include);
  const group = groupOf(draft, story, step, include);
  const names = groupNames(draft, story, step, include);
  const before = copiesOf(draft, story, step);
  const isSame = step.item !== undefined && entriesOf([step, ...before]).join("\0") === items.join("\0");
  const dropped = isSame ? [] : before.map(({ id }) => id);
  const room = stepsLeft(draft, story) + dropped.length;
  if (!isSame && (items.length - 1) * names.length > room) {
    const full = `${include ?? step.name}: ${counted(items.length, "entry", "entries")} of ${key} need more steps than the chain may have`;
    return failWaiting(draft, story, step, full);
  }
  if (dropped.length > 0)
    draft.emit(story, { type: "steps_skipped", steps: dropped, by: "list", reason: `${key} was read again` });
  const others = (isSame ? [] : items.slice(1)).flatMap((entry, index) =>
    names.map((name) => ({ name, entry, number: index + 2 })),
  );
  const ids = newIds(
    draft.run,
    story,
    others.map(({ name }) => name),
  );
  const itemOf = (entry: string, number: number): Item => ({
    value: entry,
    number,
    of: items.length,
    first: step.id,
    ...(include === null ? {} : { include }),
  });
  draft.emit(story, {
    type: "items_taken",
    step: step.id,
    key,
    item: itemOf(value, 1),
    steps: group.map(({ id }) => id),
    after: group.at(-1)?.id ?? step.id,
    copies: ids.flatMap((id, index) => {
      const other = others[index];
      return other ? [{ id, name: other.name, item: itemOf(other.entry, other.number) }] : [];
    }),
  });
}

/** A step that waits cannot fail: it is opened first. */
function failWaiting(draft: Draft, story: StoryId | null, step: Step, reason: string): void {
  draft.emit(story, { type: "step_opened", step: step.id });
  failStep(draft, story, step, reason);
}

/** The steps that run for the first entry, as they stand in the chain. */
function groupOf(draft: Draft, story: StoryId | null, step: Step, include: string | null): readonly Step[] {
  if (include === null) return [step];
  const { chain } = draft.scope(story);
  const behind = chain.slice(chain.findIndex(({ id }) => id === step.id));
  return behind.filter(({ name, item }) => {
    const isFirst = item === undefined || (item.first === step.id && item.number === 1);
    return isFirst && isWithin(draft.definition(story, name), include);
  });
}

function groupNames(draft: Draft, story: StoryId | null, { name }: Step, include: string | null) {
  if (include === null) return [name];
  const definitions: readonly StepDefinition[] =
    story === null ? draft.run.header.definition.steps : bodyOf(draft.run, story).body;
  return definitions.filter((each) => !each.spare && isWithin(each, include)).map((each) => each.name);
}

/** What was added for a list that was taken before, and is still to run. */
function copiesOf(draft: Draft, story: StoryId | null, step: Step): readonly Step[] {
  const { chain } = draft.scope(story);
  return chain.filter((other) => other.item?.first === step.id && other.item.number > 1 && !isOver(other));
}

function entriesOf(steps: readonly Step[]): readonly string[] {
  const entries = new Map(steps.flatMap(({ item }) => (item ? [[item.number, item.value] as const] : [])));
  return [...entries.values()];
}
