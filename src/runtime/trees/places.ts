// Where the work of a run lies: the trees that it and its stories work in, the branches that get their commits, and the files that are
// involved.

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { PartName, RunId, StoryId } from "../../domain/ids.ts";
import type { Run } from "../../domain/run.ts";
import { bodyOf } from "../../engine/definitions.ts";
import { sha256Of } from "../../system/sha256.ts";
import type { IntegrationTarget } from "../../workspaces/integration/tip.ts";
import type { Parts } from "../parts.ts";

/** The slot that a story works in; null if it works in the tree of its run, or has none now. */
export function slotOf(run: Run, story: StoryId | null): number | null {
  return run.header.stories.find((entry) => entry.id === story)?.slot ?? null;
}

export function slotPath(parts: Pick<Parts, "home">, run: RunId, slot: number): string {
  return join(parts.home.worktrees, `${run}-${slot}`);
}

/** The trees of all slots of a run, also those that are half made or half removed. */
export function slotPaths(parts: Pick<Parts, "home">, run: RunId): readonly string[] {
  const { worktrees } = parts.home;
  const names = existsSync(worktrees) ? readdirSync(worktrees) : [];
  const slots = names.flatMap((name) =>
    name.startsWith(`${run}-`) ? (/^\d+/.exec(name.slice(run.length + 1)) ?? []) : [],
  );
  return [...new Set(slots)].map((slot) => join(worktrees, `${run}-${slot}`));
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

/** The trees of parts that change files, one folder for each: `STORY+PART/PART`, without a story `+PART/PART`. */
export function partsFolder(parts: Pick<Parts, "home">, run: RunId): string {
  return join(parts.home.worktrees, `${run}.parts`);
}

export function partTree(parts: Pick<Parts, "home">, run: RunId, story: StoryId | null, part: PartName): string {
  // Nothing has a plus in its name, so no story and part make the name of another.
  return join(partsFolder(parts, run), `${story ?? ""}+${part}`, part);
}

/** The branches that get the commits of a run's stories, one after the other. */
export function integrationTarget(run: Run): IntegrationTarget {
  const { place } = run.header;
  return {
    repo: place.repo ?? "",
    run: run.header.id,
    base: place.baseName ?? "",
    baseAt: place.baseAt ?? place.base ?? "",
    floor: place.base ?? "",
    side: place.branch ?? `pawl/${run.header.id}`,
  };
}

/** The name that the branch of a story should have. */
export function branchOf(run: Run, story: StoryId): string {
  return `${bodyOf(run, story).branchPrefix ?? "pawl/"}${story}`;
}

/** One integration at a time for each base branch, over all runs. */
export function integrationPermit(run: Run): string {
  const { repo, base } = integrationTarget(run);
  return `integrate:${repo}:${base}`;
}

/** The file that says that the user's checkout is being moved forward, so that a crash can be repaired. */
export function intentFile(
  parts: Pick<Parts, "home">,
  { repo, base }: Pick<IntegrationTarget, "repo" | "base">,
): string {
  const name = sha256Of(`${repo}\0${base}`).slice(0, 16);
  return join(parts.home.forwarding, `${name}.json`);
}

/** Files that Pawl itself writes in the user's checkout. They do not count as uncommitted changes. */
export function ownFiles({ protocols }: Pick<Parts, "protocols">, { header }: Run): readonly string[] {
  return protocols.of(header.definition).ownFiles(header);
}
