// The place of a run whose stories have trees of their own. Owns: the branch that gets their commits, chosen before anything is
// recorded, and the folder for the files of its protocol.

import { accessSync, constants, existsSync, mkdirSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { AppError, errorText } from "../../domain/error.ts";
import type { RunId } from "../../domain/ids.ts";
import type { RunPlace } from "../../domain/run.ts";
import { defaultSharedDir, excludePatterns, sharedIn, writeSidecar } from "../../protocols/ralph/shared.ts";
import { resolveBase } from "../../workspaces/branches/base.ts";
import { freeBranch } from "../../workspaces/branches/free-branch.ts";
import { excludeLocally } from "../../workspaces/git/exclude.ts";
import { branchCommit } from "../../workspaces/git/head.ts";
import { inspectRepository, noCommits } from "../../workspaces/git/repository.ts";
import type { Parts } from "../parts.ts";
import type { GivenStories, RunRequest } from "../runs/run-request.ts";

/** Commits are put on a local branch; what it is called is known from the start. */
export async function chooseLine(
  wish: Pick<RunRequest, "repo" | "base" | "task" | "inPlace">,
  notes: string[],
): Promise<(number: number) => RunPlace> {
  const dir = resolve(wish.repo);
  if (wish.inPlace) {
    throw new AppError("USAGE", "stories of this workflow work in trees of their own, not in place", {
      hint: "leave out --in-place; your checkout is not touched, except that it is brought up to date when it is clean",
    });
  }
  const facts = await inspectRepository(dir);
  if (facts.head === null && wish.base === null) throw noCommits(facts.root);
  const baseName = wish.base ?? facts.branch;
  if (baseName === null) {
    throw new AppError("BASE_NOT_FOUND", "HEAD is detached: there is no branch that could get the commits", {
      hint: "name one with --base BRANCH, or check one out",
    });
  }
  const base = await resolveBase(dir, { base: baseName });
  if ((await branchCommit(facts.root, baseName)) === null) {
    throw new AppError("BASE_NOT_FOUND", `${baseName} is not a local branch: it cannot get the commits`, {
      hint: `make one: \`git branch NAME ${baseName}\`, then --base NAME`,
    });
  }
  notes.push(...base.notes);
  if (facts.dirty > 0) {
    notes.push(`your checkout has ${facts.dirty} uncommitted files; stories work from ${baseName} and do not see them`);
  }
  if (existsSync(join(facts.root, ".gitmodules")))
    notes.push(
      "the repository has submodules; trees begin without them: put `git submodule update --init` into workspace.setup",
    );
  const nameFor = await freeBranch(facts.root, wish.task);
  return (number) => ({
    repo: facts.root,
    kind: "worktree",
    base: base.commit,
    baseName,
    branch: nameFor(number),
  });
}

/** Makes the folder, keeps it out of git, and notes whose it is. */
export async function shareFolder(parts: Parts, run: RunId, given: GivenStories, place: RunPlace): Promise<string> {
  const dir = given.shared === null ? join(parts.home.dir, "shared", run) : resolve(given.shared);
  const shared = sharedIn(dir);
  makeShared(dir);
  const patterns = place.repo === null ? [] : excludePatterns(shared, place.repo);
  if (place.repo !== null && patterns.length > 0) await excludeLocally(place.repo, patterns);
  writeSidecar(shared, { run, projected: 0 });
  return dir;
}

/** Where the files of a PRD's run lie: where the caller says, from the top of the repository, else in the repository. */
export async function chooseShared(repo: string, wanted: string | null): Promise<string> {
  const facts = await inspectRepository(resolve(repo));
  if (wanted !== null) return usable(isAbsolute(wanted) ? wanted : resolve(repo, wanted));
  if (!facts.isBare) return usable(defaultSharedDir(facts.root));
  throw new AppError(
    "REPOSITORY_UNUSABLE",
    `${relative(".", facts.root) || facts.root} is bare: it has no place for shared files`,
    {
      hint: "name a folder for them with --shared DIR",
    },
  );
}

/** Told before anything is recorded: the folder can be made, or is there and can be written. */
export function usable(dir: string): string {
  let at = dir;
  while (!existsSync(at) && dirname(at) !== at) at = dirname(at);
  try {
    if (!statSync(at).isDirectory()) throw new Error("it is not a directory");
    accessSync(at, constants.W_OK);
    return dir;
  } catch (error) {
    throw unusable(dir, error);
  }
}

export function makeShared(dir: string): void {
  try {
    mkdirSync(dir, { recursive: true });
  } catch (error) {
    throw unusable(dir, error);
  }
}

function unusable(dir: string, error: unknown): AppError {
  const why = errorText(error);
  return new AppError("USAGE", `the shared files cannot be in ${dir}: ${why}`, {
    hint: "choose a folder that can be written with --shared DIR",
  });
}
