// The work of a run or of one story. Owns: finding where it is now (a tree, a commit, a branch, refs, a saved diff) and what it began
// from, without changing anything.

import { existsSync } from "node:fs";
import { type Attempt, baseOf } from "../../domain/attempt.ts";
import { hasStoryTrees } from "../../domain/definition.ts";
import { AppError } from "../../domain/error.ts";
import type { StoryId } from "../../domain/ids.ts";
import type { Run } from "../../domain/run.ts";
import type { StoryEntry } from "../../domain/story.ts";
import { newestElsewhere } from "../../runtime/trees/arrival.ts";
import { integratedCommits } from "../../runtime/trees/integrated-commits.ts";
import { branchOf, integrationTarget, parkingFile, slotPaths, workspacePath } from "../../runtime/trees/places.ts";
import { savedDiffsOf } from "../../runtime/trees/salvage.ts";
import { findWorkBranch } from "../../runtime/trees/work-branch.ts";
import { branchCommit } from "../../workspaces/git/head.ts";
import { tipOf } from "../../workspaces/integration/tip.ts";
import { readWhereabouts } from "../../workspaces/slots/parking.ts";
import { commonCommit, countCommits, existingCommit } from "../../workspaces/trees/diff.ts";
import { ownedTree } from "../../workspaces/trees/ownership.ts";
import { filesOfSnapshot, parseSnapshot } from "../../workspaces/trees/snapshot.ts";
import type { ReadSession } from "../application.ts";

type Ports = Pick<ReadSession["parts"], "home" | "machines" | "protocols" | "log" | "store">;

/** `from`: the commit that the work began from. */
export type WorkSource =
  | { readonly in: "tree"; readonly path: string; readonly from: string }
  | { readonly in: "commit" | "branch" | "parked"; readonly name: string; readonly from: string; readonly to: string }
  | { readonly in: "saved"; readonly file: string }
  /** There is none yet, or it changed nothing. */
  | { readonly in: "nothing"; readonly why: string };

export interface FoundWork {
  readonly work: WorkSource;
  readonly notes: readonly string[];
  /** A saved diff to show where the work itself has no change left: it was rolled back. */
  readonly saved?: string;
}

export interface NumberedRun {
  readonly run: Run;
  readonly number: number;
}

export async function workOfRun(parts: Ports, { run, number }: NumberedRun): Promise<FoundWork> {
  const { header } = run;
  const { place } = header;
  const { repo, base } = gitOf(run, number);
  if (place.kind === "in_place") {
    const note =
      header.end === null ? [] : ["the run is over: what was changed in the checkout since then is shown, too"];
    return { work: { in: "tree", path: repo, from: base }, notes: note };
  }
  if (hasStoryTrees(header.definition)) return await workOfStories(parts, run, { repo, base });
  const away = await workElsewhere(parts, run, null, repo);
  if (away !== null) return away;
  const path = workspacePath(parts, run, null);
  if (ownedTree(path) !== null) return { work: { in: "tree", path, from: base }, notes: [] };
  const name = await findWorkBranch(header, number);
  const to = name === null ? null : await branchCommit(repo, name);
  if (name !== null && to !== null) return { work: await sinceBase(repo, base, { name, to, in: "branch" }), notes: [] };
  const saved = savedWork(parts, run, header.attempts);
  if (saved.saved !== undefined) return { ...saved, work: { in: "saved", file: saved.saved } };
  if (header.attempts.every((attempt) => baseOf(attempt) === null)) return nothing("nothing has started yet");
  if (header.end?.status === "done") return nothing("the run changed nothing that it committed");
  throw gone(`run #${number}`, `its tree ${path} was removed, and its branch is not there any more`);
}

/** What its stories have put on the base or on the side branch, and commits of steps between them. */
async function workOfStories(
  parts: Ports,
  run: Run,
  { repo, base }: { readonly repo: string; readonly base: string },
): Promise<FoundWork> {
  const { header } = run;
  const own = workspacePath(parts, run, null);
  const isAtWork = header.attempts.some(
    ({ state }) => "workspace" in state && state.phase !== "ended" && state.workspace === own,
  );
  const notes = header.stories
    .filter(({ slot }) => slot !== undefined)
    .map(({ id }) => `${id} is at work and not integrated: name it to see its changes`);
  if (isAtWork && ownedTree(own) !== null) return { work: { in: "tree", path: own, from: base }, notes };
  const commits = await integratedCommits(parts.store, header.id);
  const last = [...commits.values()].at(-1);
  const side = await branchCommit(repo, integrationTarget(run).side);
  const to = side ?? (last === undefined ? null : await existingCommit(repo, last));
  if (to === null && last !== undefined)
    throw gone(`run ${header.id}`, `the repository has no commit ${last} any more`);
  if (to === null) return { work: { in: "nothing", why: "no story is integrated yet" }, notes };
  const between = await countCommits(repo, base, to);
  const others = between - commits.size;
  const many = `${others} of the ${between} commits since its start are not of its stories; their changes are shown, too`;
  const name = side === null ? (header.place.baseName ?? to) : integrationTarget(run).side;
  const work = await sinceBase(repo, base, { name, to, in: "commit" });
  return { work, notes: [...(others > 0 ? [many] : []), ...notes] };
}

export async function workOfStory(parts: Ports, found: NumberedRun, entry: StoryEntry): Promise<FoundWork> {
  const { run, number } = found;
  const { repo } = gitOf(run, number);
  if (!hasStoryTrees(run.header.definition) || run.header.place.kind === "in_place")
    return await workInRunTree(parts, found, entry);
  const attempts = run.stories[entry.id]?.attempts ?? [];
  const saved = savedWork(parts, run, attempts);
  const away = entry.status === "done" ? null : await workElsewhere(parts, run, entry.id, repo);
  if (away !== null) return away;
  const inTree = await workInSlot(parts, run, entry.id);
  // A story at work has a tree that says it all.
  if (inTree !== null) return { ...(entry.slot === undefined ? saved : { notes: saved.notes }), work: inTree };
  const commit = (await integratedCommits(parts.store, run.header.id)).get(entry.id);
  if (commit !== undefined) {
    const to = await existingCommit(repo, commit);
    if (to === null) throw gone(entry.id, `the repository has no commit ${commit} any more`);
    const from = (await existingCommit(repo, `${to}^`)) ?? run.header.place.base ?? to;
    return { work: { in: "commit", name: commit, from, to }, notes: [] };
  }
  const kept = await keptWork(parts, run, entry.id, repo);
  if (kept !== null) return { ...saved, work: kept };
  if (saved.saved !== undefined) return { ...saved, work: { in: "saved", file: saved.saved } };
  if (attempts.every((attempt) => baseOf(attempt) === null))
    return nothing(`${entry.id} has not started: it is ${entry.status}`);
  if (entry.status === "done") return nothing(`${entry.id} is done and changed nothing`);
  throw gone(entry.id, "its tree was removed, and no branch, commit or saved diff has it");
}

/** As another machine has handed it over after its last attempt; null: this machine has the newest state. */
async function workElsewhere(parts: Ports, run: Run, story: StoryId | null, repo: string): Promise<FoundWork | null> {
  const handed = await newestElsewhere(parts, run, story, () => true);
  if (handed === null) return null;
  const { head, content, branch } = parseSnapshot(handed.snapshot);
  const to = await existingCommit(repo, content ?? head);
  const from = handed.start ?? (await startOf(run, repo, to ?? head)) ?? run.header.place.base;
  if (to === null || from === null) return null;
  const notes = ["it is on another machine: what was done there since its last attempt ended is not shown"];
  return { work: { in: "parked", name: branch ?? to, from, to }, notes };
}

/** Also of a story that has failed: it keeps its tree until another one needs it. */
async function workInSlot(parts: Ports, run: Run, story: StoryId): Promise<WorkSource | null> {
  for (const path of slotPaths(parts, run.header.id)) {
    const tree = ownedTree(path);
    if (tree?.marker.story !== story || tree.marker.entered !== true) continue;
    const { start, base } = tree.marker;
    return { in: "tree", path, from: start ?? (await startOf(run, tree.path, "HEAD")) ?? base };
  }
  return null;
}

/** Parked, or on the branch that it had. */
async function keptWork(parts: Ports, run: Run, story: StoryId, repo: string): Promise<WorkSource | null> {
  if (run.stories[story] === undefined) return null;
  const whereabouts = readWhereabouts(parkingFile(parts, run.header.id, story));
  const branch = whereabouts?.branch ?? branchOf(run, story);
  const parked = whereabouts?.parked ? parseSnapshot(whereabouts.parked) : null;
  const to =
    parked === null ? await branchCommit(repo, branch) : await existingCommit(repo, parked.content ?? parked.head);
  if (to === null) return null;
  const from = whereabouts?.start ?? (await startOf(run, repo, to));
  return from === null ? null : { in: parked === null ? "branch" : "parked", name: branch, from, to };
}

/** Where a story of an earlier version began that has not recorded it. */
async function startOf(run: Run, cwd: string, at: string): Promise<string | null> {
  return await commonCommit(cwd, at, await tipOf(integrationTarget(run)));
}

/** Stories that share a tree work one after the other: the next attempt of another scope began with what this one left. */
async function workInRunTree(
  parts: Ports,
  { run, number }: NumberedRun,
  { id, status }: StoryEntry,
): Promise<FoundWork> {
  const { header, stories } = run;
  const own = (stories[id]?.attempts ?? []).filter(hasBegun);
  const [first] = own;
  if (first === undefined) return nothing(`${id} has not started: it is ${status}`);
  const from = baseOf(first);
  if (from === null) {
    throw new AppError("REFUSED", `run #${number} works in place, where all stories share the checkout`, {
      hint: `\`pawl diff ${number}\` shows what was changed there since the run started`,
    });
  }
  const last = own.at(-1) ?? first;
  const others = [header, ...Object.values(stories)].flatMap(({ attempts }) => attempts).filter(hasBegun);
  const next = others
    .filter((attempt) => attempt.story !== id && attempt.startedAt >= last.startedAt && baseOf(attempt) !== null)
    .toSorted((one, other) => one.startedAt - other.startedAt)[0];
  const start = filesOfSnapshot(from);
  const end = next === undefined ? null : filesOfSnapshot(baseOf(next) ?? from);
  const repo = header.place.repo ?? "";
  if (end !== null) {
    if ((await existingCommit(repo, end)) === null || (await existingCommit(repo, start)) === null)
      throw gone(id, "the repository has not kept the files that it began or ended with");
    return { work: { in: "commit", name: end, from: start, to: end }, notes: [] };
  }
  const path = workspacePath(parts, run, null);
  if (ownedTree(path) !== null) return { work: { in: "tree", path, from: start }, notes: [] };
  const branch = await findWorkBranch(header, number);
  const to = branch === null ? null : await branchCommit(repo, branch);
  if (branch === null || to === null)
    throw gone(id, `the tree ${path} was removed, and its branch is not there any more`);
  return { work: { in: "branch", name: branch, from: start, to }, notes: [] };
}

function hasBegun({ state }: Attempt): boolean {
  return state.phase !== "dispatched";
}

function savedWork(parts: Ports, run: Run, attempts: readonly Attempt[]): Omit<FoundWork, "work"> {
  const files = savedDiffsOf(parts, run, attempts);
  const [saved] = files;
  const notes = files.map((file) => `work that was rolled back is saved in ${file}`);
  return saved === undefined ? { notes } : { notes, saved };
}

/** Where the base has moved on since, only what the work itself added. */
async function sinceBase(
  repo: string,
  base: string,
  { name, to, in: where }: { readonly name: string; readonly to: string; readonly in: "commit" | "branch" },
): Promise<WorkSource> {
  return { in: where, name, from: (await commonCommit(repo, base, to)) ?? base, to };
}

function gitOf({ header }: Run, number: number): { readonly repo: string; readonly base: string } {
  const { repo, base, kind } = header.place;
  if (kind === "directory" || repo === null || base === null) {
    throw new AppError(
      "REPOSITORY_UNUSABLE",
      `run #${number} works in a folder without git, so Pawl cannot compare its files`,
      {
        hint: `\`pawl status ${number}\` shows what it did; \`git init\` and a first commit before the next run let you see its changes`,
      },
    );
  }
  if (existsSync(repo)) return { repo, base };
  throw new AppError("REPOSITORY_UNUSABLE", `the repository of run #${number}, ${repo}, does not exist any more`, {
    hint: "put it back where it was, then try again",
  });
}

function nothing(why: string): FoundWork {
  return { work: { in: "nothing", why }, notes: [] };
}

function gone(whose: string, why: string): AppError {
  return new AppError("NOT_FOUND", `the work of ${whose} is gone: ${why}`, {
    hint: "`git reflog` of the repository may still name its commits",
  });
}
