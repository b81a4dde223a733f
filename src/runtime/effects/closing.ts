// Closing a run. Owns: archiving its logs and removing its trees when it is over, without losing work.

import { existsSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { hasEnded } from "../../domain/attempt.ts";
import { hasStoryTrees } from "../../domain/definition.ts";
import { AppError, errorText } from "../../domain/error.ts";
import { type RunId, type StoryId, storyId } from "../../domain/ids.ts";
import type { Run } from "../../domain/run.ts";
import { archiveProgress } from "../../protocols/files/agent-home.ts";
import { branchFor } from "../../workspaces/branches/branch-name.ts";
import { bringForward } from "../../workspaces/branches/left-branch.ts";
import { refsOfSnapshot } from "../../workspaces/clones/clone.ts";
import { branchCommit } from "../../workspaces/git/head.ts";
import { changeRefs, dropRefs, readRefs } from "../../workspaces/git/refs.ts";
import { isIn } from "../../workspaces/integration/ancestry.ts";
import { publishSide, takenOutNote } from "../../workspaces/integration/integration.ts";
import { integratedRefs } from "../../workspaces/integration/tip.ts";
import { dropRunRefs } from "../../workspaces/slots/parking.ts";
import { occupantOf } from "../../workspaces/slots/slot.ts";
import { handedRefs, parkedRefs } from "../../workspaces/slots/story-refs.ts";
import { ownedTree, readTreeRecord } from "../../workspaces/trees/ownership.ts";
import { removeWorktree } from "../../workspaces/trees/removal.ts";
import { receiveLastLogs } from "../machines/received-logs.ts";
import type { Parts } from "../parts.ts";
import { type TransitionPorts, transition } from "../transition/transition.ts";
import { progressHome, progressPlaces } from "../trees/agent-homes.ts";
import { newestElsewhere, receiveInSlot } from "../trees/arrival.ts";
import { inHealthyTree } from "../trees/healing.ts";
import { beforeRemoval } from "../trees/hooks.ts";
import { byProductsOf, commitLeftAtEnd } from "../trees/left-work.ts";
import { bringOwnTree } from "../trees/own-tree.ts";
import { removeAllPartTrees } from "../trees/part-trees.ts";
import { integrationTarget, intentFile, ownFiles, parkingFile, slotPaths, workspacePath } from "../trees/places.ts";
import { ownFolder } from "../trees/protocol-folder.ts";
import { forgetProvisioning } from "../trees/provisioning.ts";
import { vacate } from "../trees/story-tree.ts";
import { forgetTurns, withTreeLock } from "../trees/trees.ts";
import { ownBranch } from "../trees/work-branch.ts";

export type ClosingPorts = TransitionPorts &
  Pick<
    Parts,
    "clock" | "home" | "machines" | "trees" | "protocols" | "projections" | "settingsOf" | "secrets" | "log" | "warn"
  >;

/** What is said meanwhile is kept with the end of the run: it may be closed by a process that nobody listens to. */
export async function closeRun(parts: ClosingPorts, id: RunId): Promise<void> {
  const notes: string[] = [];
  const warn = (text: string) => {
    notes.push(text);
    parts.warn(text);
  };
  try {
    await close({ ...parts, warn }, id);
  } finally {
    const at = parts.clock.now();
    if (notes.length > 0) await transition(parts, id, { type: "note_closing", notes, at, author: "driver" });
  }
}

/**
 * Archives the progress log, and removes the tree if nothing in it would be lost. The branch stays. A run that failed keeps its log and
 * its tree too, because it may be retried. Trees of stories are always removed; unfinished work in them is parked first.
 */
async function close(parts: ClosingPorts, id: RunId): Promise<void> {
  const run = await runAtRest(parts, id);
  const summary = await parts.store.runById(id);
  if (!run || !summary || run.header.end === null) return;
  const home = progressHome(parts, run);
  const { place, end } = run.header;
  if (home) archiveProgress(home, id, { places: progressPlaces(parts, run, home), keep: end.status === "failed" });
  if (place.kind !== "worktree" || place.repo === null) return;
  const hasSlots = hasStoryTrees(run.header.definition);
  if (hasSlots) await parkAway(parts, run, place.repo);
  if (hasSlots) await removeSlots(parts, run, place.repo);
  // Before the side branch is published: its own tree is on it.
  if (end.status !== "failed") await bringOwnTree(parts, run);
  if (end.status === "done") {
    await removeAllPartTrees(parts, run);
    const act = () => removeOwnTree(parts, run, summary.number);
    await inHealthyTree(parts, run, { path: workspacePath(parts, run, null), act });
  }
  if (hasSlots) await finishStories(parts, run, place.repo);
  await forgetTurns(parts.home.worktrees, id);
  // A run that failed may be retried, and then continues from what was handed over.
  if (end.status !== "failed") await forgetHandOvers(parts, run);
}

async function forgetHandOvers(parts: ClosingPorts, { header }: Run): Promise<void> {
  const { machines } = parts;
  if (machines === null) return;
  await receiveLastLogs(parts, header.id);
  await dropRefs(header.place.repo ?? "", [handedRefs(header.id)]);
  await machines.forget(header.id);
}

/** Unfinished stories that another machine has: what it handed over is parked, as it is of those that are here. */
async function parkAway(parts: ClosingPorts, run: Run, repo: string): Promise<void> {
  for (const { id, status } of run.header.stories) {
    const path = workspacePath(parts, run, id);
    const handed = status === "done" ? null : await newestElsewhere(parts, run, id, () => true);
    if (handed === null) continue;
    const refs = refsOfSnapshot(parkedRefs(run.header.id, id), handed.snapshot);
    if (
      !(await changeRefs(
        repo,
        refs.map(([ref, commit]) => `update ${ref} ${commit}`),
      ))
    )
      continue;
    await receiveInSlot(parts, run, id, path);
  }
}

const lookEveryMs = 100;
const longestWaitMs = 5_000;

/** The run after its attempts have ended: one that is being stopped still works in its tree, and may just publish its story. */
async function runAtRest({ store, clock }: Pick<Parts, "store" | "clock">, id: RunId): Promise<Run | null> {
  for (let waitedMs = 0; ; waitedMs += lookEveryMs) {
    const run = await store.wholeRun(id);
    const scopes = run === null ? [] : [run.header, ...Object.values(run.stories)];
    const isAtRest = scopes.every(({ attempts }) => attempts.every(hasEnded));
    if (isAtRest || waitedMs >= longestWaitMs) return run;
    await clock.sleep(lookEveryMs);
  }
}

/** What is left in it uncommitted is committed first. */
async function removeOwnTree(parts: ClosingPorts, run: Run, number: number): Promise<void> {
  const { header } = run;
  const path = workspacePath(parts, run, null);
  // A run whose stories did all of the work never made it. One that is half removed still has its record.
  if (hasStoryTrees(header.definition) && !existsSync(path) && readTreeRecord(path) === null)
    return forgetProvisioning(path);
  if (ownedTree(path) !== null) {
    // Before what is left is committed: a hook may leave files, too.
    await beforeRemoval(parts, run, path);
    const left = await commitLeftAtEnd(parts, run, path);
    if (left.result === "unfinished") throw unfinished(path, left.why);
    await bringOwnBranch(parts, run, path);
  }
  const keepAs = ownBranch(header) ?? branchFor(number, header.task);
  await removeWorktree({ repo: header.place.repo ?? "", path, keepAs, isByProduct: byProductsOf(header) });
  forgetProvisioning(path);
}

/** An agent may have committed on another branch, or on none. The end of the run names its own branch. */
async function bringOwnBranch({ warn }: ClosingPorts, { header }: Run, path: string): Promise<void> {
  const { branch, base } = header.place;
  if (branch === null || hasStoryTrees(header.definition)) return;
  const beside = await bringForward(path, { branch, base });
  if (beside !== null)
    warn(`${branch} does not have all of the work: an agent committed on ${beside}, which does not continue ${branch}`);
}

function unfinished(path: string, why: string): AppError {
  return new AppError("REPOSITORY_DIRTY", `${path} has uncommitted work, and ${why}`, {
    hint: `finish or undo that in ${path} and commit; the next command of Pawl then removes the tree`,
  });
}

async function removeSlots(parts: ClosingPorts, run: Run, repo: string): Promise<void> {
  const { id } = run.header;
  const target = integrationTarget(run);
  // Trees are made ahead, and a run may be over before all of them are made.
  await parts.trees.settled();
  for (const path of slotPaths(parts, id)) {
    await withTreeLock(path, async () => {
      const occupant = await inHealthyTree(parts, run, { path, act: async () => occupantOf(path) });
      await beforeRemoval(parts, run, path);
      if (occupant !== null) await vacate(parts, run, path, storyId(occupant));
      await removeWorktree({ repo, path, keepAs: `${target.side}-kept`, force: true }).catch((error: unknown) =>
        leaveForeign(parts, error),
      );
      forgetProvisioning(path);
    });
  }
}

/** The base gets what it could not get before, and what was kept for the stories of a run that is done goes. */
async function finishStories(parts: ClosingPorts, run: Run, repo: string): Promise<void> {
  const { id, end } = run.header;
  const target = integrationTarget(run);
  const isDone = end?.status === "done";
  const side = { ...target, ignoring: filesOf(parts, run), intentFile: intentFile(parts, target) };
  const { published, note } = await publishSide({ ...side, onlyIntegrated: !isDone });
  const notes = [note, await takenOutNote(target, !published), await tooLateNote(run)];
  for (const text of notes) if (text !== null) parts.warn(text);
  if (!isDone) return;
  const dropped = run.header.stories.filter(({ id: story }) => isDropped(run, story)).map(({ id: story }) => story);
  if (dropped.length > 0)
    parts.warn(`the work of ${dropped.join(", ")}, which was dropped, is not on ${target.base}; its branch has it`);
  else {
    await dropRunRefs(repo, id);
    rmSync(dirname(parkingFile(parts, id, storyId("any"))), { recursive: true, force: true });
  }
  await discardShared(parts, run);
}

/** It counts as done without its work. */
function isDropped({ stories }: Run, story: StoryId): boolean {
  return stories[story]?.chain.some(({ dropping }) => dropping?.whole === true && dropping.as === "done") === true;
}

/** The stories whose integration was faster than the cancel: they count as cancelled, and their commits are there. */
async function tooLateNote(run: Run): Promise<string | null> {
  const { header } = run;
  const { repo, base, side } = integrationTarget(run);
  if (header.end?.status !== "cancelled") return null;
  const marks = await readRefs(repo, [integratedRefs(header.id)]);
  const late: string[] = [];
  for (const { id, status } of header.stories) {
    const commit = status === "done" ? undefined : marks.get(`${integratedRefs(header.id)}/${id}`);
    if (commit === undefined) continue;
    const atBase = await branchCommit(repo, base);
    const on = atBase !== null && (await isIn(repo, commit, atBase)) ? base : side;
    late.push(`${id} (${commit.slice(0, 12)} on ${on})`);
  }
  return late.length === 0
    ? null
    : `the cancel came too late for ${late.join(", ")}; \`git revert\` takes a commit back`;
}

/** Leaves what Pawl did not make in the place of a tree; the other trees are removed all the same. */
function leaveForeign(parts: Pick<Parts, "warn">, error: unknown): void {
  if (!(error instanceof AppError && error.code === "REFUSED")) throw error;
  parts.warn(error.message);
}

/** Removes the shared folder of a run if Pawl chose it; one that a person named stays, wherever it lies. */
async function discardShared(parts: Pick<Parts, "home" | "projections">, { header }: Run): Promise<void> {
  const { shared } = header.place;
  if (shared === undefined || shared !== ownFolder(parts, header.id)) return;
  await parts.projections.of(header)?.discard();
  rmSync(shared, { recursive: true, force: true });
}

/** A protocol that throws must not keep a run from being closed. */
function filesOf(parts: Pick<Parts, "protocols" | "warn">, run: Run): readonly string[] {
  try {
    return ownFiles(parts, run);
  } catch (error) {
    parts.warn(errorText(error));
    return [];
  }
}
