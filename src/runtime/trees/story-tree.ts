// The tree of a story. Owns: making a slot and giving it to the story that works in it. The story that was there before is parked;
// the next one finds its own earlier state, or the base as it is now.

import { existsSync, mkdirSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Attempt } from "../../domain/attempt.ts";
import { AppError, errorText, systemCode } from "../../domain/error.ts";
import { type StoryId, storyId } from "../../domain/ids.ts";
import type { Run } from "../../domain/run.ts";
import { isDiskFull } from "../../system/files/disk-full.ts";
import { removeAll } from "../../system/files/remove-all.ts";
import { branchCommit } from "../../workspaces/git/head.ts";
import { tipOf } from "../../workspaces/integration/integration.ts";
import { parkStory } from "../../workspaces/slots/parking.ts";
import { ensureSlot, enterStory, leaveStory, occupantOf, type WantedStory } from "../../workspaces/slots/slot.ts";
import { discardTree } from "../../workspaces/trees/heal.ts";
import { restoreSnapshot } from "../../workspaces/trees/restore.ts";
import type { Parts } from "../parts.ts";
import type { RegisterStop } from "../stop-switch.ts";
import { receiveInSlot } from "./arrival.ts";
import { inHealthyTree } from "./healing.ts";
import { assertNotEnded } from "./lost-tree.ts";
import { leftBranchIn } from "./own-tree.ts";
import { branchOf, integrationTarget, parkingFile, slotPath, slotPaths } from "./places.ts";
import { provisionTree } from "./provisioning.ts";
import { lastDiscarded, salvage } from "./salvage.ts";
import { withTreeLock } from "./trees.ts";

export interface Entered {
  readonly path: string;
  readonly env: Readonly<Record<string, string>>;
}

type TreePorts = Pick<Parts, "trees" | "store" | "home" | "machines" | "protocols" | "secrets" | "log" | "warn">;

/** A tree that an agent has broken beyond mending is made again; then the story continues from its branch. */
export async function enterTree(
  parts: TreePorts & Pick<Parts, "settings">,
  run: Run,
  attempt: Attempt,
  slot: number,
  control: RegisterStop,
): Promise<Entered> {
  const path = slotPath(parts, run.header.id, slot);
  const act = () => enterSlot(parts, run, attempt, slot, control);
  const orElse = async () => {
    discardTree(path);
    return await act();
  };
  return await inHealthyTree(parts, run, { path, act, orElse });
}

async function enterSlot(
  parts: TreePorts & Pick<Parts, "settings">,
  run: Run,
  attempt: Attempt,
  slot: number,
  control: RegisterStop,
): Promise<Entered> {
  const path = slotPath(parts, run.header.id, slot);
  const { story } = attempt;
  if (story === null) throw new Error(`attempt ${attempt.id} has a slot and no story`);
  const isShared = parts.machines !== null;
  const known = () => {
    const before = parts.trees.occupancyOf(path);
    return before?.story === story && occupantOf(path) === story ? before.env : null;
  };
  const enter = async () => {
    // Who takes the attempt from now on waits for the lock.
    await assertNotEnded(parts, attempt);
    if (isShared) await leaveOtherSlots(parts, run, story, path);
    if (isShared) await receiveInSlot(parts, run, story, path);
    if (known() === null) await enterAs(parts, run, { ...attempt, story }, slot, control);
  };
  // Parts that begin at once, in this process or in several, would enter and set up the same tree at the same time.
  if (isShared || known() === null) await withTreeLock(`${path}.entering`, enter);
  return { path, env: parts.trees.occupancyOf(path)?.env ?? {} };
}

/** A story that got another slot while it was on another machine: what is here of it is parked first. */
async function leaveOtherSlots(parts: TreePorts, run: Run, story: StoryId, path: string): Promise<void> {
  for (const other of slotPaths(parts, run.header.id))
    if (other !== path && occupantOf(other) === story) await vacate(parts, run, other, story);
}

async function enterAs(
  parts: TreePorts & Pick<Parts, "settings">,
  run: Run,
  { id, story }: { readonly id: Attempt["id"]; readonly story: StoryId },
  slot: number,
  control: RegisterStop,
): Promise<void> {
  const path = slotPath(parts, run.header.id, slot);
  await ensureTree(parts, run, path);
  const occupant = occupantOf(path);
  if (occupant !== null && occupant !== story) {
    await vacate(parts, run, path, storyId(occupant));
    await ensureTree(parts, run, path);
  }
  await enterStory({
    run: run.header.id,
    repo: run.header.place.repo ?? "",
    path,
    story,
    branch: branchOf(run, story),
    ...(await startOf(run, story)),
    parked: parkingFile(parts, run.header.id, story),
    left: leftBranchIn(run.stories[story]?.attempts ?? []),
  });
  const env = await provisionTree(parts, run, { path, slot, story, attempt: id }, control);
  parts.trees.occupy(path, { story, env });
}

/** Makes trees ahead of the stories that will need them: making one is slow, and the first stories all start at once. */
export async function prepareSlots(parts: TreePorts, run: Run, count: number): Promise<void> {
  const slots = Array.from({ length: count }, (_, index) => slotPath(parts, run.header.id, index + 1));
  await Promise.all(slots.map((path) => ensureTree(parts, run, path)));
}

async function ensureTree(parts: TreePorts, run: Run, path: string): Promise<void> {
  await parts.trees.ensure(path, () => makeTree(parts, run, path));
}

async function makeTree(parts: Pick<Parts, "store">, run: Run, path: string): Promise<void> {
  const { id, place } = run.header;
  await withTreeLock(path, async () => {
    // Another driver may have ended the run meanwhile, and removed its trees.
    const now = await parts.store.runById(id);
    if (now === null || now.endedAt !== null) return;
    await ensureSlot({ run: id, repo: place.repo ?? "", path, base: await tipOf(integrationTarget(run)) });
  });
}

/**
 * Frees a slot for another story. What the last attempt of this story left is discarded where the engine has decided so; the rest is
 * parked, for a retry.
 */
export async function vacate(parts: TreePorts, run: Run, path: string, story: StoryId): Promise<void> {
  const act = () => vacateHealthy(parts, run, path, story);
  // Its branch stays, and the next attempt of the story continues from there.
  const orElse = async () => discardTree(path);
  try {
    await inHealthyTree(parts, run, { path, act, orElse });
  } catch (error) {
    if (!isOfItsFiles(error)) throw error;
    setAside(parts, run, path, story, error);
  }
}

/** Git refuses a file of the tree, or what an agent put in the place of a file cannot be removed. It would be so for every other story. */
function isOfItsFiles(error: unknown): boolean {
  if (isDiskFull(error)) return false;
  if (error instanceof AppError)
    return error.code === "GIT_FAILED" && /^git (?:add|reset|read-tree)\b/.test(error.message);
  return ["EISDIR", "EACCES", "EPERM", "ENOTDIR"].includes(systemCode(error) ?? "");
}

/** All of its files stay for a person. The story continues from its branch, and the slot is made anew. */
function setAside(parts: TreePorts, run: Run, path: string, story: StoryId, error: unknown): void {
  const kept = join(parts.home.salvage, run.header.id, `${story}.tree`);
  removeAll(kept);
  mkdirSync(dirname(kept), { recursive: true, mode: 0o700 });
  if (existsSync(path)) renameSync(path, kept);
  discardTree(path);
  parts.log("workspace.set_aside", { run: run.header.id, story, kept, why: errorText(error) });
  parts.warn(`the tree of ${story} could not be read (${errorText(error)}): all of its files are in ${kept}`);
}

async function vacateHealthy(parts: TreePorts, run: Run, path: string, story: StoryId): Promise<void> {
  const { id, place } = run.header;
  parts.trees.vacate(path);
  const loaded = await parts.store.transaction((tx) => tx.load(id, () => [story]));
  const entry = loaded?.run.header.stories.find((candidate) => candidate.id === story);
  const isDropped = loaded?.run.stories[story]?.chain.some(({ dropping }) => dropping?.whole === true) === true;
  if (entry?.status === "done" && !isDropped) {
    return await leaveStory({ path, repo: place.repo ?? "", commit: await tipOf(integrationTarget(run)) });
  }
  const left = lastDiscarded(loaded?.run.stories[story]?.attempts ?? []);
  if (left !== null) {
    await salvage(parts, run, path, left);
    await restoreSnapshot(path, left.base);
  }
  await parkStory({ path, run: id, story, file: parkingFile(parts, id, story) });
}

/** The base as it is now; for a story that was finished in an earlier run, the branch that has its work. */
async function startOf(run: Run, story: StoryId): Promise<Pick<WantedStory, "base" | "hasWork">> {
  const repo = run.header.place.repo ?? "";
  const scope = run.stories[story];
  const worked = scope?.chain.some(({ id, state }) => {
    return state.status === "done" && !scope.attempts.some((attempt) => attempt.step === id);
  });
  const left = worked ? await branchCommit(repo, branchOf(run, story)) : null;
  return left === null ? { base: await tipOf(integrationTarget(run)) } : { base: left, hasWork: true };
}
