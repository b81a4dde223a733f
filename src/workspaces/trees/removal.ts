// Removing trees. Owns: removing trees that Pawl made without losing a commit or uncommitted work. It can be repeated.

import { existsSync, renameSync, rmdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { AppError } from "../../domain/error.ts";
import { realPath } from "../../system/files/paths.ts";
import { removeAll } from "../../system/files/remove-all.ts";
import { readIfReadable } from "../../system/files/text.ts";
import { isCommitId, layoutOf, readHead } from "../../system/git-directory.ts";
import { alternatives, assertBranchName } from "../branches/branch-name.ts";
import { git } from "../git/git.ts";
import { branchRefOf, commonDirOf } from "../git/head.ts";
import { changeRefs } from "../git/refs.ts";
import { countDirty } from "../git/repository.ts";
import type { IsByProduct } from "./by-products.ts";
import { discardTree, withHealing } from "./heal.ts";
import { leftIn } from "./left-work.ts";
import { assertOwned, entryFor, readMarker, relink, removeTreeRecord } from "./ownership.ts";
import { dropSnapshots } from "./snapshot.ts";
import { discardClaimed } from "./worktree.ts";

export interface Removal {
  readonly repo: string;
  readonly path: string;
  /** The branch that gets the commits that are on no branch. */
  readonly keepAs: string;
  /** Removes the tree even if it has uncommitted work or is locked. Commits are kept all the same. */
  readonly force?: boolean;
  /** New files that may go. */
  readonly isByProduct?: IsByProduct;
}

export interface Removed {
  /** False if there was nothing left to do. */
  readonly removed: boolean;
  /** The branch that was made so that no commit is lost. */
  readonly kept: string | null;
}

export async function removeWorktree(removal: Removal): Promise<Removed> {
  const path = realPath(removal.path);
  const commonDir = await commonDirOf(removal.repo);
  await assertBranchName(removal.repo, removal.keepAs);
  const gone = `${path}.gone`;
  // The process that made it died, or git could not check it out: no agent has worked there.
  if (discardClaimed(commonDir, path)) return { removed: true, kept: null };
  if (!existsSync(path)) return finishRemoval(removal, commonDir, path, gone);
  const discard = async () => {
    discardTree(path);
    return { removed: true, kept: null };
  };
  // What an agent did to the git files of a tree must not keep its run from ending.
  const act = () => removeOwned(removal, commonDir, path, gone);
  return await withHealing({ path, act, told: () => undefined, ...(removal.force ? { orElse: discard } : {}) });
}

async function removeOwned(removal: Removal, commonDir: string, path: string, gone: string): Promise<Removed> {
  relink(commonDir, path);
  const tree = assertOwned(path);
  if (!removal.force) await assertDisposable(path, tree.gitDir, removal.isByProduct);
  const kept = await keepCommits(path, removal.keepAs);
  await dropSnapshots(path);
  // Renamed first: a half-deleted tree would no longer show that Pawl made it.
  removeAll(gone);
  renameSync(path, gone);
  deleteEntry(tree.gitDir);
  removeAll(gone);
  removeTreeRecord(path);
  return { removed: true, kept };
}

/** Makes a branch if HEAD is detached at commits that no other ref reaches; null if there is nothing to keep. */
export async function keepCommits(path: string, branchName: string): Promise<string | null> {
  const layout = layoutOf(path);
  const heads = [(await branchRefOf(path)) === null ? await detachedHead(path) : null];
  // During a rebase only this file names the commits from before it.
  for (const place of ["rebase-merge", "rebase-apply"]) {
    heads.push(layout && (readIfReadable(join(layout.gitDir, place, "orig-head"))?.trim() ?? null));
  }
  const base = layout && readMarker(layout.gitDir)?.base;
  let first: string | null = null;
  for (const head of heads) {
    if (head === null || !isCommitId(head) || (await isReachable(path, head, base ?? null))) continue;
    const name = await holdAs(path, branchName, head);
    first ??= name;
  }
  return first;
}

async function finishRemoval(removal: Removal, commonDir: string, path: string, gone: string): Promise<Removed> {
  const entry = entryFor(commonDir, path);
  const hadLeftovers = existsSync(gone) || entry !== null;
  let kept: string | null = null;
  if (entry !== null && readMarker(entry)?.path === path) {
    const head = readHead(entry);
    const base = readMarker(entry)?.base ?? null;
    if (head !== null && "commit" in head && !(await isReachable(removal.repo, head.commit, base)))
      kept = await holdAs(removal.repo, removal.keepAs, head.commit);
    deleteEntry(entry);
  }
  removeAll(gone);
  removeTreeRecord(path);
  return { removed: hadLeftovers, kept };
}

async function assertDisposable(path: string, gitDir: string, isByProduct?: IsByProduct): Promise<void> {
  const why = await whyNotDisposable(path, isByProduct);
  if (why === null) return;
  if (isLocked(gitDir)) {
    throw new AppError("REFUSED", `${path} ${why}`, {
      hint: `unlock it with \`git worktree unlock ${path}\`, or force the removal`,
    });
  }
  throw new AppError("REPOSITORY_DIRTY", `${path} ${why}`, {
    hint: "commit them there, or force the removal to discard them",
  });
}

/** What would be lost with the tree, or who keeps it, as the rest of a sentence about it; null if it may go. Changes nothing. */
export async function whyNotDisposable(path: string, isByProduct?: IsByProduct): Promise<string | null> {
  const { gitDir } = assertOwned(path);
  if (isLocked(gitDir)) return `is locked: ${readIfReadable(lockOf(gitDir))?.trim() || "no reason given"}`;
  if ((await countDirty(path)) === 0) return null;
  const left = await leftIn(path);
  const dirty = left.filter(({ code, name }) => code !== "??" || !(isByProduct?.(name) ?? false)).length;
  return dirty === 0 ? null : `has ${dirty} uncommitted file${dirty === 1 ? "" : "s"}`;
}

function lockOf(gitDir: string): string {
  return join(gitDir, "locked");
}

function isLocked(gitDir: string): boolean {
  return existsSync(lockOf(gitDir));
}

async function detachedHead(path: string): Promise<string | null> {
  const asked = await git(path, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], { allowFailure: true });
  return asked.code === 0 ? asked.stdout.trim() : null;
}

/** True if every commit up to `head` can be reached from a branch, a remote branch, a tag, or the base of the tree. */
export async function isReachable(cwd: string, head: string, base: string | null): Promise<boolean> {
  const others = ["--not", "--branches", "--remotes", "--tags", ...(base === null ? [] : [base])];
  const { stdout, code } = await git(cwd, ["rev-list", "--max-count=1", head, ...others, "--"], { allowFailure: true });
  return code === 0 && stdout.trim() === "";
}

async function holdAs(cwd: string, branchName: string, head: string): Promise<string> {
  await assertBranchName(cwd, branchName);
  for (const name of alternatives(branchName)) {
    const ref = `refs/heads/${name}`;
    const there = await git(cwd, ["rev-parse", "--verify", "--quiet", ref], { allowFailure: true });
    if (there.stdout.trim() === head) return name;
    if (there.code === 0) continue;
    if (await changeRefs(cwd, [`create ${ref} ${head}`])) return name;
  }
  throw new AppError("REFUSED", `no free branch name like ${branchName}`, { hint: "delete some of those branches" });
}

/** Deletes only this entry. `git worktree prune` would also forget trees of the user on a disk that is not attached. */
function deleteEntry(gitDir: string): void {
  rmSync(gitDir, { recursive: true, force: true });
  try {
    rmdirSync(dirname(gitDir));
  } catch {
    // Other trees are still registered there.
  }
}
