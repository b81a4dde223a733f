// Worktrees. Owns: making a tree beside the user's checkout, in a way that can be repeated after a crash at any moment. Does not own:
// removing it.

import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "../../domain/error.ts";
import { readJson, writeJson } from "../../system/files/json-file.ts";
import { realPath } from "../../system/files/paths.ts";
import { removeAll } from "../../system/files/remove-all.ts";
import { isCommitId, layoutOf, treeOfEntry } from "../../system/git-directory.ts";
import { alternatives, assertBranchName } from "../branches/branch-name.ts";
import { git } from "../git/git.ts";
import { commonDirOf } from "../git/head.ts";
import { clearLock } from "../git/locks.ts";
import { healTree, isConnected } from "./heal.ts";
import { commitOfLeft, isFreeForTree, type LeftBranch } from "./left-branch.ts";
import { entriesOf, entryFor, ownedTree, readMarker, relink, writeMarker } from "./ownership.ts";

export interface WantedWorktree {
  readonly run: string;
  readonly repo: string;
  /** Absolute, in Pawl's home. */
  readonly path: string;
  /** A full commit id. */
  readonly base: string;
  /** A new branch to work on; null for a detached tree. */
  readonly branch: string | null;
  /** Of an earlier tree at this place, or in a home that is gone. It is taken again, or a new one begins there where it is checked out elsewhere. */
  readonly left?: LeftBranch | null;
}

export interface Worktree {
  readonly path: string;
  /** The branch that was made; its name may differ from the requested one. */
  readonly branch: string | null;
  readonly base: string;
  readonly created: boolean;
}

/** Written beside the path first: a tree that then lies there without a marker is half made, and belongs to Pawl. */
interface Claim {
  readonly run: string;
  readonly commonDir: string;
  /** The name of the branch that is about to be made. */
  readonly branch: string | null;
}

const checkoutTimeoutMs = 600_000;

export async function ensureWorktree(wanted: WantedWorktree): Promise<Worktree> {
  const commonDir = await commonDirOf(wanted.repo);
  const path = await validate(wanted);
  if (!isConnected(path)) await healTree(path);
  const entry = entryFor(commonDir, path);
  const marker = entry === null ? null : readMarker(entry);
  if (entry !== null && marker?.path === path) {
    if (marker.run !== wanted.run) throw refused(path, `it belongs to run ${marker.run}`);
    await repair(commonDir, entry, path);
    rmSync(claimPath(path), { force: true });
    return { path, branch: marker.branch, base: marker.base, created: false };
  }

  const earlier = readClaim(path);
  if (earlier === null) assertFree(path, entry);
  else if (earlier.run !== wanted.run || earlier.commonDir !== commonDir)
    throw refused(path, "another run is making it");

  mkdirSync(dirname(path), { recursive: true });
  const claim: Claim = earlier ?? { run: wanted.run, commonDir, branch: null };
  writeJson(claimPath(path), claim);
  await addTree(wanted, commonDir, path);
  const branch = wanted.branch === null ? null : await takeBranch(wanted, wanted.branch, path, claim);
  await git(path, ["reset", "--quiet", "--hard"], { timeoutMs: checkoutTimeoutMs });

  const made = layoutOf(path)?.gitDir;
  if (made === undefined) throw refused(path, "git did not register it");
  for (const other of entriesOf(commonDir)) if (other !== made && treeOfEntry(other) === path) removeAll(other);
  writeMarker(made, { version: 1, run: wanted.run, path, base: wanted.base, branch });
  rmSync(claimPath(path), { force: true });
  return { path, branch, base: wanted.base, created: true };
}

async function validate({ repo, path, base, branch }: WantedWorktree): Promise<string> {
  if (!isAbsolute(path) || /\p{Cc}/u.test(path)) {
    throw new AppError("INPUT_INVALID", `${JSON.stringify(path)} cannot be the path of a worktree`, {
      hint: "use an absolute path without control characters",
    });
  }
  if (!isCommitId(base)) {
    throw new AppError("BASE_NOT_FOUND", `${JSON.stringify(base)} is not a commit id`, {
      hint: "resolve the base to a commit first",
    });
  }
  if (branch !== null) await assertBranchName(repo, branch);
  return realPath(path);
}

function assertFree(path: string, entry: string | null): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats && !(stats.isDirectory() && readdirSync(path).length === 0)) {
    throw refused(path, "something is there already");
  }
  // A locked tree may be on a disk that is not attached now.
  if (entry !== null && existsSync(join(entry, "locked"))) throw refused(path, "a locked worktree is registered there");
}

/** Adds the tree without its files; a later command checks them out and can be repeated. */
async function addTree(wanted: WantedWorktree, commonDir: string, path: string): Promise<void> {
  const args = ["worktree", "add", "--quiet", "--detach", "--no-checkout", path, wanted.base];
  for (const waitMs of [50, 200, 500, 1000]) {
    discardHalfMade(commonDir, path);
    const added = await git(wanted.repo, args, { allowFailure: true });
    if (added.code === 0) return;
    // A git has outlived its killed parent: Pawl lets it finish, and then discards its tree too.
    if (!/already (exists|registered)/.test(added.stderr)) break;
    await sleep(waitMs);
  }
  discardHalfMade(commonDir, path);
  await git(wanted.repo, args);
}

/** Removes what an interrupted `git worktree add` left. No agent has worked in a tree that is claimed and has no marker. */
function discardHalfMade(commonDir: string, path: string): void {
  removeAll(path);
  for (const entry of entriesOf(commonDir)) {
    if (treeOfEntry(entry) === path || isAbandoned(entry, path)) removeAll(entry);
  }
}

/** An entry that does not name its tree yet. Git locks it at first, so `git worktree prune` never removes it. */
function isAbandoned(gitDir: string, path: string): boolean {
  const suffix = basename(gitDir).startsWith(basename(path)) ? basename(gitDir).slice(basename(path).length) : "no";
  if (!/^\d*$/.test(suffix) || treeOfEntry(gitDir) !== null || existsSync(join(gitDir, "HEAD"))) return false;
  const ageMs = Date.now() - (statSync(gitDir, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
  return ageMs > 10_000;
}

/** Makes the branch and puts the tree on it. If the name is taken, a suffix is added. */
async function takeBranch(wanted: WantedWorktree, asked: string, path: string, claim: Claim): Promise<string> {
  const { repo, left = null } = wanted;
  const tip = left === null ? null : await commitOfLeft(repo, left);
  if (left !== null && tip !== null && (await isFreeForTree(repo, path, left))) {
    await git(path, ["symbolic-ref", "HEAD", `refs/heads/${left.name}`]);
    return left.name;
  }
  const start = tip ?? wanted.base;
  for (const name of alternatives(await placeable(path, asked))) {
    const isOurs = claim.branch === name && (await isUntouched(path, name, start));
    // A git of Pawl that was killed while it made the branch has left its lock.
    if (claim.branch === name) await clearLock(join(claim.commonDir, "refs/heads", `${name}.lock`), claim, 0);
    if (!isOurs) {
      writeJson(claimPath(path), { ...claim, branch: name } satisfies Claim);
      if (!(await createBranch(path, name, start))) continue;
    }
    await git(path, ["symbolic-ref", "HEAD", `refs/heads/${name}`]);
    return name;
  }
  throw refused(path, `no free branch name like ${asked}`);
}

/** Replaces slashes by dashes where needed: `pawl/1-x` cannot exist beside a branch `pawl`. */
async function placeable(path: string, name: string): Promise<string> {
  const parts = name.split("/");
  const parents = parts.slice(1).map((_, index) => `refs/heads/${parts.slice(0, index + 1).join("/")}`);
  if (parents.length === 0) return name;
  const { stdout } = await git(path, ["for-each-ref", "--format=%(refname)", ...parents]);
  return stdout.split("\n").some((ref) => parents.includes(ref)) ? parts.join("-") : name;
}

/** Makes the branch only if it does not exist, so that two runs cannot both get one name. */
async function createBranch(path: string, name: string, commit: string): Promise<boolean> {
  const nothing = "0".repeat(commit.length);
  const args = ["update-ref", "-m", "pawl: branch made", `refs/heads/${name}`, commit, nothing];
  const made = await git(path, args, { allowFailure: true });
  if (made.code === 0) return true;
  if (/already exists|exists; cannot create|but expected/.test(made.stderr)) return false;
  await git(path, args);
  return true;
}

/** Whether the branch of an earlier try is still at the base and checked out in no other tree. */
async function isUntouched(path: string, name: string, base: string): Promise<boolean> {
  const format = "--format=%(objectname) %(worktreepath)";
  const { stdout } = await git(path, ["for-each-ref", format, `refs/heads/${name}`]);
  return stdout.trim() === base;
}

/** Removes a tree that was claimed at `path` and never finished. False if there is none. */
export function discardClaimed(commonDir: string, path: string): boolean {
  const claim = readClaim(path);
  if (claim?.commonDir !== commonDir) return false;
  const entry = entryFor(commonDir, path);
  const wasFinished = entry !== null && readMarker(entry)?.path === path;
  if (!wasFinished) discardHalfMade(commonDir, path);
  rmSync(claimPath(path), { force: true });
  return !wasFinished;
}

/** Restores what is missing of a finished tree, and changes nothing else. */
async function repair(commonDir: string, gitDir: string, path: string): Promise<void> {
  const wasGone = !existsSync(path);
  if (wasGone) mkdirSync(path, { recursive: true });
  relink(commonDir, path);
  if (ownedTree(path) === null) throw refused(path, "its .git is not the one that was made for it");
  if (wasGone) await git(path, ["reset", "--quiet", "--hard"], { timeoutMs: checkoutTimeoutMs });
  else if (!existsSync(join(gitDir, "index"))) await git(path, ["reset", "--quiet"], { timeoutMs: checkoutTimeoutMs });
}

function claimPath(path: string): string {
  return `${path}.claim`;
}

function readClaim(path: string): Claim | null {
  const claim = readJson(claimPath(path)) as Partial<Claim> | null;
  return typeof claim?.run === "string" && typeof claim.commonDir === "string" ? (claim as Claim) : null;
}

function refused(path: string, why: string): AppError {
  return new AppError("REFUSED", `no worktree can be made at ${path}: ${why}`, {
    hint: "move away what is there, or remove the other run first",
  });
}
