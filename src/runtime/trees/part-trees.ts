// The trees of parts that change files. Owns: making one from the state that the part begins with, and removing those of a step that is
// over. What was done there is joined by execute/join.ts.

import { existsSync, readdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { type Attempt, baseOf } from "../../domain/attempt.ts";
import { type PartName, partName, type StoryId } from "../../domain/ids.ts";
import { givenParts, joinPart } from "../../domain/part.ts";
import { attemptsOf, type Run, scopeOf } from "../../domain/run.ts";
import { isWriter } from "../../engine/definitions.ts";
import { type Joined, joinTrees, type TreeWork } from "../../workspaces/trees/joined.ts";
import { ownedTree } from "../../workspaces/trees/ownership.ts";
import { removeWorktree } from "../../workspaces/trees/removal.ts";
import { restoreSnapshot } from "../../workspaces/trees/restore.ts";
import { headIn, parseSnapshot } from "../../workspaces/trees/snapshot.ts";
import { ensureWorktree } from "../../workspaces/trees/worktree.ts";
import type { Parts } from "../parts.ts";
import { byProductsOf } from "./left-work.ts";
import { partsFolder, partTree, workspacePath } from "./places.ts";
import { type SalvagePorts, salvage } from "./salvage.ts";

/** Whether the attempt works in a tree that no other one has. */
export function hasOwnTree(run: Run, { story, name, part }: Pick<Attempt, "story" | "name" | "part">): boolean {
  if (part === undefined || run.header.place.kind !== "worktree") return false;
  return isWriter(run, story, { name, part });
}

/** Where an attempt works: in the tree of its step, or in one of its own. */
export function treeOfAttempt(
  parts: Pick<Parts, "home">,
  run: Run,
  attempt: Pick<Attempt, "story" | "name" | "part">,
): string {
  const { story, part } = attempt;
  if (part === undefined || !hasOwnTree(run, attempt)) return workspacePath(parts, run, story);
  return partTree(parts, run.header.id, story, part);
}

/** Makes the tree, at the commit of the snapshot. What is in a tree that is there already stays. */
export async function ensurePartTree(
  parts: Pick<Parts, "home" | "trees">,
  run: Run,
  { story, part }: PartPlace,
  start: string,
): Promise<string> {
  const path = partTree(parts, run.header.id, story, part);
  const { id, place } = run.header;
  const wanted = { run: id, repo: place.repo ?? "", path, base: headIn(start), branch: null };
  await parts.trees.ensure(path, async () => void (await ensureWorktree(wanted)));
  return path;
}

export interface PartPlace {
  readonly story: StoryId | null;
  readonly part: PartName;
}

/** The attempts of its part up to this one, since the part was opened, or sent back by a join. */
export function attemptsSinceOpened(attempts: readonly Attempt[], attempt: Attempt): readonly Attempt[] {
  const { id, step, visit, part } = attempt;
  const ofStep = attempts.filter((other) => other.step === step && other.visit === visit);
  const upTo = ofStep.slice(0, ofStep.findIndex((other) => other.id === id) + 1);
  const joined = upTo.findLastIndex((other) => other.part === joinPart);
  return upTo.slice(joined + 1).filter((other) => other.part === part);
}

/** The state of its tree before the first of these attempts: later ones go on with what was there. */
function beganWith(attempts: readonly Attempt[], attempt: Attempt): string | null {
  return attemptsSinceOpened(attempts, attempt).map(baseOf).find(Boolean) ?? null;
}

/** What the parts did that passed, in the order of the list; `before`: only those that stand before this one. */
export function worksOf(
  parts: Pick<Parts, "home">,
  run: Run,
  { story, step: id }: Pick<Attempt, "story" | "step">,
  before: PartName | null,
): readonly TreeWork[] {
  const step = scopeOf(run, story)?.chain.find((candidate) => candidate.id === id);
  const attempts = attemptsOf(run, story);
  const listed = givenParts(step?.parts ?? []);
  const end = before === null ? listed.length : listed.findIndex(({ name }) => name === before);
  return listed.slice(0, end).flatMap(({ name, state }) => {
    if (step === undefined || state.status !== "passed" || !isWriter(run, story, { name: step.name, part: name }))
      return [];
    const last = attempts.findLast((attempt) => attempt.step === id && attempt.part === name);
    const base = last && beganWith(attempts, last);
    return base ? [{ name, path: partTree(parts, run.header.id, story, name), base }] : [];
  });
}

/** Puts these works on a snapshot of the tree of their step. */
export async function joinWorks(run: Run, path: string, onto: string, works: readonly TreeWork[]): Promise<Joined> {
  return await joinTrees({ path, onto, works, isByProduct: byProductsOf(run.header) });
}

/** The same state without its branch: only one tree can be on a branch. */
export function detached(snapshot: string): string {
  const { head, content } = parseSnapshot(snapshot);
  return content === null ? head : `${head}+${content}`;
}

type RemovalPorts = SalvagePorts & Pick<Parts, "trees">;

/** Removes the trees of the parts of one story, or of the run itself. Work that was not joined is kept as a diff. */
export async function removePartTrees(parts: RemovalPorts, run: Run, story: StoryId | null): Promise<void> {
  for (const part of partsWithTrees(parts, run, story)) {
    const path = partTree(parts, run.header.id, story, part);
    if (ownedTree(path) !== null) await putAside(parts, run, story, path);
    const keepAs = `pawl/${run.header.id}-${part}-kept`;
    await removeWorktree({ repo: run.header.place.repo ?? "", path, keepAs, force: true });
    parts.trees.vacate(path);
    rmSync(dirname(path), { recursive: true, force: true });
  }
}

/** Back to where the work began, so that no branch is made for commits that are joined, or are in the diff. */
async function putAside(parts: RemovalPorts, run: Run, story: StoryId | null, path: string): Promise<void> {
  const base = await keepUnjoined(parts, run, story, path);
  if (base !== null) await restoreSnapshot(path, base);
}

/** Keeps what was done in this tree as a diff, unless it was joined. Returns the state that the work began with; null: none was done. */
export async function keepUnjoined(
  parts: SalvagePorts,
  run: Run,
  story: StoryId | null,
  path: string,
): Promise<string | null> {
  const attempts = attemptsOf(run, story);
  const last = attempts.findLast(({ state }) => "workspace" in state && state.workspace === path);
  const base = last === undefined ? null : beganWith(attempts, last);
  if (last === undefined || base === null) return null;
  const later = attempts
    .slice(attempts.indexOf(last))
    .filter(({ step, part }) => step === last.step && part === joinPart);
  // A person may have dropped the step after its parts had passed.
  if (!hasPassed(last) || !later.some(hasPassed)) await salvage(parts, run, path, { attempt: last, base });
  return base;
}

function hasPassed({ state }: Attempt): boolean {
  return state.phase === "ended" && state.outcome === "completed" && state.verdict?.kind === "passed";
}

function partsWithTrees(parts: Pick<Parts, "home">, run: Run, story: StoryId | null): readonly PartName[] {
  const own = `${story ?? ""}+`;
  const names = namesIn(partsFolder(parts, run.header.id));
  return names.filter((name) => name.startsWith(own)).map((name) => partName(name.slice(own.length)));
}

/** At the end of a run: the trees of all of its parts. */
export async function removeAllPartTrees(parts: RemovalPorts, run: Run): Promise<void> {
  const folder = partsFolder(parts, run.header.id);
  if (!existsSync(folder)) return;
  for (const story of [null, ...run.header.stories.map(({ id }) => id)]) await removePartTrees(parts, run, story);
  if (namesIn(folder).length === 0) rmSync(folder, { recursive: true, force: true });
}

function namesIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}
