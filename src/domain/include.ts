// Workflows that stand in another one as a step. Their steps are part of the chain, with the id of that step before their own; what is
// here says which steps these are, and under which names their keys are kept.

import { generalKeys } from "./context.ts";
import type { Route, Spend } from "./route.ts";

/** One workflow that was included. */
export interface Include {
  /** Its own id, as its file has it. */
  readonly workflow: string;
  readonly title: string;
  /** What its caps leave for the attempts of its steps; absent: the file sets none. */
  readonly budget?: IncludeBudget;
}

/** What the attempts of all its steps may use together in one chain. */
export interface IncludeBudget {
  readonly attempts: number | null;
  readonly spend: Spend;
  /** Where it leads once that is used up: to a failure, or to a person. */
  readonly then: Route;
}

/** Where an included step comes from. */
export interface Inclusion {
  /** The id of the step that includes; of includes inside of each other all ids: `release.audit`. */
  readonly id: string;
  /** The keys that leave it: as its steps print them, with their names in the context. */
  readonly outputs: Readonly<Record<string, string>>;
}

interface Includable {
  readonly include?: Inclusion;
}

const everywhere: ReadonlySet<string> = new Set(generalKeys);

/** The name in the context of a key that a step prints. What an included step prints is its workflow's own, unless it is an output. */
export function contextKey({ include }: Includable, key: string): string {
  if (include === undefined || everywhere.has(key)) return key;
  const { outputs } = include;
  return Object.hasOwn(outputs, key) ? (outputs[key] ?? key) : `${include.id}.${key}`;
}

/** Whether a step belongs to the include of this id, or to one inside of it. */
export function isWithin({ include }: Includable, id: string): boolean {
  return include !== undefined && (include.id === id || include.id.startsWith(`${id}.`));
}

/** The include of the file itself that a step belongs to; null: the step is the file's own. */
export function outermostInclude(
  { includes = {} }: { readonly includes?: Readonly<Record<string, Include>> },
  step: Includable,
): string | null {
  const ids = Object.keys(includes).filter((id) => isWithin(step, id));
  return ids.toSorted((left, right) => left.length - right.length)[0] ?? null;
}
