// Items: the entries of a list in the context, for each of which a step, or an included workflow, runs once, in order.

import type { StepId } from "./ids.ts";
import { listIn } from "./list.ts";

/** The entry that a step of a chain runs for. */
export interface Item {
  readonly value: string;
  /** From 1. */
  readonly number: number;
  readonly of: number;
  /** The step that took the list: the first of what runs for the first entry. */
  readonly first: StepId;
  /** The included workflow that runs for it; absent: one step alone does. */
  readonly include?: string;
}

/** More than this is a list that nobody meant. */
const mostItems = 1_000;

export type ReadItems = { readonly items: readonly string[] } | { readonly wrong: string };

/** The entries of a list: of a JSON list, or one a line. */
export function readItems(key: string, text: string | undefined): ReadItems {
  if (text === undefined) return { wrong: `${key} has no value` };
  const items = listIn(text);
  if (items === null) return { wrong: `${key} is not a JSON list, and not one entry a line` };
  if (items.length > mostItems) return { wrong: `${key} has ${items.length} entries, more than ${mostItems}` };
  return { items };
}
