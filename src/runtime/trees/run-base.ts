// The base of a run whose stories have trees of their own: the branch that gets their commits, chosen before anything is recorded.

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { AppError } from "../../domain/error.ts";
import type { RunPlace } from "../../domain/run.ts";
import { resolveBase } from "../../workspaces/branches/base.ts";
import { freeBranch } from "../../workspaces/branches/free-branch.ts";
import { branchCommit } from "../../workspaces/git/head.ts";
import { inspectRepository, noCommits } from "../../workspaces/git/repository.ts";
import { assertWritable } from "../../workspaces/git/writable.ts";
import type { RunRequest } from "../run-request.ts";

/** Commits go to a local branch, whose name is known from the start. */
export async function chooseBase(
  request: Pick<RunRequest, "repo" | "base" | "task">,
  notes: string[],
): Promise<(number: number) => RunPlace> {
  const dir = resolve(request.repo);
  const facts = await inspectRepository(dir);
  await assertWritable(facts.root);
  if (facts.head === null && request.base === null) throw noCommits(facts.root);
  const baseName = request.base ?? facts.branch;
  if (baseName === null) {
    throw new AppError("BASE_NOT_FOUND", "HEAD is detached: there is no branch that could get the commits", {
      hint: "name one with --base BRANCH, or check one out",
    });
  }
  const base = await resolveBase(facts, { base: baseName });
  const baseAt = await branchCommit(facts.root, baseName);
  if (baseAt === null) {
    throw new AppError("BASE_NOT_FOUND", `${baseName} is not a local branch: it cannot get the commits`, {
      hint: `make one: \`git branch NAME ${baseName}\`, then --base NAME`,
    });
  }
  notes.push(...base.notes);
  if (facts.dirty > 0) {
    notes.push(
      `your checkout has ${facts.dirty} uncommitted file${facts.dirty === 1 ? "" : "s"}; stories work from ${baseName} and do not see ${facts.dirty === 1 ? "it" : "them"}`,
    );
  }
  if (existsSync(join(facts.root, ".gitmodules")))
    notes.push(
      "the repository has submodules; trees begin without them: put `git submodule update --init` into workspace.setup",
    );
  const nameFor = await freeBranch(facts.root, request.task);
  return (number) => ({
    repo: facts.root,
    kind: "worktree",
    base: base.commit,
    baseName,
    baseAt,
    branch: nameFor(number),
  });
}
