// Parking. Owns: keeping the state of a story while it is in no slot, and deleting what was kept for a run.

import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { readJson, writeJson } from "../../system/files/json-file.ts";
import { clearLock } from "../git/locks.ts";
import { changeRefs, dropRefs, readRefs } from "../git/refs.ts";
import { putBack } from "../integration/remembered-state.ts";
import { integratedRefs, publishedRefs } from "../integration/tip.ts";
import { assertSafe, assertSlot, type OwnedTree, writeMarker } from "../trees/ownership.ts";
import { forgetOperations, removeLocks } from "../trees/restore.ts";
import { parseSnapshot, snapshotRefs, takeSnapshot } from "../trees/snapshot.ts";
import { handedRefs, parkedRefs } from "./story-refs.ts";

export interface Parking {
  readonly path: string;
  readonly run: string;
  readonly story: string;
  readonly file: string;
}

/** Where the work of a story is: in a snapshot while it is parked, else on its branch, in some slot. */
export interface Whereabouts {
  /** The branch that was made for the story. */
  readonly branch: string;
  readonly parked: string | null;
  /** The commit that the branch was made from, where that is known. */
  readonly start?: string;
}

/** Keeps the exact state of the story, even after its tree is removed, and frees the slot. */
export async function parkStory({ path, run, story, file }: Parking): Promise<void> {
  const tree = assertSlot(path, run, story);
  if (tree.marker.story !== story) return;
  if (tree.marker.entered) await keep(tree, story, file);
  await emptySlot(tree);
}

/** The snapshot of a parked story; null if it is not parked. */
export function readParked(file: string): string | null {
  return readWhereabouts(file)?.parked ?? null;
}

/** Deletes all refs that were kept for a run. */
export async function dropRunRefs(repo: string, run: string): Promise<void> {
  assertSafe(run);
  await dropRefs(repo, [`refs/pawl/parked/${run}`, handedRefs(run), integratedRefs(run), publishedRefs(run)]);
}

export function readWhereabouts(file: string): Whereabouts | null {
  const read = readJson(file) as Partial<Whereabouts> | null;
  return typeof read?.branch === "string" && read.parked !== undefined ? (read as Whereabouts) : null;
}

export function writeWhereabouts(file: string, whereabouts: Whereabouts): void {
  mkdirSync(dirname(file), { recursive: true });
  writeJson(file, whereabouts);
}

async function keep(tree: OwnedTree, story: string, file: string): Promise<void> {
  const { gitDir, path, marker } = tree;
  removeLocks(gitDir);
  // What an interrupted integration left is not part of the state of the story.
  await putBack(tree);
  const parked = await takeSnapshot(path);
  const { head, content } = parseSnapshot(parked);
  const refs = parkedRefs(marker.run, story);
  const of = await readRefs(path, [snapshotRefs(path)]);
  const kept = [...new Set([head, ...(content === null ? [] : [content]), ...of.values()])];
  // Earlier snapshots too: a lost attempt is rolled back to its own one, in whatever slot the story is entered next.
  await changeRefs(path, [
    ...kept.map((commit) => `update ${refs}/${commit} ${commit}`),
    ...[...of.keys()].map((ref) => `delete ${ref}`),
  ]);
  const start = marker.start === undefined ? {} : { start: marker.start };
  writeWhereabouts(file, { branch: marker.branch ?? "", parked, ...start });
  // From here on the file decides.
  writeMarker(gitDir, { ...marker, entered: false });
}

/** Takes a story out of a tree that has none of its work: the story is parked, or entering it was interrupted. */
export async function emptySlot({ path, gitDir, commonDir, marker }: OwnedTree): Promise<void> {
  forgetOperations(gitDir);
  removeLocks(gitDir);
  // Only Pawl makes that branch, so the lock is from a git of Pawl that was killed.
  const lock = join(commonDir, "refs/heads", `${marker.takes}.lock`);
  if (marker.takes !== undefined) await clearLock(lock, { commonDir }, 0);
  // Frees the branch for another slot. The base is reachable from the branch that the tree was made from, so no commit is lost.
  await changeRefs(path, ["option no-deref", `update HEAD ${marker.base}`]);
  // A branch that is still at the base has no work on it, so it is deleted.
  if (marker.takes !== undefined) await changeRefs(path, [`delete refs/heads/${marker.takes} ${marker.base}`]);
  const { takes: _, start: __, ...free } = marker;
  writeMarker(gitDir, { ...free, branch: null, story: null, entered: false });
}
