// The tip. Owns: the commit that new stories start from and finished ones are put on.

import { git } from "../git/git.ts";
import { readRefs } from "../git/refs.ts";

export interface IntegrationTarget {
  readonly repo: string;
  /** The local branch that gets the commits. */
  readonly base: string;
  /** A commit that must be in it: what the run started from. The base may be behind it, as it may be behind its upstream. */
  readonly floor: string;
  /** Where the commits go while the base cannot be moved: a branch of ours. */
  readonly side: string;
}

export interface Tip {
  readonly commit: string;
  /** Where the two branches are; null for one that does not exist. */
  readonly base: string | null;
  readonly side: string | null;
  /** The base can be moved to what is put on the tip, and nothing that is on it is lost. */
  readonly isAhead: boolean;
  /** Where the mark is that was asked for, or null. */
  readonly mark: string | null;
}

/** The side branch where it has more than the base, else the base, or the floor where that is not in the base. */
export async function tipOf(line: IntegrationTarget): Promise<string> {
  return (await findTip(line)).commit;
}

/** `markRef`: another ref, looked up in the same go. */
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
  // The base has gone its own way. What the user took out of it must not come back, so it is not built upon.
  const commit = atSide !== null && last.includes(atSide) ? atSide : floor;
  return { ...known, commit, isAhead: false };
}

/** Those of the commits that are not contained in another of them. */
export async function outermost(repo: string, commits: readonly (string | null)[]): Promise<readonly string[]> {
  const different = [...new Set(commits)].filter((commit) => commit !== null);
  if (different.length < 2) return different;
  const { stdout } = await git(repo, ["merge-base", "--independent", ...different]);
  return stdout.split("\n").filter((line) => line !== "");
}
