// The tip. Owns: finding the commit that new stories start from and that finished ones are put on.

import { git } from "../git/git.ts";
import { readRefs } from "../git/refs.ts";

/** The branches that get the commits of a run's stories. */
export interface IntegrationTarget {
  readonly repo: string;
  /** The local branch that gets the commits. */
  readonly base: string;
  /** The commit that the run started from, which the result must contain. The base may be behind it, if its upstream was ahead. */
  readonly floor: string;
  /** The branch of Pawl that gets the commits while the base cannot be moved. */
  readonly side: string;
}

export interface Tip {
  readonly commit: string;
  /** The commits of the two branches; null for one that does not exist. */
  readonly base: string | null;
  readonly side: string | null;
  /** True if the base can be moved to a commit on the tip without losing a commit. */
  readonly isAhead: boolean;
  /** The commit of `markRef`, or null. */
  readonly mark: string | null;
}

/** The side branch if it has more than the base, else the base, or the floor if the base does not contain it. */
export async function tipOf(line: IntegrationTarget): Promise<string> {
  return (await findTip(line)).commit;
}

/** `markRef` is another ref to read at the same time. */
export async function findTip({ repo, base, floor, side }: IntegrationTarget, markRef?: string): Promise<Tip> {
  const wanted = [`refs/heads/${base}`, `refs/heads/${side}`];
  const refs = await readRefs(repo, markRef === undefined ? wanted : [...wanted, markRef]);
  const atBase = refs.get(`refs/heads/${base}`) ?? null;
  const atSide = refs.get(`refs/heads/${side}`) ?? null;
  const known = { base: atBase, side: atSide, mark: refs.get(markRef ?? "") ?? null };
  const last = await outermost(repo, [floor, atBase, atSide]);
  const [only, another] = last;
  if (only !== undefined && another === undefined) {
    return { ...known, commit: only, isAhead: atBase !== null };
  }
  // The base has diverged. The tip does not build on it, because commits that the user removed from it must not come back.
  const commit = atSide !== null && last.includes(atSide) ? atSide : floor;
  return { ...known, commit, isAhead: false };
}

/** The commits that are not ancestors of another one in the list. */
export async function outermost(repo: string, commits: readonly (string | null)[]): Promise<readonly string[]> {
  const different = [...new Set(commits)].filter((commit) => commit !== null);
  if (different.length < 2) return different;
  const { stdout } = await git(repo, ["merge-base", "--independent", ...different]);
  return stdout.split("\n").filter((line) => line !== "");
}
