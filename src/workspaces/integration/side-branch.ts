// The side branch. Owns: keeping commits of stories apart while the base cannot be moved, and moving the base to them later.

import { assertBranchName } from "../branches/branch-name.ts";
import { checkoutsOf } from "../branches/checked-out.ts";
import { changeRefs, readRefs } from "../git/refs.ts";
import { moveBranch, settleMove } from "./forward.ts";
import { findTip, type IntegrationTarget, integratedRefs, noBranch, publishedRef } from "./tip.ts";

export interface Side extends IntegrationTarget {
  readonly ignoring: readonly string[];
  readonly intentFile: string;
  /** Publishes only if the last commit is that of a story: a step of a run that failed may have added others. */
  readonly onlyIntegrated?: boolean;
}

export interface Published {
  /** True if the base has everything that was on the side branch. */
  readonly published: boolean;
  /** A note for people. */
  readonly note: string | null;
}

/** Moves the base to the side branch if that is possible now, and deletes the side branch. */
export async function publishSide(request: Side): Promise<Published> {
  for (const name of [request.base, request.side]) await assertBranchName(request.repo, name);
  const settled = await settleMove(request.intentFile);
  for (let tries = 0; ; tries += 1) {
    const kept = await tryToPublish(request);
    if (kept === null) return { published: true, note: settled };
    const { why, isReset } = kept;
    if (why === "moved_meanwhile" && tries < 10) continue;
    const note = [settled, sideNote(request, why, isReset)].filter((part) => part !== null).join("; ");
    return { published: false, note };
  }
}

/** Why the commits are not on the base, where they are, and how to get them there. */
export function sideNote({ base, side }: Pick<Side, "base" | "side">, why: string, isReset: boolean): string {
  if (why === noBranch(base))
    return `${why}: the work is on ${side}, and \`git branch ${base} ${side}\` makes ${base} of it`;
  const how = isReset
    ? `\`git cherry-pick\` on ${base} takes its commits; a merge would also bring back what was taken out`
    : `\`git merge ${side}\` on ${base} brings it there`;
  return `${base} could not be moved (${why}): the work is on ${side}, and ${how}`;
}

interface NotPublished {
  readonly why: string;
  readonly isReset: boolean;
}

async function tryToPublish(request: Side): Promise<NotPublished | null> {
  const { repo, run, base, side, ignoring, intentFile } = request;
  const { base: from, side: to, commit, obstacle, isReset } = await findTip(request);
  if (to === null) return null;
  if (from === null || obstacle !== null) return { why: obstacle ?? noBranch(base), isReset };
  // A side branch that the base has overtaken has nothing that could be missing there.
  if (request.onlyIntegrated === true && commit !== from && !(await isIntegrated(repo, run, to)))
    return { why: "the run has not passed", isReset };
  if (commit !== from) {
    const also = [{ ref: publishedRef(run), to }];
    const moved = await moveBranch({ repo, branch: base, from, to, ignoring, intentFile, also });
    if (!moved.moved) return { why: moved.why, isReset };
  }
  // A side branch that a person has checked out stays.
  if ((await checkoutsOf(repo, side)).length > 0) return null;
  const deleted = await changeRefs(repo, [`delete refs/heads/${side} ${to}`]);
  return deleted ? null : { why: "moved_meanwhile", isReset };
}

async function isIntegrated(repo: string, run: string, commit: string): Promise<boolean> {
  return [...(await readRefs(repo, [integratedRefs(run)])).values()].includes(commit);
}
