// Files of a story. Owns: which files of a story's tree become its commit: all of them except new by-products that it never staged.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { git, gitLine, splitNul } from "../git/git.ts";
import { commonDirOf } from "../git/head.ts";
import { writeCommit } from "../git/own-objects.ts";
import type { IsByProduct } from "../trees/by-products.ts";
import { changesBetween, untrackedIn } from "../trees/changes.ts";
import { parseSnapshot } from "../trees/snapshot.ts";

export interface StoryWork {
  readonly snapshot: string;
  /** The commits of a merge that is not committed yet. */
  readonly merging: readonly string[];
  readonly message: string;
  /** The commit that the story started from, else the run. */
  readonly start: string;
  /** Commits that the story may have started from; null for one that is not known. They are not its work, even if a person has taken
   * them out of the base since. */
  readonly known: readonly (string | null)[];
  readonly isByProduct: IsByProduct;
  /** The snapshot without by-products; absent until they were looked for. */
  readonly selected?: { readonly commit: string; readonly leftOut: readonly string[] };
}

/** The commit that has the files of the story. */
export function filesOf({ snapshot, selected }: Pick<StoryWork, "snapshot" | "selected">): string {
  const { head, content } = parseSnapshot(snapshot);
  return selected?.commit ?? content ?? head;
}

/** Whether by-products may still be among the files: only what was uncommitted can have any that nobody added. */
export function isSelected({ snapshot, selected }: StoryWork): boolean {
  return selected !== undefined || parseSnapshot(snapshot).content === null;
}

/** The same work without the by-products that were neither committed nor staged. */
export async function selectFiles(path: string, work: StoryWork): Promise<StoryWork> {
  const { head, content } = parseSnapshot(work.snapshot);
  if (content === null) return work;
  const leftOut = [...(await untrackedIn(path, work.snapshot))].filter(work.isByProduct);
  const commit = leftOut.length === 0 ? content : await withFilesOf(path, { head, content }, head, leftOut);
  return { ...work, selected: { commit, leftOut } };
}

/** The same work without what it did to files that are never committed, even if an agent has committed them. */
export async function withoutKept(
  path: string,
  work: StoryWork,
  isKeptOut: (path: string) => boolean,
): Promise<StoryWork> {
  const { start } = work;
  const changes = await changesBetween(path, start, filesOf(work));
  const names = changes.map((change) => change.path).filter(isKeptOut);
  if (names.length === 0) return work;
  const whole = await selectFiles(path, work);
  const { head } = parseSnapshot(work.snapshot);
  const commit = await withFilesOf(path, { head, content: filesOf(whole) }, start, names);
  return { ...whole, selected: { commit, leftOut: whole.selected?.leftOut ?? [] } };
}

/** The files of `content`, where the named ones are as in `from`, or are not there. */
async function withFilesOf(
  path: string,
  { head, content }: { readonly head: string; readonly content: string },
  from: string,
  names: readonly string[],
): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), "pawl-index-"));
  try {
    const env = { GIT_INDEX_FILE: join(directory, "index") };
    await git(path, ["read-tree", content], { env });
    const before = splitNul((await git(path, ["ls-tree", "-r", "-z", "--full-tree", from, "--", ...names])).stdout);
    const removed = names.map((name) => `0 ${"0".repeat(head.length)}\t${name}`);
    await git(path, ["update-index", "-z", "--index-info"], { env, input: [...removed, ...before, ""].join("\0") });
    const tree = await gitLine(path, ["write-tree"], { env });
    return writeCommit(await commonDirOf(path), { tree, parents: [head], message: "Pawl: work of a story" });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
