// Prepares the workspace of an attempt: its tree exists and is as it should be. Every step of it can be repeated after a crash.

import { existsSync } from "node:fs";
import { type Attempt, hasEnded } from "../../../domain/attempt.ts";
import { hasStoryTrees } from "../../../domain/definition.ts";
import type { StoryId } from "../../../domain/ids.ts";
import type { Run } from "../../../domain/run.ts";
import { scopeOf } from "../../../domain/run.ts";
import { mayHold, performedBy } from "../../../engine/definitions.ts";
import { followTip } from "../../../workspaces/integration/follow.ts";
import { removeLeftLocks, restoreSnapshot } from "../../../workspaces/trees/restore.ts";
import {
  filesOfSnapshot,
  parseSnapshot,
  takeSnapshot,
  treeMissingAt,
  treeOf,
  treeOfCommit,
} from "../../../workspaces/trees/snapshot.ts";
import type { Parts } from "../../parts.ts";
import type { RegisterStop } from "../../stop-switch.ts";
import { arrivedFrom, newestElsewhere } from "../../trees/arrival.ts";
import { inHealthyTree } from "../../trees/healing.ts";
import { commitLeftBefore, commitsBetweenSteps } from "../../trees/left-work.ts";
import { assertNotEnded } from "../../trees/lost-tree.ts";
import { ensurePlace, leftBranchOf } from "../../trees/own-tree.ts";
import { hasOwnTree, removePartTrees, treeOfAttempt } from "../../trees/part-trees.ts";
import { integrationTarget, slotOf, workspacePath } from "../../trees/places.ts";
import { provisionTree } from "../../trees/provisioning.ts";
import { type LeftBehind, lastDiscarded, salvage } from "../../trees/salvage.ts";
import { enterTree } from "../../trees/story-tree.ts";
import { withTreeLock } from "../../trees/trees.ts";
import { machineOf } from "../../worker.ts";
import { enterPartTree } from "./part-workspace.ts";
import { type StepTree, sharedBase } from "./shared-base.ts";

export interface Workspace {
  readonly path: string;
  /** The snapshot that the attempt starts from: its tree is put back to it if the attempt is lost. Null: the tree is not ours. */
  readonly base: string | null;
  /** The variables of the tree: ports, names. */
  readonly env: Readonly<Record<string, string>>;
}

export type WorkspacePorts = Pick<
  Parts,
  "trees" | "store" | "home" | "machines" | "protocols" | "secrets" | "log" | "warn" | "settings" | "clock"
>;

export async function prepareWorkspace(
  parts: WorkspacePorts,
  run: Run,
  attempt: Attempt,
  registerStop: RegisterStop = () => undefined,
): Promise<Workspace> {
  const slot = slotOf(run, attempt.story);
  // The step that had them is over, or begins afresh.
  if (attempt.part === undefined && run.header.place.kind === "worktree")
    await removePartTrees(parts, run, attempt.story);
  if (slot !== null) {
    const { path, env } = await enterTree(parts, run, attempt, slot, registerStop);
    const take = () => cleanBase(parts, run, path, attempt);
    const act = () => workspaceIn(parts, run, attempt, { path, env, take }, registerStop);
    return await inHealthyTree(parts, run, { path, act });
  }
  const own = workspacePath(parts, run, null);
  return await inHealthyTree(parts, run, { path: own, act: () => ownWorkspace(parts, run, attempt, registerStop) });
}

/** In the tree of the step, or beside it. */
async function workspaceIn(
  parts: WorkspacePorts,
  run: Run,
  attempt: Attempt,
  tree: StepTree & Pick<Workspace, "env">,
  control: RegisterStop,
): Promise<Workspace> {
  const { path, env, take } = tree;
  const { part } = attempt;
  if (part === undefined || performedBy(run, attempt.story, attempt)?.kind === "join")
    return { path, env, base: await take() };
  if (!hasOwnTree(run, attempt))
    return { path, env, base: await sharedBase(parts, run, attempt, { path, take }, control) };
  const own = await enterPartTree(parts, run, { ...attempt, part }, tree);
  const made = await provisioned(parts, run, attempt, own, control);
  return { path: own, env: made, base: await cleanBase(parts, run, own, attempt) };
}

async function provisioned(
  parts: WorkspacePorts,
  run: Run,
  { id, story }: Attempt,
  path: string,
  control: RegisterStop,
): Promise<Workspace["env"]> {
  const slot = slotOf(run, story);
  const provision = async () => {
    if (parts.trees.occupancyOf(path) !== null) return;
    const env = await provisionTree(parts, run, { path, slot, story, attempt: id }, control);
    parts.trees.occupy(path, { story, env });
  };
  // Parts that begin at once, in this process or in several, would run its setup at the same time.
  if (parts.trees.occupancyOf(path) === null) await withTreeLock(path, provision);
  return parts.trees.occupancyOf(path)?.env ?? {};
}

async function ownWorkspace(
  parts: WorkspacePorts,
  run: Run,
  attempt: Attempt,
  control: RegisterStop,
): Promise<Workspace> {
  await assertNotEnded(parts, attempt);
  const path = await ensurePlace(parts, run);
  if (run.header.place.kind !== "worktree") return { path, base: null, env: {} };
  const env = await provisioned(parts, run, { ...attempt, story: null }, path, control);
  const take = () => ownBase(parts, run, path, attempt);
  return await workspaceIn(parts, run, attempt, { path, env, take }, control);
}

/** As `cleanBase`, for the run's own tree: what the step before left is committed, and the commits of its stories are there. */
async function ownBase(parts: WorkspacePorts, run: Run, path: string, attempt: Attempt): Promise<string> {
  const base = await cleanBase(parts, run, path, attempt);
  const isLeft = parseSnapshot(base).content !== null && commitsBetweenSteps(run.header);
  const committed = isLeft && (await commitLeftBefore(parts, run, path));
  const followed = hasStoryTrees(run.header.definition) && (await followTip(path, integrationTarget(run)));
  return committed || followed ? await takeSnapshot(path) : base;
}

/** Discards the work of an earlier attempt where it must go, and takes a snapshot of what is there then. */
async function cleanBase(parts: WorkspacePorts, run: Run, path: string, attempt: Attempt): Promise<string> {
  // Parts of its step may work in other trees, also those that have not begun there.
  const isHere = (other: Attempt) => (workspaceOf(other) ?? treeOfAttempt(parts, run, other)) === path;
  const all = scopeOf(run, attempt.story)?.attempts ?? [];
  // What was here before the state of another machine came is not here any more.
  const arrived = arrivedFrom(parts, run.header.id, attempt.story);
  const earlier = all
    .slice(all.findIndex(({ id }) => id === arrived) + 1)
    .filter(({ step, id, host }) => step === attempt.step && id !== attempt.id && host === machineOf(parts))
    .filter(isHere);
  const before = lastDiscarded(earlier);
  if (before !== null) await rollBack(parts, run, path, before, attempt);
  else if (hasCrashed(earlier.at(-1))) await removeLeftLocks(path);
  return await takeSnapshot(path);
}

function workspaceOf({ state }: Attempt): string | null {
  return "workspace" in state ? state.workspace : null;
}

/** Its work stays for the next attempt, but a git of it may have been killed. */
function hasCrashed(attempt: Attempt | undefined): boolean {
  return attempt !== undefined && hasEnded(attempt) && attempt.state.outcome !== "completed";
}

async function rollBack(parts: WorkspacePorts, run: Run, path: string, left: LeftBehind, next: Attempt): Promise<void> {
  const file = await salvage(parts, run, path, left);
  // A driver that was frozen since the claim may have lost it, and another one works in the tree: `begin` will refuse the attempt.
  const now = await parts.store.attempt(next.id);
  if (now === null || hasEnded(now.attempt)) return;
  await restoreSnapshot(path, left.base);
  parts.log("workspace.rolled_back", { run: run.header.id, attempt: left.attempt.id, diff: file });
}

/** The tree as it is, where a person may be asked about it: an answer counts only for what was shown. */
export async function shownTree(
  parts: Pick<Parts, "home" | "machines">,
  run: Run,
  story: StoryId | null,
): Promise<string | null> {
  const { place, definition } = run.header;
  if (place.kind === "directory" || !mayHold(definition)) return null;
  return await treeNow(parts, run, story);
}

/** Of a run's own tree that is gone, the one that would be made again. null when there is none, or none any more. */
export async function treeNow(
  parts: Pick<Parts, "home" | "machines">,
  run: Run,
  story: StoryId | null,
): Promise<string | null> {
  const path = workspacePath(parts, run, story);
  const handed = await newestElsewhere(parts, run, story, () => true);
  if (handed !== null) return await treeOfCommit(run.header.place.repo ?? "", filesOfSnapshot(handed.snapshot));
  const { kind, repo } = run.header.place;
  if (kind === "directory") return null;
  if (existsSync(path)) return await treeOf(path);
  const isOwn = kind === "worktree" && repo !== null && slotOf(run, story) === null;
  return isOwn ? await treeMissingAt(path, repo, leftBranchOf(run)) : null;
}
