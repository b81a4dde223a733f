// Prepares the workspace of an attempt: its tree exists and is as it should be. Every step of it can be repeated after a crash.

import { existsSync, mkdirSync } from "node:fs";
import { type Attempt, hasEnded } from "../../../domain/attempt.ts";
import { hasStoryTrees } from "../../../domain/definition.ts";
import type { StoryId } from "../../../domain/ids.ts";
import type { Run } from "../../../domain/run.ts";
import { scopeOf } from "../../../domain/run.ts";
import { mayHold } from "../../../engine/definitions.ts";
import { followTip } from "../../../workspaces/integration/follow.ts";
import { removeLeftLocks, restoreSnapshot } from "../../../workspaces/trees/restore.ts";
import { parseSnapshot, takeSnapshot, treeOf } from "../../../workspaces/trees/snapshot.ts";
import { ensureWorktree } from "../../../workspaces/trees/worktree.ts";
import type { Parts } from "../../parts.ts";
import type { RegisterStop } from "../../stop-switch.ts";
import { inHealthyTree } from "../../trees/healing.ts";
import { commitLeftBefore, commitsBetweenSteps } from "../../trees/left-work.ts";
import { integrationTarget, slotOf, workspacePath } from "../../trees/places.ts";
import { excludeProtocolFiles } from "../../trees/protocol-folder.ts";
import { provisionTree } from "../../trees/provisioning.ts";
import { type LeftBehind, lastDiscarded, salvage } from "../../trees/salvage.ts";
import { enterTree } from "../../trees/story-tree.ts";
import { sharedBase } from "./shared-base.ts";

export interface Workspace {
  readonly path: string;
  /** The snapshot that the attempt starts from: its tree is put back to it if the attempt is lost. Null: the tree is not ours. */
  readonly base: string | null;
  /** The variables of the tree: ports, names. */
  readonly env: Readonly<Record<string, string>>;
}

export type WorkspacePorts = Pick<Parts, "trees" | "store" | "home" | "protocols" | "log" | "settings">;

export async function prepareWorkspace(
  parts: WorkspacePorts,
  run: Run,
  attempt: Attempt,
  registerStop: RegisterStop = () => undefined,
): Promise<Workspace> {
  const slot = slotOf(run, attempt.story);
  if (slot !== null) {
    const { path, env } = await enterTree(parts, run, attempt, slot, registerStop);
    const clean = () => cleanBase(parts, run, path, attempt);
    const act = () => (attempt.part === undefined ? clean() : sharedBase(parts, run, path, attempt, clean));
    return { path, env, base: await inHealthyTree(parts, run, { path, act }) };
  }
  const own = workspacePath(parts, run, null);
  return await inHealthyTree(parts, run, { path: own, act: () => ownWorkspace(parts, run, attempt, registerStop) });
}

async function ownWorkspace(
  parts: WorkspacePorts,
  run: Run,
  attempt: Attempt,
  control: RegisterStop,
): Promise<Workspace> {
  const path = await ensurePlace(parts, run);
  if (run.header.place.kind !== "worktree") return { path, base: null, env: {} };
  const known = parts.trees.occupancyOf(path)?.env;
  const tree = { path, slot: null, story: null, attempt: attempt.id };
  const env = known ?? (await provisionTree(parts, run, tree, control));
  parts.trees.occupy(path, { story: null, env });
  const clean = () => ownBase(parts, run, path, attempt);
  const base = attempt.part === undefined ? await clean() : await sharedBase(parts, run, path, attempt, clean);
  return { path, env, base };
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
  const earlier = (scopeOf(run, attempt.story)?.attempts ?? []).filter(
    ({ step, id }) => step === attempt.step && id !== attempt.id,
  );
  const before = lastDiscarded(earlier);
  if (before !== null) await rollBack(parts, run, path, before, attempt);
  else if (hasCrashed(earlier.at(-1))) await removeLeftLocks(path);
  return await takeSnapshot(path);
}

async function ensurePlace(parts: Pick<Parts, "trees" | "home" | "protocols">, run: Run): Promise<string> {
  const { id, place, definition } = run.header;
  const path = workspacePath(parts, run, null);
  if (place.kind === "directory") mkdirSync(path, { recursive: true });
  const { kind, repo, base, branch } = place;
  if (kind !== "worktree" || repo === null || base === null) return path;
  await parts.trees.ensure(path, async () => {
    await ensureWorktree({ run: id, repo, path, base, branch });
    await excludeProtocolFiles(parts.protocols.of(definition), run.header);
  });
  return path;
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
export async function shownTree(parts: Pick<Parts, "home">, run: Run, story: StoryId | null): Promise<string | null> {
  const { place, definition } = run.header;
  if (place.kind === "directory" || !mayHold(definition)) return null;
  return await treeNow(parts, run, story);
}

/** null when there is none, or none any more. */
export async function treeNow(parts: Pick<Parts, "home">, run: Run, story: StoryId | null): Promise<string | null> {
  const path = workspacePath(parts, run, story);
  if (run.header.place.kind === "directory" || !existsSync(path)) return null;
  return await treeOf(path);
}
