// Joining. Owns: putting what several trees changed into one, file by file, as a new snapshot. Nothing in any tree is touched. A file that
// two of them changed in different ways is a conflict: nobody knows whether lines that git could merge still mean the same.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { git, gitLine, splitNul } from "../git/git.ts";
import { commonDirOf } from "../git/head.ts";
import { keepObject, writeCommit } from "../git/own-objects.ts";
import type { IsByProduct } from "./by-products.ts";
import { untrackedIn } from "./changes.ts";
import { parseSnapshot, snapshotRefs, treeOf } from "./snapshot.ts";

/** What was done in one tree. */
export interface TreeWork {
  readonly name: string;
  readonly path: string;
  /** The snapshot that the work began with. */
  readonly base: string;
}

export interface Joining {
  /** The tree that gets the work. */
  readonly path: string;
  /** The snapshot of it that the work is put on. */
  readonly onto: string;
  /** In this order. */
  readonly works: readonly TreeWork[];
  /** Files that tools left behind, and that git does not have, are no work. */
  readonly isByProduct: IsByProduct;
}

export type Joined =
  | { readonly result: "joined"; readonly snapshot: string; readonly changed: readonly string[] }
  /** `name`: the later of two that changed these files. */
  | { readonly result: "conflict"; readonly name: string; readonly files: readonly string[] };

export async function joinTrees({ path, onto, works, isByProduct }: Joining): Promise<Joined> {
  const { head, content, branch } = parseSnapshot(onto);
  const before = await treeIn(path, content ?? head);
  let tree = before;
  const changed = new Set<string>();
  for (const work of works) {
    const { head: from, content: uncommitted } = parseSnapshot(work.base);
    const base = await treeIn(path, uncommitted ?? from);
    const untracked = await untrackedIn(path, work.base);
    const done = (await filesBetween(path, base, await treeOf(work.path))).filter(
      ({ name, isNew }) => !isByProduct(name) || !(isNew || untracked.has(name)),
    );
    const others = base === tree ? [] : await filesBetween(path, base, tree);
    const files = conflicts(done, others);
    if (files.length > 0) return { result: "conflict", name: work.name, files };
    const own = done.filter((file) => !others.some((other) => isSame(file, other)));
    tree = await withFiles(path, tree, own);
    for (const { name } of own) changed.add(name);
  }
  const kept = tree === before ? content : await keepAsContent(path, head, tree);
  const text = `${head}${kept === null ? "" : `+${kept}`}${branch === null ? "" : `@${branch}`}`;
  return { result: "joined", snapshot: text, changed: [...changed].toSorted() };
}

/** A file as it is after a change. */
interface ChangedEntry {
  readonly name: string;
  /** Mode and id, as git's index takes them; a mode of 0 is no file. */
  readonly entry: string;
  readonly isNew: boolean;
}

async function treeIn(path: string, commit: string): Promise<string> {
  return await gitLine(path, ["rev-parse", "--verify", "--quiet", `${commit}^{tree}`]);
}

async function filesBetween(path: string, from: string, to: string): Promise<readonly ChangedEntry[]> {
  if (from === to) return [];
  const args = ["diff-tree", "-r", "-z", "--no-renames", from, to, "--"];
  const words = splitNul((await git(path, args)).stdout);
  return words.flatMap((word, index) => {
    if (index % 2 !== 0) return [];
    const [, mode = "", , id = "", status] = word.split(" ");
    return [{ name: words[index + 1] ?? "", entry: `${Number(mode) === 0 ? "0" : mode} ${id}`, isNew: status === "A" }];
  });
}

function isSame(one: ChangedEntry, other: ChangedEntry): boolean {
  return one.name === other.name && one.entry === other.entry;
}

/** Also a file in the place of a folder that another work has put files in. */
function conflicts(done: readonly ChangedEntry[], others: readonly ChangedEntry[]): readonly string[] {
  const theirs = new Map(others.map((other) => [other.name, other.entry]));
  const theirFiles = others.filter(isThere).map(({ name }) => name);
  const folders = new Set(theirFiles.flatMap(foldersOf));
  const files = new Set(theirFiles);
  return done
    .filter((file) => {
      const entry = theirs.get(file.name);
      if (entry !== undefined) return entry !== file.entry;
      return isThere(file) && (folders.has(file.name) || foldersOf(file.name).some((folder) => files.has(folder)));
    })
    .map(({ name }) => name);
}

function isThere({ entry }: ChangedEntry): boolean {
  return !entry.startsWith("0 ");
}

/** `a/b/c.ts` lies in `a` and in `a/b`. */
function foldersOf(name: string): readonly string[] {
  const words = name.split("/");
  return words.slice(1).map((_, index) => words.slice(0, index + 1).join("/"));
}

async function withFiles(path: string, tree: string, files: readonly ChangedEntry[]): Promise<string> {
  if (files.length === 0) return tree;
  const directory = mkdtempSync(join(tmpdir(), "pawl-index-"));
  try {
    const env = { GIT_INDEX_FILE: join(directory, "index") };
    await git(path, ["read-tree", tree], { env });
    // What goes comes first: a folder may become a file.
    const gone = files.filter((file) => !isThere(file));
    const lines = [...gone, ...files.filter(isThere)].map(({ entry, name }) => `${entry}\t${name}`);
    await git(path, ["update-index", "-z", "--index-info"], { env, input: [...lines, ""].join("\0") });
    return await gitLine(path, ["write-tree"], { env });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** A snapshot keeps uncommitted work in a commit; null where the files are those of HEAD. */
async function keepAsContent(path: string, head: string, tree: string): Promise<string | null> {
  if ((await treeIn(path, head)) === tree) return null;
  const commonDir = await commonDirOf(path);
  const commit = writeCommit(commonDir, { tree, parents: [head], message: "Pawl: uncommitted work" });
  await keepObject(commonDir, `${snapshotRefs(path)}/${commit}`, commit);
  return commit;
}
