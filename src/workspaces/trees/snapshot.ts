// Snapshots. Owns: an id for the exact state of a tree, including uncommitted work, taken without changing the tree or what is staged.
// Does not own: restoring one.

import { copyFileSync, lstatSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { AppError } from "../../domain/error.ts";
import { realPath } from "../../system/files/paths.ts";
import { isCommitId, layoutOf, readHead } from "../../system/git-directory.ts";
import { git, gitLine, splitNul } from "../git/git.ts";
import { branchRefOf, commonDirOf, headOf } from "../git/head.ts";
import { keepObject, writeCommit } from "../git/own-objects.ts";
import { dropRefs } from "../git/refs.ts";
import { revealHidden } from "./hidden-files.ts";
import { commitOfLeft, type LeftBranch } from "./left-branch.ts";
import { recordedRepositories } from "./nested.ts";
import { entryFor, readMarker } from "./ownership.ts";
import { treeStatus } from "./status.ts";

/** Written as `<head>[+<content>][@<branch>]`; a clean tree without a branch is the commit id alone. */
export interface Snapshot {
  readonly head: string;
  /** A commit with all files as they were; its second parent, if any, has what was staged. Null when the tree was clean. */
  readonly content: string | null;
  /** Null when HEAD was detached. */
  readonly branch: string | null;
}

export async function takeSnapshot(path: string): Promise<string> {
  await revealHidden(path);
  const [head, branchRef, status] = await Promise.all([headOf(path), branchRefOf(path), treeStatus(path)]);
  const content = status === "" ? null : await storeContent(path, head, splitNul(status));
  const branch = branchRef?.replace(/^refs\/heads\//, "") ?? null;
  return snapshotText({ head, content, branch });
}

export function snapshotText({ head, content, branch }: Snapshot): string {
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

/** The commit that has all its files, committed or not. */
export function filesOfSnapshot(snapshot: string): string {
  const { head, content } = parseSnapshot(snapshot);
  return content ?? head;
}

export async function isClean(path: string): Promise<boolean> {
  return (await treeStatus(path)) === "";
}

/** The id of all files as they are now, committed or not. The same files have the same id. */
export async function treeOf(path: string): Promise<string> {
  const asked = ["rev-parse", "--verify", "--quiet", "HEAD^{tree}"];
  const [clean, committed] = await Promise.all([isClean(path), git(path, asked, { allowFailure: true })]);
  if (clean && committed.code === 0) return committed.stdout.trim();
  return withIndexCopy(path, (env) => contentTree(path, env));
}

/** The same id for the files of a commit. */
export async function treeOfCommit(repo: string, commit: string): Promise<string> {
  return await gitLine(repo, ["rev-parse", "--verify", `${commit}^{tree}`]);
}

/** What a tree of Pawl would have if its folder, which is gone, were made again; null: the repository or its branch is gone, too. */
export async function treeMissingAt(path: string, repo: string, left: LeftBranch | null): Promise<string | null> {
  const commonDir = layoutOf(repo)?.commonDir;
  if (commonDir === undefined) return null;
  const entry = entryFor(commonDir, realPath(path));
  const head = entry === null || readMarker(entry) === null ? null : readHead(entry);
  const known = head === null ? null : "ref" in head ? head.ref : head.commit;
  const at = known ?? (left === null ? null : await commitOfLeft(repo, left));
  return at === null ? null : await treeOfCommit(repo, at).catch(() => null);
}

/** Deletes the refs that keep the snapshots of this tree. */
export async function dropSnapshots(path: string): Promise<void> {
  await dropRefs(path, [snapshotRefs(path)]);
}

async function storeContent(path: string, head: string, status: readonly string[]): Promise<string> {
  const commonDir = await commonDirOf(path);
  const keep = (tree: string, parents: readonly string[]) =>
    writeCommit(commonDir, { tree, parents, message: "Pawl: uncommitted work" });
  return withIndexCopy(path, async (env) => {
    const hasConflict = status.some((entry) => /^(DD|AU|UD|UA|DU|AA|UU) /.test(entry));
    const hasStaged = status.some((entry) => !/^[ ?]/.test(entry));
    // An index with conflicts cannot be written as a tree; then only the files are kept.
    const staged = hasStaged && !hasConflict ? await gitLine(path, ["write-tree"], { env }) : null;
    const parents = staged === null ? [head] : [head, keep(staged, [head])];
    const content = keep(await contentTree(path, env), parents);
    // Without a ref, the next `git gc` of the user would delete it.
    await keepObject(commonDir, `${snapshotRefs(path)}/${content}`, content);
    return content;
  });
}

/** The refs that keep the snapshots of the tree at `path`. */
export function snapshotRefs(path: string): string {
  const layout = layoutOf(path);
  const isLinked = layout !== null && layout.gitDir !== layout.commonDir;
  return `refs/pawl/snapshots/${isLinked ? `tree-${basename(layout.gitDir)}` : "checkout"}`;
}

/** The id of all files as they are now, as `treeOf`, with the variables that other commands need to read its objects. */
export interface LookedTree {
  readonly id: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Writes neither the index nor an object of the repository: what is new lies beside it until `use` has ended. */
export async function lookAtTree<T>(path: string, use: (tree: LookedTree) => Promise<T>): Promise<T> {
  const objects = join(await commonDirOf(path), "objects");
  return await withIndexCopy(path, async (env, directory) => {
    const own = join(directory, "objects");
    mkdirSync(join(own, "info"), { recursive: true });
    writeFileSync(join(own, "info", "alternates"), `${objects}\n`);
    const apart = { ...env, GIT_OBJECT_DIRECTORY: own };
    return await use({ id: await contentTree(path, apart), env: apart });
  });
}

/** Uses a copy of the index: it knows what is tracked, and git need not read files that have not changed. */
async function withIndexCopy<T>(
  path: string,
  use: (env: Record<string, string>, directory: string) => Promise<T>,
): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), "pawl-index-"));
  try {
    const copy = join(directory, "index");
    const gitDir = layoutOf(path)?.gitDir ?? (await gitLine(path, ["rev-parse", "--absolute-git-dir"]));
    copyIndex(join(gitDir, "index"), copy);
    return await use({ GIT_INDEX_FILE: copy }, directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Copies the index so that git trusts the copy no more than the original. */
export function copyIndex(index: string, copy: string): void {
  const stats = lstatSync(index, { throwIfNoEntry: false });
  if (!stats?.isFile()) return;
  copyFileSync(index, copy);
  // Git reads a file again if it is as new as the index. A newer copy would hide such a change.
  const writtenAt = (stats.mtimeMs - 1) / 1000;
  utimesSync(copy, writtenAt, writtenAt);
}

async function contentTree(path: string, env: Record<string, string>): Promise<string> {
  await addEverything(path, env);
  return gitLine(path, ["write-tree"], { env });
}

/** Leaves out repositories without a commit inside the tree: git cannot add them, and would add nothing else. */
async function addEverything(path: string, env: Record<string, string>): Promise<void> {
  const inside = await repositoriesInside(path, env);
  await addFiles(path, env, inside);
  if (inside.length === 0) return;
  // This records the commit that is checked out there, and starts nothing in it.
  const input = [...inside, ""].join("\0");
  await git(path, ["update-index", "-z", "--stdin"], { env, input });
}

/**
 * Recorded repositories that are there. `git add` would start git in each of them, with the filters of its own configuration, which an
 * agent can write.
 */
async function repositoriesInside(path: string, env: Record<string, string>): Promise<readonly string[]> {
  const names = await recordedRepositories(path, env["GIT_INDEX_FILE"] ?? "", env);
  return names.filter((name) => lstatSync(join(path, name, ".git"), { throwIfNoEntry: false }) !== undefined);
}

async function addFiles(path: string, env: Record<string, string>, inside: readonly string[]): Promise<void> {
  const leftOut: string[] = [...inside];
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
