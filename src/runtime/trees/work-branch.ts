// The branch that has the work of a run, as far as the store knows. It has a file of its own, without git, because every status shows it.

import { hasStoryTrees } from "../../domain/definition.ts";
import type { Header } from "../../domain/run.ts";

export type PlacedRun = Pick<Header, "place" | "definition" | "context">;

/** The branch of the run's own tree, or the one that a step has reported; null while there is none. */
export function ownBranch({ place, context }: Pick<Header, "place" | "context">): string | null {
  return place.branch ?? context["branch"] ?? null;
}

/** Where stories are integrated one by one, the base gets them; `hasSide` says that it could not be moved and the side branch has them. */
export function workBranch(header: PlacedRun, hasSide = false): string | null {
  return hasStoryTrees(header.definition) && !hasSide ? header.place.baseName : ownBranch(header);
}
