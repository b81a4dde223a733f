// Ownership of trees. Owns: the marker that says a tree is ours, and the refusal to change any other.

import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../domain/error.ts";
import { isSafeId } from "../../domain/ids.ts";
import { readJson, writeJson } from "../../system/files/json-file.ts";
import { realPath } from "../../system/files/paths.ts";
import { type Layout, layoutOf, treeOfEntry } from "../../system/git-directory.ts";

/** Kept in the tree's own git directory, where no agent's `git add` or `git clean` meets it. It is written last. */
export interface TreeMarker {
  readonly version: 1;
  readonly run: string;
  /** Where the tree stood when it was made: a copy elsewhere is not ours. */
  readonly path: string;
  readonly base: string;
  /** The branch that was made for it; of a slot, for the story that is in it. */
  readonly branch: string | null;
  /** Of a slot: the story whose work the tree holds; null or missing when it is free. */
  readonly story?: string | null;
  /** Of a slot: the tree is the story's, ready to work in. Until then, and from the moment it is parked, nothing in it counts. */
  readonly entered?: boolean;
  /** Of a slot: a branch that did not exist and is being made. After a crash it is known to be ours. */
  readonly takes?: string;
}

export interface OwnedTree extends Layout {
  readonly path: string;
  readonly marker: TreeMarker;
}

const markerName = "pawl.json";

/** Every call that resets, cleans, switches or removes a tree passes through here first. */
export function assertOwned(path: string): OwnedTree {
  const tree = ownedTree(path);
  if (tree !== null) return tree;
  throw new AppError("REFUSED", `${path} is not a worktree that Pawl made: it is left as it is`, {
    hint: "only worktrees of runs are reset or removed; change your own checkout yourself",
  });
}

/** The tree as a slot of the run; any other is refused. Ids become parts of refs, so they are looked at here too. */
export function assertSlot(path: string, run: string, story: string): OwnedTree {
  for (const id of [run, story]) assertSafe(id);
  const tree = assertOwned(path);
  if (tree.marker.run === run) return tree;
  throw new AppError("REFUSED", `${path} belongs to run ${tree.marker.run}`, { hint: "use a slot of this run" });
}

export function assertSafe(id: string): void {
  if (isSafeId(id)) return;
  throw new AppError("INPUT_INVALID", `${JSON.stringify(id.slice(0, 80))} cannot be the id of a run or a story`, {
    hint: "use letters, digits, `-`, `_` and `.`, at most 64 of them",
  });
}

/** The tree at `path` if we made it; null for a checkout of the user's, a copy, or no tree at all. */
export function ownedTree(path: string): OwnedTree | null {
  const real = realPath(path);
  const layout = layoutOf(real);
  // In a main checkout the two are the same directory: that is never ours, whatever lies in it.
  if (layout === null || layout.gitDir === layout.commonDir) return null;
  const marker = readMarker(layout.gitDir);
  const isHere = marker?.path === real && treeOfEntry(layout.gitDir) === real;
  return marker !== null && isHere ? { ...layout, path: real, marker } : null;
}

export function writeMarker(gitDir: string, marker: TreeMarker): void {
  writeJson(join(gitDir, markerName), marker);
}

export function readMarker(gitDir: string): TreeMarker | null {
  const marker = readJson(join(gitDir, markerName)) as Partial<TreeMarker> | null;
  const isMarker = marker?.version === 1 && typeof marker.run === "string" && typeof marker.path === "string";
  return isMarker ? (marker as TreeMarker) : null;
}

/** Puts back the link from a tree of ours to its entry, where an agent has deleted it. */
export function relink(commonDir: string, path: string): void {
  const entry = entryFor(commonDir, path);
  if (entry === null || readMarker(entry)?.path !== path || !existsSync(path) || existsSync(join(path, ".git"))) return;
  writeFileSync(join(path, ".git"), `gitdir: ${entry}\n`);
}

/** The repository's own entry for the tree at `path`, also when the tree itself is gone. */
export function entryFor(commonDir: string, path: string): string | null {
  return entriesOf(commonDir).find((gitDir) => treeOfEntry(gitDir) === path) ?? null;
}

/** The git directories of all linked trees of a repository. */
export function entriesOf(commonDir: string): readonly string[] {
  const entries = join(commonDir, "worktrees");
  if (!existsSync(entries)) return [];
  return readdirSync(entries).map((name) => join(entries, name));
}
