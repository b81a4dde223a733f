// The run's own tree. Owns: making it, and bringing what another machine has made of it.

import { mkdirSync } from "node:fs";
import type { Attempt } from "../../domain/attempt.ts";
import { hasStoryTrees } from "../../domain/definition.ts";
import type { Run } from "../../domain/run.ts";
import type { LeftBranch } from "../../workspaces/trees/left-branch.ts";
import { parseSnapshot } from "../../workspaces/trees/snapshot.ts";
import { ensureWorktree } from "../../workspaces/trees/worktree.ts";
import type { Parts } from "../parts.ts";
import { newestElsewhere, receiveInOwnTree } from "./arrival.ts";
import { workspacePath } from "./places.ts";
import { excludeProtocolFiles } from "./protocol-folder.ts";
import { withTreeLock } from "./trees.ts";

type OwnTreePorts = Pick<Parts, "trees" | "home" | "protocols" | "machines" | "log">;

/** Its path, where a step of the run may work now. */
export async function ensurePlace(parts: OwnTreePorts, run: Run): Promise<string> {
  const { id, place, definition } = run.header;
  const path = workspacePath(parts, run, null);
  if (place.kind === "directory") mkdirSync(path, { recursive: true });
  const { kind, repo, base, branch } = place;
  if (kind !== "worktree" || repo === null || base === null) return path;
  const make = async () => {
    await ensureWorktree({ run: id, repo, path, base, branch, left: leftBranchOf(run) });
    await excludeProtocolFiles(parts.protocols.of(definition), run.header);
  };
  // Parts of the first step may begin in several workers at once.
  await parts.trees.ensure(path, () => withTreeLock(path, make));
  await receiveInOwnTree(parts, run, path);
  return path;
}

/** Where the newest attempt in the run's own tree began; null: none has, or the tree had no branch. */
export function leftBranchOf({ header, stories }: Run): LeftBranch | null {
  const shared = hasStoryTrees(header.definition) ? [] : Object.values(stories).flatMap(({ attempts }) => attempts);
  return leftBranchIn([...header.attempts, ...shared]);
}

/** Where the newest of these attempts of one tree began. */
export function leftBranchIn(attempts: readonly Attempt[]): LeftBranch | null {
  const begun = attempts.flatMap(({ part, startedAt, state }) => {
    const base = part === undefined && "base" in state ? state.base : null;
    const snapshot = base === null ? null : parseSnapshot(base);
    return snapshot?.branch ? [{ startedAt, left: { name: snapshot.branch, commit: snapshot.head } }] : [];
  });
  return begun.toSorted((a, b) => a.startedAt - b.startedAt).at(-1)?.left ?? null;
}

/** Before the run is closed: its branch must have what was done elsewhere. */
export async function bringOwnTree(parts: OwnTreePorts, run: Run): Promise<void> {
  if ((await newestElsewhere(parts, run, null, () => true)) !== null) await ensurePlace(parts, run);
}
