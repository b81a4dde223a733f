// Trees that come from another machine. Owns: putting the state that a machine has handed over where this one works. A state is brought
// once: after that, what this machine makes of it is newer.

import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { RunId, StoryId } from "../../domain/ids.ts";
import type { Run } from "../../domain/run.ts";
import type { HandOver } from "../../store/store.ts";
import { readJson, writeJson } from "../../system/files/json-file.ts";
import { branchCommit } from "../../workspaces/git/head.ts";
import { isIn } from "../../workspaces/integration/ancestry.ts";
import { assertThere, receiveStory } from "../../workspaces/slots/arriving.ts";
import { readParked } from "../../workspaces/slots/parking.ts";
import { occupantOf } from "../../workspaces/slots/slot.ts";
import { ownedTree } from "../../workspaces/trees/ownership.ts";
import { restoreSnapshot } from "../../workspaces/trees/restore.ts";
import { headIn, parseSnapshot, snapshotText } from "../../workspaces/trees/snapshot.ts";
import type { Parts } from "../parts.ts";
import { branchOf, parkingFile } from "./places.ts";

type ArrivalPorts = Pick<Parts, "home" | "machines" | "trees" | "log">;

/** The next entry of the story's slot then restores the state. */
export async function receiveInSlot(parts: ArrivalPorts, run: Run, story: StoryId, path: string): Promise<void> {
  const file = parkingFile(parts, run.header.id, story);
  const isHere = () => occupantOf(path) === story || readParked(file) !== null;
  const handed = await newestElsewhere(parts, run, story, isHere);
  if (handed === null) return;
  parts.trees.vacate(path);
  const { id, place } = run.header;
  const { snapshot, start } = handed;
  const branch = branchOf(run, story);
  await receiveStory({ path, run: id, repo: place.repo ?? "", story, file, branch, snapshot, start });
  recordArrival(parts, handed);
}

/** The run's own tree, which is there. */
export async function receiveInOwnTree(parts: ArrivalPorts, run: Run, path: string): Promise<void> {
  const handed = await newestElsewhere(parts, run, null, () => ownedTree(path) !== null);
  if (handed === null) return;
  const repo = run.header.place.repo ?? "";
  await assertThere(repo, handed.snapshot);
  await restoreSnapshot(path, await withSafeBranch(parts, run, path, repo, handed.snapshot));
  recordArrival(parts, handed);
}

/**
 * On the run's own branch, whatever branch its agent was on: that one may be the user's. An own one that has commits which the state does not
 * continue has a person's work; then the tree is detached.
 */
async function withSafeBranch(
  { home }: Pick<Parts, "home">,
  run: Run,
  path: string,
  repo: string,
  snapshot: string,
): Promise<string> {
  const { head, content, branch } = parseSnapshot(snapshot);
  const own = branch === null ? null : (ownedTree(path)?.marker.branch ?? null);
  const there = own === null ? null : await branchCommit(repo, own);
  const isOurs = there === null || there === headHere({ home }, run.header.id, null) || (await isIn(repo, there, head));
  return snapshotText({ head, content, branch: isOurs ? own : null });
}

/** What another machine has handed over and this one has not taken yet; null: the state here is the newest. */
export async function newestElsewhere(
  parts: Pick<Parts, "home" | "machines">,
  run: Run,
  story: StoryId | null,
  isHere: () => boolean,
): Promise<HandOver | null> {
  const { machines } = parts;
  const { id, place } = run.header;
  if (machines === null || place.kind !== "worktree") return null;
  const handed = await machines.lastHandOver(null, { run: id, story });
  if (handed === null) return null;
  // Not by the name of the machine: a copy of its home, or a restored store, knows of other work under that name.
  const { attempt, left } = readRecord(parts.home, id, story);
  return [attempt, left].includes(handed.attempt) && isHere() ? null : handed;
}

function recordArrival(parts: Pick<Parts, "home" | "log">, { run, story, attempt, machine, snapshot }: HandOver): void {
  writeRecord(parts.home, run, story, { attempt, left: null, head: headIn(snapshot) });
  parts.log("tree.arrived", { run, story, attempt, from: machine });
}

/** The attempt whose state was brought here last; null: none was. What ran here before it left nothing that is still here. */
export function arrivedFrom({ home }: Pick<Parts, "home">, run: RunId, story: StoryId | null): string | null {
  return readRecord(home, run, story).attempt;
}

/** Where this machine has left the branch of a tree; null: it does not know. */
export function headHere({ home }: Pick<Parts, "home">, run: RunId, story: StoryId | null): string | null {
  return readRecord(home, run, story).head;
}

/** When it hands the tree over, as this attempt has left it. */
export function recordLeft({ home }: Pick<Parts, "home">, { run, story, attempt, snapshot }: Left): void {
  writeRecord(home, run, story, { ...readRecord(home, run, story), left: attempt, head: headIn(snapshot) });
}

type Left = Pick<HandOver, "run" | "story" | "attempt" | "snapshot">;

interface ArrivalRecord {
  /** Whose state was brought here last. */
  readonly attempt: string | null;
  /** Whose state this machine has handed over since. */
  readonly left: string | null;
  /** The commit of the branch, as this machine knows it; null: it does not. */
  readonly head: string | null;
}

function readRecord(home: Parts["home"], run: RunId, story: StoryId | null): ArrivalRecord {
  const read = (readJson(recordFile(home, run, story)) ?? {}) as Readonly<Record<string, unknown>>;
  const text = (value: unknown) => (typeof value === "string" ? value : null);
  return { attempt: text(read["attempt"]), left: text(read["left"]), head: text(read["head"]) };
}

function writeRecord(home: Parts["home"], run: RunId, story: StoryId | null, record: ArrivalRecord): void {
  const file = recordFile(home, run, story);
  mkdirSync(dirname(file), { recursive: true });
  writeJson(file, record);
}

/** Beside the files of parked stories, and removed with them. */
function recordFile(home: Parts["home"], run: RunId, story: StoryId | null): string {
  return join(home.worktrees, `${run}.parked`, `${story ?? "+run"}.arrived.json`);
}
