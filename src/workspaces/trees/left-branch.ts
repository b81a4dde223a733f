// The branch of a tree that is gone with its git directory, as after a restore without trees: a tree that is made in its place continues it.

import { realPath } from "../../system/files/paths.ts";
import { checkoutsOf } from "../branches/checked-out.ts";
import { branchCommit } from "../git/head.ts";
import { isIn } from "../integration/ancestry.ts";

export interface LeftBranch {
  readonly name: string;
  /** Was on it. Another branch of that name, or one that was moved back, has it not. */
  readonly commit: string;
}

/** Its commit; null: it is gone, or is another one now. */
export async function commitOfLeft(repo: string, { name, commit }: LeftBranch): Promise<string | null> {
  const tip = await branchCommit(repo, name).catch(() => null);
  return tip !== null && (await isIn(repo, commit, tip)) ? tip : null;
}

/** `path`: the tree that would continue it. */
export async function isFreeForTree(repo: string, path: string, { name }: LeftBranch): Promise<boolean> {
  const own = realPath(path);
  return (await checkoutsOf(repo, name)).every((tree) => !tree.isThere || realPath(tree.path) === own);
}
