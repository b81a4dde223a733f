// Hidden files: tracked files that git was told not to look at. Owns: finding them, and letting git look again in a tree that Pawl made.

import { lstatSync } from "node:fs";
import { join } from "node:path";
import { git, splitNul } from "../git/git.ts";
import { indexFlags } from "../git/index-file.ts";
import { ownedTree } from "./ownership.ts";

/**
 * Tracked files that git was told not to look at: `edited` at will by assume-unchanged or skip-worktree, or `absent` from the
 * checkout, as in a sparse one.
 */
export async function hiddenFiles(tree: string): Promise<ReadonlyMap<string, "edited" | "absent">> {
  const entries = splitNul((await git(tree, ["ls-files", "-v", "-z"])).stdout);
  const isThere = (name: string) => lstatSync(join(tree, name), { throwIfNoEntry: false }) !== undefined;
  return new Map(
    entries
      .filter((entry) => /^[a-zS] /.test(entry))
      .map((entry) => {
        const name = entry.slice(2);
        return [name, entry.startsWith("S") && !isThere(name) ? "absent" : "edited"];
      }),
  );
}

/** What an agent has changed would otherwise be in no snapshot and no commit, and tests would see it all the same. */
export async function revealHidden(path: string): Promise<void> {
  const tree = ownedTree(path);
  if (tree === null) return;
  if (indexFlags(join(tree.gitDir, "index"), tree.marker.base.length)?.hidesFiles !== true) return;
  const edited = [...(await hiddenFiles(path))].filter(([, how]) => how === "edited");
  const input = edited.map(([name]) => `${name}\0`).join("");
  if (input === "") return;
  for (const flag of ["--no-assume-unchanged", "--no-skip-worktree"])
    await git(path, ["update-index", flag, "-z", "--stdin"], { input });
}
