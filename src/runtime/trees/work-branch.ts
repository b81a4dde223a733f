// The branch that has the work of a run. Owns: which branch that is, for messages, status and closing alike.

import { hasStoryTrees } from "../../domain/definition.ts";
import type { Header } from "../../domain/run.ts";
import { branchCommit } from "../../workspaces/git/head.ts";

type Placed = Pick<Header, "place" | "definition" | "context">;

/** The branch of the run's own tree, or the one that a step has reported; null while there is none. */
export function ownBranch({ place, context }: Pick<Header, "place" | "context">): string | null {
  return place.branch ?? context["branch"] ?? null;
}

/** Where stories are integrated one by one, the base gets them; `hasSide` says that it could not be moved and the side branch has them. */
export function workBranch(header: Placed, hasSide = false): string | null {
  return hasStoryTrees(header.definition) && !hasSide ? header.place.baseName : ownBranch(header);
}

/** As `workBranch`, after asking git whether there is a side branch. */
export async function findWorkBranch(header: Placed): Promise<string | null> {
  const { place, definition } = header;
  const side = ownBranch(header);
  const asksGit = hasStoryTrees(definition) && place.repo !== null && side !== null;
  return workBranch(header, asksGit && (await branchCommit(place.repo, side)) !== null);
}
