// The tip. Owns: finding the commit that new stories start from and that finished ones are put on, and whether the base may be moved
// there. A commit that a person took out of the base does not come back.

import { git } from "../git/git.ts";
import { readRefs } from "../git/refs.ts";
import { isIn } from "./ancestry.ts";

/** The branches that get the commits of a run's stories. */
export interface IntegrationTarget {
  readonly repo: string;
  readonly run: string;
  /** The local branch that gets the commits. */
  readonly base: string;
  /** Where the base was when the run started: at `floor`, or behind it if its upstream was ahead. */
  readonly baseAt: string;
  /** The commit that the run started from, which the result must contain. */
  readonly floor: string;
  /** The branch of Pawl that gets the commits while the base cannot be moved. */
  readonly side: string;
}

export interface Tip {
  readonly commit: string;
  /** The commits of the two branches; null for one that does not exist. */
  readonly base: string | null;
  readonly side: string | null;
  /** Why the base must not be moved to a commit on the tip; null if it may be. */
  readonly obstacle: string | null;
  /** The last commit that this run put on the base; null if there is none. */
  readonly published: string | null;
  /** True if a person has taken commits out of the base, by a reset or a rebase. */
  readonly isReset: boolean;
  /** The commit of `markRef`, or null. */
  readonly mark: string | null;
}

/** The folder of `publishedRef`. */
export function publishedRefs(run: string): string {
  return `refs/pawl/published/${run}`;
}

/** The last commit that a run put on its base. A base without it was reset or rebased by a person. */
export function publishedRef(run: string): string {
  return `${publishedRefs(run)}/base`;
}

/** The marks of the integrated stories of a run, one ref for each. */
export function integratedRefs(run: string): string {
  return `refs/pawl/integrated/${run}`;
}

/** The side branch if it has more than the base, else the base, or the floor if the base does not contain it. */
export async function tipOf(line: IntegrationTarget): Promise<string> {
  return (await findTip(line)).commit;
}

/** `markRef` is another ref to read at the same time. No further process where the base is as the run left it. */
export async function findTip(line: IntegrationTarget, markRef?: string): Promise<Tip> {
  const { repo, run, base, baseAt, floor, side } = line;
  const wanted = [`refs/heads/${base}`, `refs/heads/${side}`, publishedRef(run)];
  const refs = await readRefs(repo, markRef === undefined ? wanted : [...wanted, markRef]);
  const atBase = refs.get(`refs/heads/${base}`) ?? null;
  const atSide = refs.get(`refs/heads/${side}`) ?? null;
  const published = refs.get(publishedRef(run)) ?? null;
  const known = { base: atBase, side: atSide, published, mark: refs.get(markRef ?? "") ?? null };
  const untouched = { ...known, isReset: false };
  const apart = async () => (await outermost(repo, [floor, atSide])).at(-1) ?? floor;
  if (atBase === null) return { ...untouched, commit: await apart(), obstacle: noBranch(base) };

  if (await isIn(repo, published ?? baseAt, atBase)) {
    const hasFloor = published !== null || baseAt === floor;
    const last = await outermost(repo, hasFloor ? [atBase, atSide] : [floor, atBase, atSide]);
    const [only = atBase, another] = last;
    if (another === undefined) return { ...untouched, commit: only, obstacle: null };
    const isBesideSide = atSide !== null && last.includes(atSide);
    const obstacle = `${base} has commits that ${isBesideSide ? `${side} does not have` : "the run did not start from"}`;
    return { ...untouched, commit: isBesideSide ? atSide : floor, obstacle };
  }
  if (published !== null && (await isIn(repo, floor, atBase))) {
    const obstacle = `${base} no longer has ${published.slice(0, 12)}, which Pawl had put there`;
    return { ...known, commit: atSide ?? atBase, obstacle: atSide === null ? null : obstacle, isReset: true };
  }
  const obstacle = `${base} has lost the commit that the run started from`;
  return { ...known, commit: await apart(), obstacle, isReset: true };
}

/** Which stories of the run a person has taken out of the base, for people; null if all that were put there are there. */
export async function takenOutNote(
  { repo, run, base, side }: Pick<IntegrationTarget, "repo" | "run" | "base" | "side">,
  hasSide: boolean,
): Promise<string | null> {
  const marks = integratedRefs(run);
  const branches = hasSide ? [base, side] : [base];
  const merged = branches.flatMap((name) => ["--no-merged", `refs/heads/${name}`]);
  const format = "--format=%(refname) %(objectname:short=12)";
  const asked = await git(repo, ["for-each-ref", format, ...merged, marks], { allowFailure: true });
  const lines = asked.code === 0 ? asked.stdout.split("\n").filter((line) => line !== "") : [];
  const stories: string[] = [];
  for (const line of lines) {
    const [ref = "", commit = ""] = line.split(" ");
    if (!(await hasSameChange(repo, base, commit))) stories.push(`${ref.slice(marks.length + 1)} (${commit})`);
  }
  if (stories.length === 0) return null;
  return `${stories.join(", ")} had been put on ${base} and ${stories.length === 1 ? "is" : "are"} not there any more`;
}

/** Whether the branch has the change of the commit, as another commit: a rebase makes new ones. */
async function hasSameChange(repo: string, branch: string, commit: string): Promise<boolean> {
  const args = ["cherry", `refs/heads/${branch}`, commit, `${commit}^`];
  return (await git(repo, args, { allowFailure: true })).stdout.startsWith("-");
}

/** The commits that are not ancestors of another one in the list. */
async function outermost(repo: string, commits: readonly (string | null)[]): Promise<readonly string[]> {
  const different = [...new Set(commits)].filter((commit) => commit !== null);
  if (different.length < 2) return different;
  const { stdout } = await git(repo, ["merge-base", "--independent", ...different]);
  return stdout.split("\n").filter((line) => line !== "");
}

export function noBranch(base: string): string {
  return `there is no branch ${base}`;
}
