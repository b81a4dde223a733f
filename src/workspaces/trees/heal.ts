// Healing. Owns: mending the git files of a tree that Pawl made after an agent has broken them: its `.git`, its git directory, HEAD, the
// index. The files of the tree stay as they are. What was there is known from a record beside the tree, which no git command
// of an agent reaches.

import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../domain/error.ts";
import { realPath } from "../../system/files/paths.ts";
import { removeAll } from "../../system/files/remove-all.ts";
import { readIfReadable } from "../../system/files/text.ts";
import { replaceFile } from "../../system/files/whole-file.ts";
import { isCommitId, layoutOf, readHead, treeOfEntry } from "../../system/git-directory.ts";
import { checkoutsOf } from "../branches/checked-out.ts";
import { git } from "../git/git.ts";
import { changeRefs } from "../git/refs.ts";
import {
  entriesOf,
  type OwnedTree,
  ownedTree,
  readMarker,
  readTreeRecord,
  removeTreeRecord,
  type TreeMarker,
  type TreeRecord,
  writeMarker,
} from "./ownership.ts";
import { removeLocks } from "./restore.ts";

const checkoutTimeoutMs = 600_000;

export interface Healing<T> {
  /** The top of the tree. One that Pawl did not make is left alone. */
  readonly path: string;
  /** It is performed once more after the tree was mended. */
  readonly act: () => Promise<T>;
  /** The links of the tree were looked at, and nothing but Pawl has worked in it since. */
  readonly isConnected?: boolean;
  /** Gets what was broken. */
  readonly told: (broken: readonly string[]) => void;
  /** What to do with a tree that was mended and fails all the same. Default: the error counts. */
  readonly orElse?: () => Promise<T>;
}

/** Performs `act`, and mends the git files of the tree if it fails because they are broken. */
export async function withHealing<T>({ path, act, told, orElse, ...known }: Healing<T>): Promise<T> {
  // Before git is started: without its `.git`, a command in the tree would work on a repository that the tree happens to lie in.
  const early = (known.isConnected ?? isConnected(path)) ? [] : await healTree(path);
  if (early.length > 0) told(early);
  try {
    return await act();
  } catch (error) {
    if (!mayBeBroken(error)) throw error;
    const late = await healTree(path);
    if (late.length > 0) told(late);
    if (early.length + late.length === 0) throw error;
    return late.length > 0 ? await again(act, orElse) : await (orElse ?? act)();
  }
}

async function again<T>(act: () => Promise<T>, orElse: (() => Promise<T>) | undefined): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (orElse === undefined || !mayBeBroken(error)) throw error;
    return await orElse();
  }
}

function mayBeBroken(error: unknown): boolean {
  return error instanceof AppError && ["REFUSED", "REPOSITORY_UNUSABLE", "GIT_FAILED"].includes(error.code);
}

/** Mends everything, and returns what was broken; nothing if the tree is in order, or is not one that Pawl made. */
export async function healTree(path: string): Promise<readonly string[]> {
  const broken = [...healLinks(path)];
  const tree = ownedTree(path);
  if (tree === null) return [];
  removeLocks(tree.gitDir);
  if (!(await hasCommit(tree.path, "HEAD"))) {
    await healHead(tree);
    broken.push("HEAD named no commit");
  }
  if (!(await hasIndex(tree))) {
    removeAll(join(tree.gitDir, "index"));
    await git(tree.path, ["reset", "--quiet"], { timeoutMs: checkoutTimeoutMs });
    broken.push("its index could not be read");
  }
  return broken;
}

/** Removes the tree with its git directory, whatever is left of them, so that it can be made anew. Its branch stays. */
export function discardTree(path: string): void {
  const record = readTreeRecord(realPath(path));
  if (record === null) return;
  for (const entry of entriesOf(record.commonDir)) if (treeOfEntry(entry) === record.path) removeAll(entry);
  removeAll(record.gitDir);
  removeAll(record.path);
  removeTreeRecord(record.path);
}

/** False if Pawl made a tree there that is no longer connected with its repository. Reads files only. */
export function isConnected(path: string): boolean {
  const real = realPath(path);
  const record = readTreeRecord(real);
  const isTree = statSync(real, { throwIfNoEntry: false })?.isDirectory() === true;
  if (record === null || !isTree || !existsSync(record.commonDir)) return true;
  const { gitDir, commonDir } = record;
  const layout = layoutOf(real);
  const isLinked = layout?.gitDir === gitDir && isSamePath(layout.commonDir, commonDir);
  return isLinked && ownedTree(real) !== null && existsSync(join(gitDir, "HEAD"));
}

function isSamePath(one: string, other: string): boolean {
  return one === other || realPath(one) === realPath(other);
}

/** Writes what connects the tree with its repository again. */
function healLinks(path: string): readonly string[] {
  const real = realPath(path);
  const record = readTreeRecord(real);
  if (record === null || isConnected(path)) return [];
  const { gitDir } = record;
  const dotGit = join(real, ".git");
  const isLinked = readIfReadable(dotGit) === linkTo(gitDir);
  mkdirSync(gitDir, { recursive: true });
  write(join(gitDir, "commondir"), "../..\n");
  write(join(gitDir, "gitdir"), `${dotGit}\n`);
  if (readIfReadable(join(gitDir, "HEAD")) === null) write(join(gitDir, "HEAD"), headFor(record));
  if (readMarker(gitDir)?.path !== real) writeMarker(gitDir, markerOf(record));
  if (!isLinked) {
    removeAll(dotGit);
    writeFileSync(dotGit, linkTo(gitDir));
  }
  return [isLinked ? "its git directory was damaged" : "its .git was not the one that Pawl made"];
}

function headFor({ branch, base }: TreeRecord): string {
  return branch === null ? `${base}\n` : `ref: refs/heads/${branch}\n`;
}

function linkTo(gitDir: string): string {
  return `gitdir: ${gitDir}\n`;
}

function markerOf(record: TreeRecord): TreeMarker {
  const { gitDir: _, commonDir: __, ...marker } = record;
  return marker;
}

/** Also in the place of a directory. */
function write(file: string, text: string): void {
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) removeAll(file);
  replaceFile(file, (draft) => writeFileSync(draft, text, { flag: "wx" }));
}

/** Returns to the branch of the tree, made again where it is gone; detached where there is none or it is checked out elsewhere. */
async function healHead(tree: OwnedTree): Promise<void> {
  const { commonDir, gitDir, marker } = tree;
  const ref = `refs/heads/${marker.branch}`;
  const elsewhere = marker.branch === null ? [] : await checkoutsOf(commonDir, marker.branch);
  const isFree = marker.branch !== null && elsewhere.every((place) => realPath(place.gitDir) === realPath(gitDir));
  if (isFree && (await hasCommit(commonDir, ref))) return write(join(gitDir, "HEAD"), `ref: ${ref}\n`);
  const commit = await lastCommit(tree);
  // Detached first: git refuses to work where HEAD cannot be read.
  write(join(gitDir, "HEAD"), `${commit}\n`);
  if (!isFree) return;
  // A ref with something else in it can be neither updated nor deleted by git.
  rmSync(join(commonDir, ref), { force: true });
  if (await changeRefs(commonDir, [`create ${ref} ${commit}`])) write(join(gitDir, "HEAD"), `ref: ${ref}\n`);
}

/** The newest commit that HEAD is known to have been at. */
async function lastCommit({ commonDir, gitDir, marker }: OwnedTree): Promise<string> {
  const head = readHead(gitDir);
  const log = (readIfReadable(join(gitDir, "logs/HEAD")) ?? "").split("\n").toReversed().slice(0, 50);
  const logged = log.flatMap((line) => line.split(" ", 2).toReversed());
  const known = [head !== null && "commit" in head ? head.commit : "", ...logged, marker.start ?? "", marker.base];
  for (const commit of new Set(known.filter((id) => isCommitId(id) && !/^0+$/.test(id)))) {
    if (await hasCommit(commonDir, commit)) return commit;
  }
  throw new AppError("GIT_FAILED", `${marker.path} has lost its HEAD, and the commits that it was at are gone`, {
    hint: "remove the worktree, then `pawl retry`",
  });
}

async function hasCommit(cwd: string, name: string): Promise<boolean> {
  return (await git(cwd, ["rev-parse", "--verify", "--quiet", `${name}^{commit}`], { allowFailure: true })).code === 0;
}

async function hasIndex({ path, gitDir }: OwnedTree): Promise<boolean> {
  if (!existsSync(join(gitDir, "index"))) return false;
  return (await git(path, ["ls-files", "--", ":(literal).git"], { allowFailure: true })).code === 0;
}
