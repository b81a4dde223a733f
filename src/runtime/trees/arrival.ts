// Trees that come from another machine. Owns: putting the state that a machine has handed over where this one works. A state is brought
// once: after that, what this machine makes of it is newer.

import { existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { RunId, StoryId } from "../../domain/ids.ts";
import type { Run } from "../../domain/run.ts";
import type { HandOver } from "../../store/store.ts";
import { readJson, writeJson } from "../../system/files/json-file.ts";
import { assertThere, receiveStory } from "../../workspaces/slots/arriving.ts";
import { occupantOf } from "../../workspaces/slots/slot.ts";
import { ownedTree } from "../../workspaces/trees/ownership.ts";
import { restoreSnapshot } from "../../workspaces/trees/restore.ts";
import type { Parts } from "../parts.ts";
import { parkingFile } from "./places.ts";

type ArrivalPorts = Pick<Parts, "home" | "machines" | "trees" | "log">;

/** The next entry of the story's slot then restores the state. */
export async function receiveInSlot(parts: ArrivalPorts, run: Run, story: StoryId, path: string): Promise<void> {
  const file = parkingFile(parts, run.header.id, story);
  const isHere = () => occupantOf(path) === story || existsSync(file);
  const handed = await newestElsewhere(parts, run, story, isHere);
  if (handed === null) return;
  parts.trees.vacate(path);
  const { id, place } = run.header;
  const { snapshot, start } = handed;
  await receiveStory({ path, run: id, repo: place.repo ?? "", story, file, snapshot, start });
  recordArrival(parts, handed);
}

/** The run's own tree, which is there. */
export async function receiveInOwnTree(parts: ArrivalPorts, run: Run, path: string): Promise<void> {
  const handed = await newestElsewhere(parts, run, null, () => ownedTree(path) !== null);
  if (handed === null) return;
  await assertThere(run.header.place.repo ?? "", handed.snapshot);
  await restoreSnapshot(path, handed.snapshot);
  recordArrival(parts, handed);
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
  const isTaken = handed.machine === machines.own || arrivalOf(parts, id, story) === handed.attempt;
  return isTaken && isHere() ? null : handed;
}

function recordArrival({ home, log }: Pick<Parts, "home" | "log">, { run, story, attempt, machine }: HandOver): void {
  const file = arrivalFile(home, run, story);
  mkdirSync(dirname(file), { recursive: true });
  writeJson(file, { attempt });
  log("tree.arrived", { run, story, attempt, from: machine });
}

function arrivalOf({ home }: Pick<Parts, "home">, run: RunId, story: StoryId | null): string | null {
  const read = readJson(arrivalFile(home, run, story)) as { readonly attempt?: unknown } | null;
  return typeof read?.attempt === "string" ? read.attempt : null;
}

/** Beside the files of parked stories, and removed with them. */
function arrivalFile(home: Parts["home"], run: RunId, story: StoryId | null): string {
  return join(home.worktrees, `${run}.parked`, `${story ?? "+run"}.arrived.json`);
}
