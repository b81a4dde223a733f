// The branch of a story. Owns: finding branches with names like the one it should have, and choosing a free name.

import { AppError } from "../../domain/error.ts";
import { git } from "../git/git.ts";
import { alternatives } from "./branch-name.ts";

export interface Branch {
  readonly commit: string;
  /** Where it is checked out; empty if nowhere. */
  readonly tree: string;
}

export type Branches = ReadonlyMap<string, Branch>;

/** The first name that is free. */
export function freeName(asked: string, branches: Branches): string {
  const parts = asked.split("/");
  const parents = parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/"));
  // `pawl/1/x` cannot exist beside a branch `pawl`: then its slashes become dashes.
  const placeable = parents.some((parent) => branches.has(parent)) ? parts.join("-") : asked;
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
  const patterns = names.flatMap((name) => {
    const parts = name.split("/");
    const dashed = parts.join("-");
    const heads = [
      name,
      `${name}-*`,
      `${name}-*/**`,
      dashed,
      `${dashed}-*`,
      ...parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/")),
    ];
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
