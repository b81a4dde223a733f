// Paths of trees. Owns: where a run and each of its stories work.

import { join } from "node:path";
import type { RunId, StoryId } from "../../domain/ids.ts";
import type { Run } from "../../domain/run.ts";
import type { Parts } from "../parts.ts";

/** The slot that a story works in; null if it works in the tree of its run, or has none now. */
export function slotOf(run: Run, story: StoryId | null): number | null {
  return run.header.stories.find((entry) => entry.id === story)?.slot ?? null;
}

export function slotPath(parts: Pick<Parts, "home">, run: RunId, slot: number): string {
  return join(parts.home.worktrees, `${run}-${slot}`);
}

/** The file with the state of a story whose slot another story has now. */
export function parkingFile(parts: Pick<Parts, "home">, run: RunId, story: StoryId): string {
  return join(parts.home.worktrees, `${run}.parked`, `${story}.json`);
}

export function workspacePath(parts: Pick<Parts, "home">, run: Run, story: StoryId | null): string {
  const { id, place } = run.header;
  const slot = slotOf(run, story);
  if (slot !== null) return slotPath(parts, id, slot);
  if (place.kind === "worktree") return join(parts.home.worktrees, id);
  return place.repo ?? join(parts.home.worktrees, id);
}
