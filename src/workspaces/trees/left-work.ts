// Left work. Owns: committing what an agent left uncommitted in a tree of Pawl, so that the branch has it.

import { git } from "../git/git.ts";
import { headOf } from "../git/head.ts";
import { operationIn, type UncommittedEntry, uncommittedEntries } from "../git/repository.ts";
import { commitEnvironment } from "../integration/squash.ts";
import type { IsByProduct } from "./by-products.ts";
import { assertOwned } from "./ownership.ts";

export interface LeftWork {
  readonly path: string;
  readonly message: string;
  /** New files that are not committed. */
  readonly isByProduct: IsByProduct;
}

export type LeftCommit =
  | { readonly result: "committed"; readonly commit: string; readonly files: readonly string[] }
  /** There is nothing to commit. */
  | { readonly result: "nothing" }
  /** What is there cannot become a commit without a person or an agent. */
  | { readonly result: "unfinished"; readonly why: string };

const checkoutTimeoutMs = 600_000;

/** Commits on the branch that the tree is on, or on its detached HEAD. Repositories inside the tree are left out. */
export async function commitLeftWork({ path, message, isByProduct }: LeftWork): Promise<LeftCommit> {
  const tree = assertOwned(path);
  const operation = operationIn(tree.gitDir);
  // A merge may be resolved and not committed; half of anything else is not work.
  if (operation !== null && operation !== "merge")
    return { result: "unfinished", why: `it is in the middle of a ${operation}` };
  const entries = await leftIn(tree.path);
  if (entries.some(({ code }) => /^(DD|AU|UD|UA|DU|AA|UU)$/.test(code)))
    return { result: "unfinished", why: "it has files with conflicts" };
  const work = entries.filter((entry) => isWork(entry, isByProduct));
  const files = work.map(({ name }) => name);
  if (files.length === 0 && operation === null) return { result: "nothing" };
  const env = await commitEnvironment(tree.path);
  // A removal that is staged is in neither the index nor the tree: git finds nothing to add, and fails.
  const unstaged = work.filter(({ code }) => code !== "D ").map(({ name }) => name);
  if (unstaged.length > 0) {
    const add = ["--literal-pathspecs", "add", "--all", "--sparse", "--pathspec-from-file=-", "--pathspec-file-nul"];
    await git(tree.path, add, { input: unstaged.join("\0"), timeoutMs: checkoutTimeoutMs });
  }
  const commit = ["commit", "--quiet", "--no-verify", "--no-gpg-sign", "--cleanup=verbatim", "--file=-"];
  const before = await headOf(tree.path);
  const made = await git(tree.path, commit, { env, input: `${message.trimEnd()}\n`, allowFailure: true });
  const after = await headOf(tree.path);
  // A file that differs only in what git does not keep is no change.
  if (after === before && made.code === 1) return { result: "nothing" };
  if (after === before) await git(tree.path, commit, { env, input: `${message.trimEnd()}\n` });
  return { result: "committed", commit: after, files };
}

/** Every changed and new file of a tree, however large it is. */
export async function leftIn(path: string): Promise<readonly UncommittedEntry[]> {
  return await uncommittedEntries(path, { timeoutMs: checkoutTimeoutMs });
}

/** A new entry with a slash at its end is a repository of its own, which git would record as a link without its files. */
function isWork({ code, name }: UncommittedEntry, isByProduct: IsByProduct): boolean {
  return code !== "??" || !(name.endsWith("/") || isByProduct(name));
}
