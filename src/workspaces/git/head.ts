// The layout of a repository on disk. Owns: finding the git directories of a tree and reading HEAD without a process,
// because it is asked between every two steps.

import { realpathSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { AppError } from "../../domain/error.ts";
import { readIfReadable } from "../../system/files/text.ts";
import { git, gitLine } from "./git.ts";

export interface Layout {
  /** The tree's own git directory: HEAD, index, operations in progress. */
  readonly gitDir: string;
  /** What all trees of the repository share: objects, branches, configuration. */
  readonly commonDir: string;
}

/** The layout of the tree whose top is `path`; null where it cannot be told from files alone. */
export function layoutOf(path: string): Layout | null {
  const gitDir = gitDirOf(path);
  if (gitDir === null) return null;
  const shared = readIfReadable(join(gitDir, "commondir"))?.trim();
  return { gitDir, commonDir: shared ? resolve(gitDir, shared) : gitDir };
}

/** The directory that all trees of the repository share; `repo` may be any directory inside it. */
export async function commonDirOf(repo: string): Promise<string> {
  const layout = layoutOf(repo);
  const found = layout?.commonDir ?? (await gitLine(repo, ["rev-parse", "--path-format=absolute", "--git-common-dir"]));
  return realpathSync(found);
}

/** The commit of HEAD. */
export async function headOf(path: string): Promise<string> {
  const read = readHead(path);
  if (read !== null) return read;
  const asked = await git(path, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], { allowFailure: true });
  if (asked.code === 0) return asked.stdout.trim();
  throw new AppError("REPOSITORY_UNUSABLE", `HEAD of ${path} is not a commit`, {
    hint: "make a first commit, or check out a branch that has one",
    details: asked.stderr.split("\n").filter((line) => line !== ""),
  });
}

/** The full name of the branch that is checked out (`refs/heads/…`); null when HEAD is detached. */
export async function branchRefOf(path: string): Promise<string | null> {
  const layout = layoutOf(path);
  const head = layout ? readIfReadable(join(layout.gitDir, "HEAD")) : null;
  if (head !== null && isCommitId(head.trim())) return null;
  const target = symbolicTarget(head);
  // Repositories whose refs are not files keep a stand-in here.
  if (target !== null && target !== "refs/heads/.invalid") return target;
  const asked = await git(path, ["symbolic-ref", "--quiet", "HEAD"], { allowFailure: true });
  return asked.code === 0 ? asked.stdout.trim() : null;
}

/** The commit of a local branch; null if there is none. */
export async function branchCommit(repo: string, name: string): Promise<string | null> {
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `refs/heads/${name}^{commit}`];
  const asked = await git(repo, args, { allowFailure: true });
  return asked.code === 0 ? asked.stdout.trim() : null;
}

export function isCommitId(text: string): boolean {
  return /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(text);
}

function gitDirOf(path: string): string | null {
  const dotGit = join(path, ".git");
  const stats = statSync(dotGit, { throwIfNoEntry: false });
  if (stats?.isDirectory()) return dotGit;
  const link = stats?.isFile() ? readIfReadable(dotGit)?.match(/^gitdir: (.+?)\n?$/)?.[1] : undefined;
  return link === undefined ? null : resolve(path, link);
}

function readHead(path: string): string | null {
  const layout = layoutOf(path);
  let text = layout ? readIfReadable(join(layout.gitDir, "HEAD"))?.trim() : undefined;
  // A branch may itself be a name for another one; git allows five such links.
  for (let links = 0; layout && text !== undefined && links < 5; links += 1) {
    if (isCommitId(text)) return text;
    const ref = symbolicTarget(text);
    if (ref === null) return null;
    text = readRef(layout, ref)?.trim();
  }
  return null;
}

function symbolicTarget(text: string | null): string | null {
  const ref = text?.match(/^ref: (refs\/\S+)\s*$/)?.[1];
  return ref === undefined || ref.includes("..") ? null : ref;
}

function readRef(layout: Layout, ref: string): string | null {
  const loose = readIfReadable(join(layout.commonDir, ref));
  if (loose !== null && loose !== "") return loose;
  const packed = readIfReadable(join(layout.commonDir, "packed-refs"));
  const at = packed?.indexOf(` ${ref}\n`) ?? -1;
  return packed && at > 0 ? packed.slice(packed.lastIndexOf("\n", at) + 1, at) : null;
}
