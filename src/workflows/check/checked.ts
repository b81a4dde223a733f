// One chain with everything that a check of it needs, and where its parts were written.

import type { Definition, StepDefinition, StoriesStep } from "../../domain/definition.ts";
import type { Route } from "../../domain/route.ts";
import { formatPath, type Path } from "../document/problem.ts";
import type { Reading } from "../document/reading.ts";

export interface Checked {
  readonly definition: Definition;
  readonly reading: Reading;
  readonly chain: readonly StepDefinition[];
  /** The stories step whose body the chain is; null for the run's own chain. */
  readonly bodyOf: StoriesStep | null;
}

/** Where a thing was written; a default is placed at its step. */
export function originOf(reading: Reading, thing: object, step: object = thing): Path {
  return reading.origins.get(thing) ?? reading.origins.get(step) ?? [];
}

/** The step and its route as the file spells it: `Step 'b' on_decision.approved.next_step`. */
export function labelOf(reading: Reading, route: Route, step: StepDefinition): string {
  const above = reading.origins.get(step)?.length ?? 0;
  const path = reading.origins.get(route);
  return `Step '${step.name}' ${path ? formatPath(path.slice(above)) : route.to}`;
}
