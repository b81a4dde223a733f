// The user's repository. Owns: inspecting it. Nothing here changes a file, the index, a branch or HEAD.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../domain/error.ts";
import { type GitOptions, git, gitLine, splitNul } from "./git.ts";
import { branchRefOf } from "./head.ts";

export type Operation = "rebase" | "merge" | "cherry-pick" | "revert" | "bisect" | "am";

export interface RepositoryFacts {
  /** The top of the work tree; the repository itself when it is bare. */
  readonly root: string;
  readonly isBare: boolean;
  /** Null before the first commit. */
  readonly head: string | null;
  /** Null when HEAD is detached. */
  readonly branch: string | null;
  /** Changed and untracked files; an untracked directory counts once. */
  readonly dirty: number;
  readonly operation: Operation | null;
  readonly remotes: readonly string[];
  readonly defaultBranch: string | null;
  readonly isShallow: boolean;
}

export async function inspectRepository(dir: string): Promise<RepositoryFacts> {
  const { gitDir, isBare, isShallow } = await identify(dir);
  const root = isBare ? gitDir : await gitLine(dir, ["rev-parse", "--show-toplevel"]);
  const [head, branchRef, dirty, remotes] = await Promise.all([
    git(root, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], { allowFailure: true }),
    branchRefOf(root),
    isBare ? 0 : countDirty(root),
    remotesOf(root),
  ]);
  const branch = branchRef?.replace(/^refs\/heads\//, "") ?? null;
  return {
    root,
    isBare,
    head: head.code === 0 ? head.stdout.trim() : null,
    branch,
    dirty,
    operation: operationIn(gitDir),
    remotes,
    defaultBranch: await guessDefaultBranch(root, branch),
    isShallow,
  };
}

/** How many files differ from HEAD or are untracked and not ignored. */
export async function countDirty(path: string): Promise<number> {
  return splitNul(await porcelainStatus(path)).length;
}

/** Git would start itself in a repository inside the tree, with the filters that this one configures: an agent may have made it. */
export const notInside = "--ignore-submodules=dirty";

/** `git status` for programs: one entry per path, separated by NUL. */
export async function porcelainStatus(path: string, ...more: readonly string[]): Promise<string> {
  const args = [
    "--no-optional-locks",
    "status",
    "--porcelain=v1",
    "-z",
    "--no-renames",
    "--untracked-files=normal",
    notInside,
  ];
  return (await git(path, [...args, ...more])).stdout;
}

/** The operation that git has not finished, judged by the files that it leaves. */
export function operationIn(gitDir: string): Operation | null {
  const has = (name: string) => existsSync(join(gitDir, name));
  if (has("rebase-apply/applying")) return "am";
  if (has("rebase-merge") || has("rebase-apply")) return "rebase";
  if (has("MERGE_HEAD")) return "merge";
  if (has("CHERRY_PICK_HEAD")) return "cherry-pick";
  if (has("REVERT_HEAD")) return "revert";
  if (has("sequencer/todo")) return "cherry-pick";
  if (has("BISECT_LOG")) return "bisect";
  return null;
}

/**
 * Allows the user's own tree as a workspace only when no work of the user could be mixed up with that of agents. `mayBeDirty`: the
 * caller looks at uncommitted files itself.
 */
export async function inPlace(
  dir: string,
  { mayBeDirty = false } = {},
): Promise<RepositoryFacts & { readonly head: string }> {
  const facts = await inspectRepository(dir);
  const { root, head } = facts;
  if (facts.isBare) {
    throw new AppError("REPOSITORY_UNUSABLE", `${root} is a bare repository: it has no files to work on`, {
      hint: "leave out the in-place option; a worktree can be made from a bare repository",
    });
  }
  if (head === null) throw noCommits(root);
  if (facts.operation !== null) {
    throw new AppError("REPOSITORY_DIRTY", `${root} is in the middle of a ${facts.operation}`, {
      hint: `finish it or undo it with \`git ${facts.operation} ${facts.operation === "bisect" ? "reset" : "--abort"}\`, or work in a worktree`,
    });
  }
  if (facts.dirty > 0 && !mayBeDirty) throw uncommitted(root, facts.dirty);
  return { ...facts, head };
}

export function uncommitted(root: string, count: number): AppError {
  const files = count === 1 ? "1 uncommitted file" : `${count} uncommitted files`;
  return new AppError("REPOSITORY_DIRTY", `${root} has ${files}`, {
    hint: "commit or stash them, or leave out the in-place option to work in a worktree",
  });
}

/** Files that differ from HEAD or are untracked and not ignored, by their paths. */
export async function uncommittedFiles(path: string): Promise<readonly string[]> {
  return (await uncommittedEntries(path)).map(({ name }) => name);
}

export interface UncommittedEntry {
  /** As `git status` has it: `??` is new. */
  readonly code: string;
  /** The path; of a repository inside the tree with a slash at its end. */
  readonly name: string;
}

export async function uncommittedEntries(path: string, options: GitOptions = {}): Promise<readonly UncommittedEntry[]> {
  const how = ["--porcelain=v1", "-z", "--no-renames", "--untracked-files=all"];
  const { stdout } = await git(path, ["--no-optional-locks", "status", ...how, notInside], options);
  return splitNul(stdout).map((entry) => ({ code: entry.slice(0, 2), name: entry.slice(3) }));
}

export function noCommits(root: string): AppError {
  return new AppError("REPOSITORY_UNUSABLE", `${root} has no commits yet`, {
    hint: "make a first commit: `git add -A && git commit -m start`",
  });
}

async function identify(dir: string): Promise<{ gitDir: string; isBare: boolean; isShallow: boolean }> {
  const asked = ["--absolute-git-dir", "--is-bare-repository", "--is-inside-work-tree", "--is-shallow-repository"];
  const told = await git(dir, ["rev-parse", ...asked], { allowFailure: true });
  if (told.code !== 0) throw unusable(dir, told.stderr);
  const [gitDir = "", bare, inside, shallow] = told.stdout.split("\n");
  if (bare !== "true" && inside !== "true") {
    throw new AppError("REPOSITORY_UNUSABLE", `${dir} is inside a .git directory`, {
      hint: "name the directory of the checkout instead",
    });
  }
  return { gitDir, isBare: bare === "true", isShallow: shallow === "true" };
}

function unusable(dir: string, stderr: string): AppError {
  const details = stderr.split("\n").filter((line) => line !== "");
  if (/dubious ownership/.test(stderr)) {
    return new AppError("REPOSITORY_UNUSABLE", `git does not trust ${dir}: it belongs to another user`, {
      hint: `if you trust it: \`git config --global --add safe.directory ${dir}\``,
      details,
    });
  }
  return new AppError("REPOSITORY_UNUSABLE", `${dir} is not a git repository`, {
    hint: "change to a repository, or make one: `git init && git add -A && git commit -m start`",
    details,
  });
}

async function remotesOf(root: string): Promise<readonly string[]> {
  return (await gitLine(root, ["remote"])).split("\n").filter((name) => name !== "");
}

async function guessDefaultBranch(root: string, current: string | null): Promise<string | null> {
  const refs = ["refs/remotes/origin/HEAD", "refs/heads/main", "refs/heads/master"];
  const { stdout } = await git(root, ["for-each-ref", "--format=%(refname) %(symref)", ...refs]);
  const remote = stdout.match(/^refs\/remotes\/origin\/HEAD refs\/remotes\/origin\/(.+)$/m)?.[1];
  if (remote !== undefined) return remote;
  return ["main", "master"].find((name) => stdout.includes(`refs/heads/${name} `)) ?? current;
}
