// Snapshots. Owns: an id for the exact state of a tree, with what is not committed, taken without touching the tree or
// its index. Does not own: putting one back.

import { copyFileSync, mkdtempSync, rmSync, statSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { AppError } from "../../domain/error.ts";
import { isCommitId, layoutOf } from "../../system/git-directory.ts";
import { git, gitLine, splitNul } from "../git/git.ts";
import { branchRefOf, headOf } from "../git/head.ts";
import { changeRefs, dropRefs } from "../git/refs.ts";
import { porcelainStatus } from "../git/repository.ts";

export { headOf } from "../git/head.ts";

/** `<head>[+<content>][@<branch>]`: the commit id alone for a clean tree without a branch. */
export interface Snapshot {
  readonly head: string;
  /** A commit whose tree is all files as they were; its second parent, if any, has what was staged. Null when clean. */
  readonly content: string | null;
  /** Null when HEAD was detached. */
  readonly branch: string | null;
}

export async function takeSnapshot(path: string): Promise<string> {
  const [head, branchRef, status] = await Promise.all([headOf(path), branchRefOf(path), porcelainStatus(path)]);
  const content = status === "" ? null : await storeContent(path, head, splitNul(status));
  const branch = branchRef?.replace(/^refs\/heads\//, "") ?? null;
  return `${head}${content === null ? "" : `+${content}`}${branch === null ? "" : `@${branch}`}`;
}

export function parseSnapshot(text: string): Snapshot {
  const [, head = "", content = null, branch = null] = text.match(/^([0-9a-f]+)(?:\+([0-9a-f]+))?(?:@(.+))?$/) ?? [];
  if (isCommitId(head) && (content === null || isCommitId(content))) return { head, content, branch };
  throw new AppError("INPUT_INVALID", `${JSON.stringify(text.slice(0, 120))} is not a snapshot`, {
    hint: "a snapshot is a commit id, with `+` and a second one when there was uncommitted work",
  });
}

/** The commit that HEAD was at. */
export function headIn(snapshot: string): string {
  return parseSnapshot(snapshot).head;
}

export async function isClean(path: string): Promise<boolean> {
  return (await porcelainStatus(path)) === "";
}

/** The id of all files as they are now, committed or not: the same files have the same id. */
export async function treeOf(path: string): Promise<string> {
  const asked = ["rev-parse", "--verify", "--quiet", "HEAD^{tree}"];
  const [clean, committed] = await Promise.all([isClean(path), git(path, asked, { allowFailure: true })]);
  if (clean && committed.code === 0) return committed.stdout.trim();
  return withIndexCopy(path, (env) => contentTree(path, env));
}

/** Lets go of what was kept for the snapshots of this tree. */
export async function dropSnapshots(path: string): Promise<void> {
  await dropRefs(path, [snapshotRefs(path)]);
}

async function storeContent(path: string, head: string, status: readonly string[]): Promise<string> {
  return withIndexCopy(path, async (env) => {
    const hasConflict = status.some((entry) => /^(DD|AU|UD|UA|DU|AA|UU) /.test(entry));
    const hasStaged = status.some((entry) => !/^[ ?]/.test(entry));
    // Conflicts cannot be written as a tree; then the files alone are kept.
    const staged = hasStaged && !hasConflict ? await gitLine(path, ["write-tree"], { env }) : null;
    const parents = ["-p", head];
    if (staged !== null) parents.push("-p", await commitTree(path, staged, ["-p", head]));
    const content = await commitTree(path, await contentTree(path, env), parents);
    // Without a ref, the next `git gc` of the user's would take it away.
    await changeRefs(path, [`update ${snapshotRefs(path)}/${content} ${content}`]);
    return content;
  });
}

// The same state gives the same id, so that a snapshot taken twice is one.
const identity = {
  GIT_AUTHOR_NAME: "Pawl",
  GIT_AUTHOR_EMAIL: "pawl@localhost",
  GIT_AUTHOR_DATE: "@1 +0000",
  GIT_COMMITTER_NAME: "Pawl",
  GIT_COMMITTER_EMAIL: "pawl@localhost",
  GIT_COMMITTER_DATE: "@1 +0000",
};

function commitTree(path: string, tree: string, parents: readonly string[]): Promise<string> {
  return gitLine(path, ["commit-tree", tree, ...parents, "-m", "Pawl: uncommitted work"], { env: identity });
}

/** What holds the snapshots of the tree at `path`. */
export function snapshotRefs(path: string): string {
  const layout = layoutOf(path);
  const isLinked = layout !== null && layout.gitDir !== layout.commonDir;
  return `refs/pawl/snapshots/${isLinked ? `tree-${basename(layout.gitDir)}` : "checkout"}`;
}

/** Works on a copy of the index, which knows what is tracked and saves reading files that have not changed. */
async function withIndexCopy<T>(path: string, use: (env: Record<string, string>) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), "pawl-index-"));
  try {
    const copy = join(directory, "index");
    const gitDir = layoutOf(path)?.gitDir ?? (await gitLine(path, ["rev-parse", "--absolute-git-dir"]));
    copyIndex(join(gitDir, "index"), copy);
    return await use({ GIT_INDEX_FILE: copy });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** A copy that git can trust as much as the index itself. */
export function copyIndex(index: string, copy: string): void {
  const stats = statSync(index, { throwIfNoEntry: false });
  if (stats === undefined) return;
  copyFileSync(index, copy);
  // git compares a file again if it changed as late as the index was written. A younger copy would hide such a change.
  const writtenAt = (stats.mtimeMs - 1) / 1000;
  utimesSync(copy, writtenAt, writtenAt);
}

async function contentTree(path: string, env: Record<string, string>): Promise<string> {
  await addEverything(path, env);
  return gitLine(path, ["write-tree"], { env });
}

/** A repository without a commit inside the tree cannot be added and would stop everything else: it is left out. */
async function addEverything(path: string, env: Record<string, string>): Promise<void> {
  const leftOut: string[] = [];
  for (;;) {
    const pathspec = leftOut.map((name) => `:(exclude,literal)${name}`);
    const args = ["add", "--all", "--sparse", "--", ".", ...pathspec];
    const added = await git(path, args, { env, allowFailure: true });
    if (added.code === 0) return;
    const name = added.stderr.match(/^error: '(.+?)\/?' does not have a commit checked out$/m)?.[1];
    if (name === undefined || leftOut.includes(name)) {
      await git(path, args, { env });
      return;
    }
    leftOut.push(name);
  }
}
