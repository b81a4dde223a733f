// Cleaning up. Owns: removing what runs that are over have left: logs, trees, saved diffs, branches without work of their own, and
// the runs themselves. Nothing of an open run, nothing that Pawl did not make, and no work that is saved nowhere else is touched.

import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { CleanDocument } from "../contracts/machine-documents.ts";
import { errorText } from "../domain/error.ts";
import type { Run } from "../domain/run.ts";
import type { Parts } from "../runtime/parts.ts";
import { beforeRemoval } from "../runtime/trees/hooks.ts";
import { byProductsOf } from "../runtime/trees/left-work.ts";
import { partsFolder } from "../runtime/trees/places.ts";
import { ownFolder } from "../runtime/trees/protocol-folder.ts";
import { isoTime } from "../runtime/views/status.ts";
import type { RunSummary } from "../store/store.ts";
import { branchFor } from "../workspaces/branches/branch-name.ts";
import { checkoutsOf } from "../workspaces/branches/checked-out.ts";
import { branchCommit } from "../workspaces/git/head.ts";
import { changeRefs } from "../workspaces/git/refs.ts";
import { isIn } from "../workspaces/integration/ancestry.ts";
import { dropRunRefs } from "../workspaces/slots/parking.ts";
import { removeWorktree } from "../workspaces/trees/removal.ts";
import type { Application } from "./application.ts";
import { unsavedWork } from "./diffs/unsaved-work.ts";
import { wholeRun } from "./references.ts";

export interface CleanRequest {
  /** Only runs that ended longer ago. */
  readonly olderMs: number;
  /** Changes nothing, and says what would go. */
  readonly dryRun: boolean;
}

type CleanedRun = CleanDocument["runs"][number];
type CleanPorts = Pick<Parts, "store" | "home" | "settingsOf" | "warn">;

export async function clean(app: Application, { olderMs, dryRun }: CleanRequest): Promise<CleanDocument> {
  return await app.change(null, async ({ parts }) => {
    const before = parts.clock.now() - olderMs;
    const over = await parts.store.listRuns({ statuses: ["done", "failed", "cancelled"], limit: 1_000_000 });
    const runs: CleanedRun[] = [];
    for (const summary of over.toReversed()) {
      if (summary.endedAt === null || summary.endedAt > before) continue;
      const cleaned = await cleanRun(parts, summary, dryRun);
      if (cleaned.removed.length > 0 || cleaned.kept.length > 0) runs.push(cleaned);
    }
    return { dryRun, endedBefore: isoTime(before), runs };
  });
}

async function cleanRun(parts: CleanPorts, summary: RunSummary, dryRun: boolean): Promise<CleanedRun> {
  const run = await wholeRun(parts.store, summary);
  const { id, number, status } = summary;
  const kept: string[] = [];
  const removed: string[] = [];
  const about = { id, number, status, endedAt: isoTime(summary.endedAt ?? 0) };
  try {
    for (const step of await stepsFor(parts, run, summary, kept)) {
      if (!dryRun) await step.remove();
      removed.push(step.what);
    }
  } catch (error) {
    kept.push(`the rest stays: ${errorText(error)}`);
  }
  return { ...about, removed, kept };
}

interface Step {
  readonly what: string;
  remove(): Promise<void>;
}

/** In the order in which they are removed: the run itself goes last, so that an interrupted cleaning can be repeated. */
async function stepsFor(parts: CleanPorts, run: Run, summary: RunSummary, kept: string[]): Promise<readonly Step[]> {
  const { home, store } = parts;
  const { id, place } = run.header;
  const trees = treesOf(parts, id);
  const unsaved = await unsavedWork(run, trees);
  // As a whole: what is left of it is of use only together with its branch, its logs and its record.
  if (unsaved.length > 0) {
    kept.push(...unsaved);
    return [];
  }
  const left = [join(home.logs, id), join(home.salvage, id), ownFolder(parts, id), partsFolder(parts, id)];
  const folders = left.filter((path) => existsSync(path));
  const branches = await emptyBranches(run, summary.number, kept);
  const repo = place.repo !== null && existsSync(place.repo) ? place.repo : null;
  const keepAs = branchFor(summary.number, run.header.task);
  const isByProduct = byProductsOf(run.header);
  return [
    ...trees.map((path) => ({
      what: `tree ${path}`,
      remove: async () => {
        await beforeRemoval(parts, run, path);
        if (repo !== null && existsSync(join(path, ".git"))) await removeWorktree({ repo, path, keepAs, isByProduct });
        else rmSync(path, { recursive: true, force: true });
      },
    })),
    ...folders.map((path) => ({
      what: `folder ${path}`,
      remove: async () => rmSync(path, { recursive: true, force: true }),
    })),
    ...branches.map(({ name, commit }) => ({
      what: `branch ${name}`,
      remove: async () => void (await changeRefs(repo ?? "", [`delete refs/heads/${name} ${commit}`])),
    })),
    ...recordOf(run, kept, async () => {
      if (repo !== null) await dropRunRefs(repo, id);
      await store.removeRun(id);
    }),
  ];
}

/** A run of stories that a file names stays on record: it knows which of them are done. */
function recordOf({ header }: Run, kept: string[], remove: () => Promise<void>): readonly Step[] {
  if (header.place.source === undefined && header.place.shared === undefined) return [{ what: "the run", remove }];
  kept.push("the run itself: it knows which stories of its file are done");
  return [];
}

/** Everything in the folder of trees whose name begins with the id of the run. */
function treesOf({ home }: Pick<Parts, "home">, id: string): readonly string[] {
  const names = existsSync(home.worktrees) ? readdirSync(home.worktrees) : [];
  return names
    .filter((name) => name === id || name.startsWith(`${id}-`) || name.startsWith(`${id}.`))
    .flatMap((name) =>
      name === `${id}.parts` ? partTreesIn(join(home.worktrees, name)) : [join(home.worktrees, name)],
    );
}

/** Each part has a folder `STORY+PART`, with the tree in it. */
function partTreesIn(folder: string): readonly string[] {
  const trees = readdirSync(folder).map((name) => join(folder, name, name.slice(name.indexOf("+") + 1)));
  return trees.filter((path) => existsSync(path));
}

/** Branches that Pawl made and whose commits the base has; one with work of its own stays. */
async function emptyBranches(
  { header }: Run,
  number: number,
  kept: string[],
): Promise<readonly { readonly name: string; readonly commit: string }[]> {
  const { repo, base, baseName, branch, kind } = header.place;
  if (repo === null || kind !== "worktree" || !existsSync(repo)) return [];
  const found: { name: string; commit: string }[] = [];
  for (const name of new Set([branch, branchFor(number, header.task)])) {
    if (name === null || !name.startsWith("pawl/")) continue;
    const commit = await branchCommit(repo, name);
    if (commit === null) continue;
    const onto = baseName === null ? null : await branchCommit(repo, baseName);
    const isHeld = commit === base || (onto !== null && (await isIn(repo, commit, onto)));
    const used = (await checkoutsOf(repo, name)).filter(({ path }) => !path.includes(header.id));
    if (isHeld && used.length === 0) found.push({ name, commit });
    else
      kept.push(
        `branch ${name}: ${isHeld ? "it is checked out" : `it has commits that ${baseName ?? "no other branch"} does not have`}`,
      );
  }
  return found;
}
