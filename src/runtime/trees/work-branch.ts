// The branch that has the work of a run. Every status shows it, so git is loaded and asked only where files do not say it.

import { hasStoryTrees } from "../../domain/definition.ts";
import type { Header, RunPlace } from "../../domain/run.ts";
import { layoutOf } from "../../system/git-directory.ts";
import { branchFor } from "../../workspaces/branches/branch-name.ts";
import { refsStarting } from "../../workspaces/git/ref-files.ts";

type PlacedRun = Pick<Header, "place" | "definition" | "context" | "task">;

/** The branch of the run's own tree, or the one that a step has reported; null while there is none. */
export function ownBranch({ place, context }: Pick<Header, "place" | "context">): string | null {
  return place.branch ?? context["branch"] ?? null;
}

/**
 * The branch that has commits of the run; null while none has. Where stories are integrated one by one that is the base, or the side
 * branch while the base could not be moved.
 */
export async function findWorkBranch(header: PlacedRun, number: number): Promise<string | null> {
  const { place, definition } = header;
  const own = ownBranch(header);
  // Without a branch of its own, its commits get this one when its tree is removed.
  if (!hasStoryTrees(definition)) return await withWork(place, own ?? branchFor(number, header.task));
  const side = await withWork(place, own);
  return side !== null && !(await isOnBase(place, side)) ? side : await withWork(place, place.baseName);
}

/** The name if that branch is there and is not where the run began. */
async function withWork({ repo, base }: RunPlace, name: string | null): Promise<string | null> {
  const commit = repo === null || name === null ? null : await commitOf(repo, name);
  return commit === null || commit === base ? null : name;
}

/** Whether the base has everything that is on the side branch. */
async function isOnBase({ repo, baseName }: RunPlace, side: string): Promise<boolean> {
  if (repo === null || baseName === null) return false;
  const [base, commit] = [await commitOf(repo, baseName), await commitOf(repo, side)];
  if (base === null || base === commit) return base !== null;
  const { isIn } = await import("../../workspaces/integration/ancestry.ts");
  return commit !== null && (await isIn(repo, commit, base));
}

async function commitOf(repo: string, name: string): Promise<string | null> {
  const ref = `refs/heads/${name}`;
  const layout = layoutOf(repo);
  const refs = layout && refsStarting(layout.commonDir, [ref]);
  if (refs !== null) return refs.get(ref) ?? null;
  const { branchCommit } = await import("../../workspaces/git/head.ts");
  // A repository that is gone does not hide the run.
  return await branchCommit(repo, name).catch(() => null);
}
