// The branch of a story. Owns: finding branches with names like the one it should have, and choosing a free name.

import { AppError } from "../../domain/error.ts";
import { git } from "../git/git.ts";
import { commonDirOf } from "../git/head.ts";
import { refsStarting } from "../git/ref-files.ts";
import { alternatives } from "./branch-name.ts";

export interface Branch {
  readonly commit: string;
  /** Where it is checked out; empty if nowhere. */
  readonly tree: string;
}

export type Branches = ReadonlyMap<string, Branch>;

/** The first name that is free. */
export function freeName(asked: string, branches: Branches): string {
  // `pawl/1/x` cannot exist beside a branch `pawl`: then its slashes become dashes.
  const placeable = parentsOf(asked).some((parent) => branches.has(parent)) ? dashedOf(asked) : asked;
  const taken = [...branches.keys()];
  for (const name of alternatives(placeable)) {
    if (!taken.some((other) => other === name || other.startsWith(`${name}/`))) return name;
  }
  throw new AppError("REFUSED", `no free branch name like ${asked}`, { hint: "delete some of those branches" });
}

/** Whether no tree except the one at `path` has it checked out. */
export function isFreeFor(path: string, { tree }: Branch): boolean {
  return tree === "" || tree === path;
}

/** Every branch whose name could conflict with these, or with one of these and a number after it. */
export async function branchesLike(cwd: string, names: readonly string[]): Promise<Branches> {
  // Most often there is none, and then no git is started.
  if (await isNoneLike(cwd, names)) return new Map();
  const patterns = names.flatMap((name) => {
    const dashed = dashedOf(name);
    const heads = [name, `${name}-*`, `${name}-*/**`, dashed, `${dashed}-*`, ...parentsOf(name)];
    return heads.map((head) => `refs/heads/${head}`);
  });
  const format = "--format=%(refname:lstrip=2) %(objectname) %(worktreepath)";
  const { stdout } = await git(cwd, ["for-each-ref", format, ...new Set(patterns)]);
  const lines = stdout.split("\n").filter((line) => line !== "");
  return new Map(
    lines.map((line) => {
      const [name = "", commit = "", ...tree] = line.split(" ");
      return [name, { commit, tree: tree.join(" ") }];
    }),
  );
}

/** False also where only git can say it. */
async function isNoneLike(cwd: string, names: readonly string[]): Promise<boolean> {
  const alike = names.flatMap((name) => [name, dashedOf(name)]).map((name) => `refs/heads/${name}`);
  const parents = names.flatMap(parentsOf).map((name) => `refs/heads/${name}`);
  const found = refsStarting(await commonDirOf(cwd), [...alike, ...parents]);
  if (found === null) return false;
  return ![...found.keys()].some((ref) => parents.includes(ref) || alike.some((begin) => ref.startsWith(begin)));
}

/** `a` and `a/b` for `a/b/c`: a branch of such a name leaves no place for one below it. */
function parentsOf(name: string): readonly string[] {
  const parts = name.split("/");
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/"));
}

function dashedOf(name: string): string {
  return name.replaceAll("/", "-");
}
