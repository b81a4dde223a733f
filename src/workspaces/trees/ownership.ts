// Ownership of trees. Owns: the marker that says that Pawl made a tree, and the refusal to change any other tree.

import { existsSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { AppError } from "../../domain/error.ts";
import { isSafeId } from "../../domain/ids.ts";
import { readJson, writeJson } from "../../system/files/json-file.ts";
import { realPath } from "../../system/files/paths.ts";
import { replaceFile } from "../../system/files/whole-file.ts";
import { type Layout, layoutOf, treeOfEntry } from "../../system/git-directory.ts";

/** Kept in the git directory of the tree, where `git add` and `git clean` of agents do not reach it. It is written last. */
export interface TreeMarker {
  readonly version: 1;
  readonly run: string;
  /** The path at which Pawl made the tree: a copy elsewhere does not belong to Pawl. */
  readonly path: string;
  readonly base: string;
  /** The branch that was made for the tree; in a slot, for the story that is in it. */
  readonly branch: string | null;
  /** In a slot: the commit that the branch of the story was made from, where that is known. */
  readonly start?: string;
  /** In a slot: the story whose work is in the tree; null or missing when the slot is free. */
  readonly story?: string | null;
  /** In a slot: the tree is ready for the story to work in. Before that, and once the story is parked, its files do not count. */
  readonly entered?: boolean;
  /** In a slot: the branch that is being made. After a crash Pawl knows by it that the branch is its own. */
  readonly takes?: string;
}

export interface OwnedTree extends Layout {
  readonly path: string;
  readonly marker: TreeMarker;
}

const markerName = "pawl.json";

/** Every function that resets, cleans, switches or removes a tree calls this first. */
export function assertOwned(path: string): OwnedTree {
  const tree = ownedTree(path);
  if (tree !== null) return tree;
  throw new AppError("REFUSED", `${path} is not a worktree that Pawl made: it is left as it is`, {
    hint: "only worktrees of runs are reset or removed; change your own checkout yourself",
  });
}

/** Refuses any tree that is not a slot of the run. The ids become parts of refs, so they are checked here too. */
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

/** The tree at `path` if Pawl made it; null for a checkout of the user, a copy, or no tree at all. */
export function ownedTree(path: string): OwnedTree | null {
  const real = realPath(path);
  const layout = layoutOf(real);
  // In a main checkout the two directories are the same. Pawl never makes one, whatever lies in it.
  if (layout === null || layout.gitDir === layout.commonDir) return null;
  const marker = readMarker(layout.gitDir);
  const isHere = marker?.path === real && treeOfEntry(layout.gitDir) === real;
  return marker !== null && isHere ? { ...layout, path: real, marker } : null;
}

export function writeMarker(gitDir: string, marker: TreeMarker): void {
  writeJson(join(gitDir, markerName), marker);
  const record: TreeRecord = { ...marker, gitDir, commonDir: resolve(gitDir, "../..") };
  // Not flushed: it only repeats what the marker says.
  replaceFile(recordFile(marker.path), (draft) => writeFileSync(draft, `${JSON.stringify(record)}\n`, { flag: "wx" }));
}

/** What Pawl knows of a tree besides its git directory, in a file beside the tree: an agent may break all that lies in the tree. */
export interface TreeRecord extends TreeMarker, Layout {}

export function readTreeRecord(path: string): TreeRecord | null {
  const record = readJson(recordFile(path)) as Partial<TreeRecord> | null;
  const isRecord = record?.version === 1 && record.path === path && typeof record.gitDir === "string";
  return isRecord ? (record as TreeRecord) : null;
}

/** Stamps the record with the time of the file system that has the tree; null where Pawl made no tree. */
export function stampTreeRecord(path: string): number | null {
  const file = recordFile(path);
  try {
    const now = new Date();
    utimesSync(file, now, now);
    return statSync(file).ctimeMs;
  } catch {
    return null;
  }
}

export function removeTreeRecord(path: string): void {
  rmSync(recordFile(path), { force: true });
}

function recordFile(path: string): string {
  return `${path}.tree.json`;
}

export function readMarker(gitDir: string): TreeMarker | null {
  const marker = readJson(join(gitDir, markerName)) as Partial<TreeMarker> | null;
  const isMarker = marker?.version === 1 && typeof marker.run === "string" && typeof marker.path === "string";
  return isMarker ? (marker as TreeMarker) : null;
}

/** Restores the `.git` file of a tree that Pawl made, if an agent has deleted it. */
export function relink(commonDir: string, path: string): void {
  const entry = entryFor(commonDir, path);
  if (entry === null || readMarker(entry)?.path !== path || !existsSync(path) || existsSync(join(path, ".git"))) return;
  writeFileSync(join(path, ".git"), `gitdir: ${entry}\n`);
}

/** The git directory that the repository keeps for the tree at `path`, also when the tree itself is gone. */
export function entryFor(commonDir: string, path: string): string | null {
  return entriesOf(commonDir).find((gitDir) => treeOfEntry(gitDir) === path) ?? null;
}

/** The git directories of all linked trees of a repository. */
export function entriesOf(commonDir: string): readonly string[] {
  const entries = join(commonDir, "worktrees");
  if (!existsSync(entries)) return [];
  return readdirSync(entries).map((name) => join(entries, name));
}
