// Restoring. Owns: resetting a tree that Pawl made to a snapshot, exactly, whatever an agent left unfinished. It can be repeated.

import { existsSync, lstatSync, readdirSync, rmSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { AppError, systemCode } from "../../domain/error.ts";
import { within } from "../../system/files/inside.ts";
import { removeAll } from "../../system/files/remove-all.ts";
import { git, gitLine, splitNul } from "../git/git.ts";
import { branchRefOf } from "../git/head.ts";
import { clearLock } from "../git/locks.ts";
import { revealHidden } from "./hidden-files.ts";
import { assertOwned, type OwnedTree } from "./ownership.ts";
import { parseSnapshot, type Snapshot } from "./snapshot.ts";

const checkoutTimeoutMs = 600_000;

/** No process may be working in the tree. Ignored files stay as they are. */
export async function restoreSnapshot(path: string, text: string): Promise<void> {
  const tree = assertOwned(path);
  const snapshot = parseSnapshot(text);
  const staged = await stagedIn(tree, snapshot);
  forgetOperations(tree.gitDir);
  await removeStaleLocks(tree, snapshot);
  await moveHead(tree, snapshot);
  await revealHidden(tree.path);

  // The files come first, because an uncommitted .gitignore among them decides what is cleaned.
  await readTree(tree, ["--reset", "-u", snapshot.content ?? snapshot.head]);
  await clean(tree);
  if (snapshot.content !== null) {
    const indexed = staged ?? snapshot.head;
    await removeDeleted(tree, indexed, snapshot.content);
    await readTree(tree, ["--reset", indexed]);
    await git(tree.path, ["update-index", "-q", "--refresh"], { allowFailure: true });
  }
  forgetState(tree.gitDir);
}

/** The file with the state before an integration. It is void as soon as the tree is reset to anything else. */
export function stateFile(gitDir: string): string {
  return join(gitDir, "pawl-before.json");
}

export function forgetState(gitDir: string): void {
  rmSync(stateFile(gitDir), { force: true });
}

/** What was staged, if anything. Read first, so that nothing has been changed if an object is missing. */
async function stagedIn(tree: OwnedTree, { head, content }: Snapshot): Promise<string | null> {
  const wanted = content ?? head;
  const args = ["rev-list", "--max-count=1", "--parents", wanted, "--"];
  const [, , second] = (await gitLine(tree.path, args)).split(" ");
  // The parents of a snapshot are HEAD and what was staged; the parents of other commits mean something else.
  return content === null ? null : (second ?? null);
}

// A killed agent leaves these. Everything that `--abort` would restore is in the snapshot.
const operationFiles = [
  "rebase-merge",
  "rebase-apply",
  "sequencer",
  "MERGE_HEAD",
  "MERGE_MODE",
  "MERGE_MSG",
  "MERGE_RR",
  "MERGE_AUTOSTASH",
  "AUTO_MERGE",
  "SQUASH_MSG",
  "CHERRY_PICK_HEAD",
  "REVERT_HEAD",
  "REBASE_HEAD",
  "BISECT_LOG",
  "BISECT_START",
  "BISECT_TERMS",
  "BISECT_NAMES",
  "BISECT_EXPECTED_REV",
  "BISECT_ANCESTORS_OK",
  "BISECT_RUN",
  "refs/bisect",
];

export function forgetOperations(gitDir: string): void {
  for (const name of operationFiles) rmSync(join(gitDir, name), { recursive: true, force: true });
}

/** No process works in the tree, so the one that made these locks was killed. */
export function removeLocks(gitDir: string): void {
  // An agent may have put a folder there.
  const remove = (name: string) => rmSync(join(gitDir, name), { recursive: true, force: true });
  for (const name of readdirSync(gitDir)) if (name.endsWith(".lock")) remove(name);
}

/** Removes the locks that a killed git left. The work in the tree stays; no process may be working there. */
export async function removeLeftLocks(path: string): Promise<void> {
  const tree = assertOwned(path);
  const ref = existsSync(join(tree.gitDir, "HEAD")) ? await branchRefOf(path) : null;
  await removeStaleLocks(tree, { branch: ref?.replace(/^refs\/heads\//, "") ?? null });
}

const staleAfterMs = 2_000;

async function removeStaleLocks(tree: OwnedTree, { branch }: Pick<Snapshot, "branch">): Promise<void> {
  removeLocks(tree.gitDir);
  // The lock of the branch is shared by all trees, so a git of the user may hold it.
  if (branch !== null) await clearLock(join(tree.commonDir, "refs/heads", `${branch}.lock`), tree, staleAfterMs);
}

/** Returns to the branch of the snapshot, at its commit. Other branches stay as they are. */
async function moveHead(tree: OwnedTree, { head, branch }: Snapshot): Promise<void> {
  const ref = branch === null ? null : `refs/heads/${branch}`;
  const current = await currentRef(tree);
  const isTaken = ref !== null && ref !== current && (await isCheckedOutElsewhere(tree, ref));
  if (ref === null || isTaken) {
    await git(tree.path, ["update-ref", "-m", "pawl: restored", "--no-deref", "HEAD", head]);
    return;
  }
  if (ref !== current) await git(tree.path, ["symbolic-ref", "-m", "pawl: restored", "HEAD", ref]);
  await git(tree.path, ["update-ref", "-m", "pawl: restored", ref, head]);
}

async function currentRef(tree: OwnedTree): Promise<string | null> {
  if (existsSync(join(tree.gitDir, "HEAD"))) return branchRefOf(tree.path);
  throw new AppError("GIT_FAILED", `${tree.path} has lost its HEAD`, { hint: "remove the worktree and make it again" });
}

/** A person may have checked out the branch while the agent was on another one. Then it must not be moved. */
async function isCheckedOutElsewhere(tree: OwnedTree, ref: string): Promise<boolean> {
  const where = await gitLine(tree.path, ["for-each-ref", "--format=%(worktreepath)", ref]);
  return where !== "" && where !== tree.path;
}

/** Makes an unreadable index again: everything in it is in the snapshot. */
async function readTree(tree: OwnedTree, args: readonly string[]): Promise<void> {
  const command = ["read-tree", ...args];
  const done = await git(tree.path, command, { allowFailure: true, timeoutMs: checkoutTimeoutMs });
  if (done.code === 0) return;
  rmSync(join(tree.gitDir, "index"), { force: true });
  await git(tree.path, command, { timeoutMs: checkoutTimeoutMs });
}

/** What was tracked and deleted may be there again, untracked and ignored: `clean` leaves that. */
async function removeDeleted(tree: OwnedTree, indexed: string, content: string): Promise<void> {
  const args = ["diff-tree", "-r", "-z", "--no-renames", "--name-only", "--diff-filter=D", indexed, content];
  for (const name of splitNul((await git(tree.path, args)).stdout)) removeFile(tree.path, name);
}

function removeFile(root: string, name: string): void {
  try {
    within(root, name, (path) => {
      if (!lstatSync(path).isDirectory()) unlinkSync(path);
    });
  } catch (error) {
    // It is not there, or a file or a link of the snapshot is where one of its directories was.
    if (!(error instanceof AppError) && systemCode(error) !== "ENOENT") throw error;
  }
}

async function clean(tree: OwnedTree): Promise<void> {
  const done = await git(tree.path, ["clean", "-fdq"], { allowFailure: true, timeoutMs: checkoutTimeoutMs });
  if (done.code === 0) return;
  // Most likely a read-only directory, which git cannot empty without a chmod.
  const args = ["ls-files", "--others", "--exclude-standard", "--directory", "-z"];
  for (const name of splitNul((await git(tree.path, args)).stdout)) {
    const isRepository = existsSync(join(tree.path, name, ".git"));
    if (!isRepository) removeAll(join(tree.path, name));
  }
  await git(tree.path, ["clean", "-fdq"], { timeoutMs: checkoutTimeoutMs });
}
