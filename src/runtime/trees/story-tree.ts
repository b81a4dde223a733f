// The tree of a story. Owns: that a slot exists and holds the story that works in it: whoever was there before is parked, whoever
// comes finds its own state, or the base as it is now.

import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { Attempt } from "../../domain/attempt.ts";
import { type StoryId, storyId } from "../../domain/ids.ts";
import type { Run } from "../../domain/run.ts";
import { bodyOf } from "../../engine/definitions.ts";
import { branchCommit } from "../../workspaces/git/layout.ts";
import { tipOf } from "../../workspaces/integration/integration.ts";
import { parkStory } from "../../workspaces/trees/parking.ts";
import { restoreSnapshot } from "../../workspaces/trees/restore.ts";
import { ensureSlot, enterStory, leaveStory, occupantOf } from "../../workspaces/trees/slot.ts";
import type { Control } from "../attempt/settle/checks.ts";
import type { Parts } from "../parts.ts";
import { integrationOf } from "./commit-line.ts";
import { provision } from "./provisioning.ts";
import { lastDiscarded, salvage } from "./salvage.ts";
import { takeTurn } from "./tree-lock.ts";
import { parkingFile, slotPath } from "./workspace-paths.ts";

export interface Entered {
  readonly path: string;
  readonly env: Readonly<Record<string, string>>;
}

/** What this process knows of its slots, so that git is not asked before every attempt. */
interface Known {
  /** Trees that are being made: whoever needs one of them waits for it. */
  readonly making: Map<string, Promise<void>>;
  /** Trees that it has made sure of. */
  readonly made: Set<string>;
  /** Which story a tree was last entered for, and what it was told then. */
  readonly entered: Map<string, { readonly story: StoryId; readonly env: Readonly<Record<string, string>> }>;
}

const knownTo = new WeakMap<Parts, Known>();

function knownOf(parts: Parts): Known {
  const known = knownTo.get(parts) ?? { making: new Map(), made: new Set(), entered: new Map() };
  knownTo.set(parts, known);
  return known;
}

export async function enterTree(
  parts: Parts,
  run: Run,
  attempt: Attempt,
  slot: number,
  control: Control,
): Promise<Entered> {
  const path = slotPath(parts, run.header.id, slot);
  const { story } = attempt;
  if (story === null) throw new Error(`attempt ${attempt.id} has a slot and no story`);
  const known = knownOf(parts).entered;
  const before = known.get(path);
  if (before?.story === story && occupantOf(path) === story) return { path, env: before.env };
  await ensureTree(parts, run, path);
  const occupant = occupantOf(path);
  if (occupant !== null && occupant !== story) await vacate(parts, run, path, storyId(occupant));
  await enterStory({
    run: run.header.id,
    repo: run.header.place.repo ?? "",
    path,
    story,
    branch: branchOf(run, story),
    base: await startOf(run, story),
    parked: parkingFile(parts, run.header.id, story),
  });
  const env = await provision(parts, run, { path, slot, story, attempt: attempt.id }, control);
  known.set(path, { story, env });
  return { path, env };
}

/** Makes trees ahead of the stories that will need them: making one is slow, and the first stories all start at once. */
export async function prepareSlots(parts: Parts, run: Run, count: number): Promise<void> {
  const slots = Array.from({ length: count }, (_, index) => slotPath(parts, run.header.id, index + 1));
  await Promise.all(slots.map((path) => ensureTree(parts, run, path)));
}

/** No tree is half made any more: whoever removes them, or leaves, finds all that there are. */
export async function treesSettled(parts: Parts): Promise<void> {
  await Promise.allSettled(knownOf(parts).making.values());
}

async function ensureTree(parts: Parts, run: Run, path: string): Promise<void> {
  const { making, made } = knownOf(parts);
  if (made.has(path) && existsSync(join(path, ".git"))) return;
  const begun =
    making.get(path) ??
    freeProcessor([...making.values()])
      .then(() => makeTree(parts, run, path))
      .then(() => void made.add(path))
      // Whoever needs one that could not be made tries again.
      .finally(() => making.delete(path));
  making.set(path, begun);
  await begun;
}

/** No more at once than there are processors: eight that share two would all be ready late, instead of the first ones soon. */
async function freeProcessor(before: readonly Promise<void>[]): Promise<void> {
  const inTheWay = before.slice(0, Math.max(0, before.length - availableParallelism() + 1));
  await Promise.allSettled(inTheWay);
}

async function makeTree(parts: Parts, run: Run, path: string): Promise<void> {
  const { id, place } = run.header;
  await takeTurn(path, async () => {
    // Another driver may have ended the run meanwhile, and removed its trees.
    const now = await parts.store.runById(id);
    if (now === null || now.endedAt !== null) return;
    await ensureSlot({ run: id, repo: place.repo ?? "", path, base: await tipOf(integrationOf(run)) });
  });
}

/**
 * Another story has the slot now. What its last attempt left goes as the engine has decided, the rest is kept for the day when
 * somebody retries it.
 */
export async function vacate(parts: Parts, run: Run, path: string, story: StoryId): Promise<void> {
  const { id, place } = run.header;
  const loaded = await parts.store.transaction((tx) => tx.load(id, () => [story]));
  const entry = loaded?.run.header.stories.find((candidate) => candidate.id === story);
  if (entry?.status === "done") {
    return await leaveStory({ path, repo: place.repo ?? "", commit: await tipOf(integrationOf(run)) });
  }
  const left = lastDiscarded(loaded?.run.stories[story]?.attempts ?? []);
  if (left !== null) {
    await salvage(parts, run, path, left);
    await restoreSnapshot(path, left.base);
  }
  await parkStory({ path, run: id, story, file: parkingFile(parts, id, story) });
  knownOf(parts).entered.delete(path);
}

function branchOf(run: Run, story: StoryId): string {
  return `${bodyOf(run, story).branchPrefix ?? "pawl/"}${story}`;
}

/** The base as it is now; for a story with another life behind it, the branch that has its work. */
async function startOf(run: Run, story: StoryId): Promise<string> {
  const repo = run.header.place.repo ?? "";
  const scope = run.stories[story];
  const worked = scope?.chain.some(({ id, state }) => {
    return state.status === "done" && !scope.attempts.some((attempt) => attempt.step === id);
  });
  const left = worked ? await branchCommit(repo, branchOf(run, story)) : null;
  return left ?? (await tipOf(integrationOf(run)));
}
