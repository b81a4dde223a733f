// The workspace of an attempt. Owns: that the tree is there, and is as it should be, before an agent may change it. Every step
// of it can be done again after a crash.

import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Attempt, baseOf, hasEnded } from "../domain/attempt.ts";
import type { Run } from "../domain/run.ts";
import { scopeOf } from "../domain/run.ts";
import { mayHold } from "../engine/definitions.ts";
import { excludeLocally } from "../workspaces/exclude.ts";
import { restoreSnapshot } from "../workspaces/restore.ts";
import { saveDiff } from "../workspaces/salvage.ts";
import { takeSnapshot, treeOf } from "../workspaces/snapshot.ts";
import { ensureWorktree } from "../workspaces/worktree.ts";
import type { Parts } from "./parts.ts";

export interface Workspace {
  readonly path: string;
  /** What the attempt starts from: its tree is put back to this if the attempt is lost. Null where we own no tree. */
  readonly base: string | null;
}

export async function prepareWorkspace(parts: Parts, run: Run, attempt: Attempt): Promise<Workspace> {
  const path = await ensurePlace(parts, run);
  if (run.header.place.kind !== "worktree") return { path, base: null };
  const before = leftBehind(run, attempt);
  if (before !== null) await rollBack(parts, run, path, before, attempt);
  return { path, base: await takeSnapshot(path) };
}

export function workspacePath(parts: Parts, run: Run): string {
  const { id, place } = run.header;
  if (place.kind === "worktree") return join(parts.home.worktrees, id);
  return place.repo ?? join(parts.home.worktrees, id);
}

/** Trees that this process has made sure of: asking git again before every attempt would cost as much as starting one. */
const ensured = new WeakMap<Parts, Set<string>>();

async function ensurePlace(parts: Parts, run: Run): Promise<string> {
  const { id, place, definition } = run.header;
  const path = workspacePath(parts, run);
  if (place.kind === "directory") mkdirSync(path, { recursive: true });
  if (place.kind !== "worktree" || place.repo === null || place.base === null) return path;
  const known = ensured.get(parts) ?? new Set();
  if (known.has(path) && existsSync(join(path, ".git"))) return path;
  await ensureWorktree({ run: id, repo: place.repo, path, base: place.base, branch: place.branch });
  // Its files tell agents to keep their log in the working directory; it must not end up in a commit.
  if (definition.dialect === "antfarm") await excludeLocally(path, ["/progress.txt", "/progress-*.txt"]);
  ensured.set(parts, known.add(path));
  return path;
}

interface LeftBehind {
  readonly attempt: Attempt;
  readonly base: string;
}

/**
 * The unfinished work of an earlier attempt that must go, as the engine has decided. An attempt that died before it began has
 * left nothing; then the one before it counts.
 */
function leftBehind(run: Run, attempt: Attempt): LeftBehind | null {
  const earlier = (scopeOf(run, attempt.story)?.attempts ?? []).filter(
    (candidate) => candidate.step === attempt.step && candidate.id !== attempt.id,
  );
  for (const candidate of earlier.toReversed()) {
    if (!hasEnded(candidate) || !candidate.state.discards) return null;
    const base = baseOf(candidate);
    if (base !== null) return { attempt: candidate, base };
  }
  return null;
}

async function rollBack(
  parts: Parts,
  run: Run,
  path: string,
  { attempt, base }: LeftBehind,
  next: Attempt,
): Promise<void> {
  const file = join(
    parts.home.salvage,
    run.header.id,
    `${attempt.story ?? "run"}-${attempt.step}-${attempt.number}.diff`,
  );
  const saved = await saveDiff(path, base, file);
  // Who was frozen since the claim may have lost it, and somebody else works in the tree: `begin` will refuse the attempt.
  const now = await parts.store.attempt(next.id);
  if (now === null || hasEnded(now.attempt)) return;
  await restoreSnapshot(path, base);
  parts.log("workspace.rolled_back", { run: run.header.id, attempt: attempt.id, diff: saved ? file : null });
}

/** The tree as it is, where a person may be asked about it: an answer counts only for what was shown. */
export async function shownTree(parts: Parts, run: Run): Promise<string | null> {
  const { place, definition } = run.header;
  if (place.kind === "directory" || !mayHold(definition)) return null;
  return await treeNow(parts, run);
}

/** null when there is none, or none any more. */
export async function treeNow(parts: Parts, run: Run): Promise<string | null> {
  const path = workspacePath(parts, run);
  if (run.header.place.kind === "directory" || !existsSync(path)) return null;
  return await treeOf(path);
}
