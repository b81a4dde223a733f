// HEAD and branches. Owns: the commit and the branch that a tree is on, and the commit of a branch. Git is asked only where the files
// do not say it.

import { realpathSync } from "node:fs";
import { AppError } from "../../domain/error.ts";
import { commitOfHead, layoutOf, readHead } from "../../system/git-directory.ts";
import { git, gitLine } from "./git.ts";
import { refsStarting } from "./ref-files.ts";

/** The directory that all trees of the repository share; `repo` may be any directory inside it. */
export async function commonDirOf(repo: string): Promise<string> {
  const layout = layoutOf(repo);
  const found = layout?.commonDir ?? (await gitLine(repo, ["rev-parse", "--path-format=absolute", "--git-common-dir"]));
  return realpathSync.native(found);
}

/** The commit of HEAD. */
export async function headOf(path: string): Promise<string> {
  const layout = layoutOf(path);
  const read = layout && commitOfHead(layout);
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
  return layout === null ? await askBranchRef(path) : await branchRefIn(layout.gitDir, path);
}

/** As `branchRefOf`, for a git directory; `tree` is where git runs if it must be asked. */
export async function branchRefIn(gitDir: string, tree = gitDir): Promise<string | null> {
  const head = readHead(gitDir);
  if (head === null) return await askBranchRef(tree);
  return "ref" in head ? head.ref : null;
}

async function askBranchRef(dir: string): Promise<string | null> {
  const asked = await git(dir, ["symbolic-ref", "--quiet", "HEAD"], { allowFailure: true });
  return asked.code === 0 ? asked.stdout.trim() : null;
}

/** The commit of a local branch; null if there is none. */
export async function branchCommit(repo: string, name: string): Promise<string | null> {
  const ref = `refs/heads/${name}`;
  const read = refsStarting(await commonDirOf(repo), [ref])?.get(ref);
  if (read !== undefined) return read;
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`];
  const asked = await git(repo, args, { allowFailure: true });
  return asked.code === 0 ? asked.stdout.trim() : null;
}
