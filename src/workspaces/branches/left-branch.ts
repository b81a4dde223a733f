// A branch that an agent left. Owns: giving the branch of a tree the commits that were made there beside it, on another branch or on a
// detached HEAD, so that a person who merges the branch gets all of the work.

import { branchCommit, branchRefOf, headOf } from "../git/head.ts";
import { changeRefs } from "../git/refs.ts";
import { isIn } from "../integration/ancestry.ts";
import { checkoutsOf } from "./checked-out.ts";

/** Moves the branch forward to HEAD of the tree, which began at `base`. Returns where the commits are that it could not get; null: it has them all. */
export async function bringForward(
  path: string,
  { branch, base }: { readonly branch: string; readonly base: string | null },
): Promise<string | null> {
  const ref = `refs/heads/${branch}`;
  const on = await branchRefOf(path);
  if (on === ref) return null;
  const head = await headOf(path);
  const at = await branchCommit(path, branch);
  const change = at === null ? `create ${ref} ${head}` : `update ${ref} ${head} ${at}`;
  if (at === null ? head === base : await isIn(path, head, at)) return null;
  const isFree = at === null || ((await isIn(path, at, head)) && (await checkoutsOf(path, branch)).length === 0);
  if (isFree && (await changeRefs(path, [change]))) return null;
  return on === null ? head : on.replace("refs/heads/", "");
}
