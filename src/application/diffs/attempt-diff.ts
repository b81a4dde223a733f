// What one attempt changed. Owns: finding the files at its start and at its end, wherever they are kept: in its tree, in the repository,
// or as a diff that was saved before its work was rolled back. It only looks.

import type { AttemptDiff } from "../../contracts/diff-document.ts";
import { type Attempt, baseOf, hasEnded } from "../../domain/attempt.ts";
import { AppError } from "../../domain/error.ts";
import type { Run } from "../../domain/run.ts";
import { savedDiffsOf } from "../../runtime/trees/salvage.ts";
import {
  type Diff,
  diffBetween,
  diffWithTree,
  existingCommit,
  existingTree,
  pageDiffLimits,
} from "../../workspaces/trees/diff.ts";
import { ownedTree } from "../../workspaces/trees/ownership.ts";
import { savedDiff } from "../../workspaces/trees/saved-diff.ts";
import { filesOfSnapshot } from "../../workspaces/trees/snapshot.ts";
import type { Application } from "../application.ts";
import { attemptById, type FoundAttempt } from "../looking/attempts.ts";
import { changesOf, noChanges } from "./diff.ts";

export async function attemptDiff(app: Application, id: string): Promise<AttemptDiff> {
  const found = await attemptById(app, id);
  const { attempt, run, number } = found;
  const { from, tree, diff, isRolledBack = false, note } = await compare(found);
  const { notes, ...changes } = changesOf(diff, pageDiffLimits);
  return {
    attempt: attempt.id,
    run: run.header.id,
    number,
    story: attempt.story,
    step: attempt.step,
    from,
    tree,
    isRunning: !hasEnded(attempt),
    isRolledBack,
    ...changes,
    notes: [...(note === undefined ? [] : [note]), ...notes],
  };
}

interface Compared {
  readonly from: string | null;
  readonly tree: string | null;
  readonly diff: Diff;
  readonly isRolledBack?: boolean;
  readonly note?: string;
}

async function compare(found: FoundAttempt): Promise<Compared> {
  const { attempt, run, parts } = found;
  const start = startOf(found);
  if (start === null)
    return { from: null, tree: null, diff: noChanges, note: "it has not started in a tree: it changed nothing" };
  const [saved] = savedDiffsOf(parts, run, [attempt]);
  if (saved !== undefined) {
    const diff = await savedDiff(saved, pageDiffLimits);
    return {
      from: start,
      tree: null,
      diff,
      isRolledBack: true,
      note: `its work was rolled back; it is saved in ${saved}`,
    };
  }
  const repo = run.header.place.repo ?? "";
  if ((await existingCommit(repo, start)) === null) throw gone(attempt, "the files that it began with");
  const end = await keptEnd(found, repo);
  if (end !== null) return { from: start, tree: end, diff: await diffBetween(repo, start, end, pageDiffLimits) };
  const path = treeWithIts(attempt, run);
  if (path === null) throw gone(attempt, "the files that it ended with");
  const { tree, ...diff } = await diffWithTree(path, start, pageDiffLimits);
  return { from: start, tree, diff };
}

/** The commit with the files as they were; null: it has not started, or was never in a tree. */
function startOf({ attempt, run, number }: FoundAttempt): string | null {
  const base = baseOf(attempt);
  if (base !== null) return filesOfSnapshot(base);
  if (attempt.state.phase === "dispatched" || attempt.state.workspace === null) return null;
  if (run.header.place.kind === "worktree") return null;
  throw new AppError(
    "REFUSED",
    `run #${number} works in place: Pawl does not record the files at the start of an attempt`,
    {
      hint: `\`pawl diff ${number}\` shows what was changed since the run started`,
    },
  );
}

/** The tree that was recorded at its end, else what the next attempt in the same place began with; null: it is in no repository. */
async function keptEnd({ attempt, run, parts }: FoundAttempt, repo: string): Promise<string | null> {
  if (!hasEnded(attempt)) return null;
  const ends = await parts.store.eventsAt(run.header.id, "attempt_ended", attempt.state.endedAt);
  const recorded = ends.flatMap(({ event }) =>
    event.type === "attempt_ended" && event.attempt === attempt.id ? (event.tree ?? []) : [],
  )[0];
  const tree = recorded === undefined ? null : await existingTree(repo, recorded);
  if (tree !== null) return tree;
  const next = laterIn(attempt, run).flatMap((each) => baseOf(each) ?? [])[0];
  return next === undefined ? null : await existingTree(repo, filesOfSnapshot(next));
}

/** The attempts that began in its tree after it, the first first. */
function laterIn(attempt: Attempt, { header, stories }: Run): readonly Attempt[] {
  return [header, ...Object.values(stories)]
    .flatMap(({ attempts }) => attempts)
    .filter((each) => each.id !== attempt.id && each.startedAt >= attempt.startedAt)
    .filter((each) => placeOf(each) !== null && placeOf(each) === placeOf(attempt))
    .toSorted((one, other) => one.startedAt - other.startedAt);
}

/** Its tree, while nothing else has worked there since. */
function treeWithIts(attempt: Attempt, run: Run): string | null {
  const path = placeOf(attempt);
  const marker = path === null ? null : (ownedTree(path)?.marker ?? null);
  if (path === null || marker === null || marker.run !== run.header.id) return null;
  const isAnothers = marker.story !== undefined && marker.story !== null && marker.story !== attempt.story;
  return isAnothers || laterIn(attempt, run).length > 0 ? null : path;
}

function placeOf({ state }: Attempt): string | null {
  return state.phase === "dispatched" ? null : state.workspace;
}

function gone({ id }: Attempt, what: string): AppError {
  return new AppError("NOT_FOUND", `the work of attempt ${id} is gone: ${what} are not kept any more`, {
    hint: "`pawl diff RUN` shows what the whole run has changed",
  });
}
