// Asks the condition of a step, from what the run knows at that moment. What is not known is never a yes.

import type { Condition } from "../domain/condition.ts";
import type { StoryId } from "../domain/ids.ts";
import { foldValue } from "../domain/route.ts";
import { contextOf, type Run, saidPlaces } from "../domain/run.ts";
import { saidBy } from "../domain/said.ts";
import { carries, votesFor, voteText } from "../domain/vote.ts";

/** Why the step does not run, in words; null: it runs. */
export function whyNot(run: Run, story: StoryId | null, condition: Condition): string | null {
  const { values } = condition;
  const words = values.join(" or ");
  if ("vote" in condition) {
    const said = saidBy(saidPlaces(run, story), condition.of);
    if (carries(condition, said, values)) return null;
    return `it runs if ${voteText(condition)} say ${words}, and ${votesFor(said, values)} of ${said.length} do`;
  }
  const { key } = condition;
  const context = contextOf(run, story);
  const value = Object.hasOwn(context, key) ? context[key] : undefined;
  if (value !== undefined && values.includes(foldValue(value))) return null;
  const wanted = `it runs if ${key} is ${words}`;
  return value === undefined ? `${wanted}, and ${key} has no value` : `${wanted}, and ${key} is ${shown(value)}`;
}

function shown(value: string): string {
  const line = value.trim().replace(/\s+/g, " ");
  return JSON.stringify(line.length > 60 ? `${line.slice(0, 59)}…` : line);
}
