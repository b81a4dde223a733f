// The side branch. Owns: keeping commits of stories apart while the base cannot be moved, and moving the base to them later.

import { assertBranchName } from "../branches/branch-name.ts";
import { checkoutsOf } from "../branches/checked-out.ts";
import { changeRefs, readRefs } from "../git/refs.ts";
import { moveBranch, settleMove } from "./forward.ts";
import { type IntegrationTarget, outermost } from "./tip.ts";

export interface Side extends Pick<IntegrationTarget, "repo" | "base" | "side"> {
  readonly ignoring: readonly string[];
  readonly intentFile: string;
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
    const why = await tryToPublish(request);
    if (why === null) return { published: true, note: settled };
    if (why === "moved_meanwhile" && tries < 10) continue;
    return { published: false, note: [settled, sideNote(request, why)].filter((part) => part !== null).join("; ") };
  }
}

/** Why the commits are not on the base, where they are, and how to get them there. */
export function sideNote({ base, side }: Pick<Side, "base" | "side">, why: string): string {
  return `${base} could not be moved (${why}): the work is on ${side}, and \`git merge ${side}\` on ${base} brings it there`;
}

async function tryToPublish(request: Side): Promise<string | null> {
  const { repo, base, side, ignoring, intentFile } = request;
  const refs = await readRefs(repo, [`refs/heads/${base}`, `refs/heads/${side}`]);
  const from = refs.get(`refs/heads/${base}`);
  const to = refs.get(`refs/heads/${side}`);
  if (to === undefined) return null;
  if (from === undefined) return `there is no branch ${base}`;
  const last = await outermost(repo, [from, to]);
  if (last.length > 1) return `${base} has commits that ${side} does not have`;
  if (last[0] !== from) {
    const moved = await moveBranch({ repo, branch: base, from, to, ignoring, intentFile });
    if (!moved.moved) return moved.why;
  }
  // A side branch that a person has checked out stays.
  if ((await checkoutsOf(repo, side)).length > 0) return null;
  return (await changeRefs(repo, [`delete refs/heads/${side} ${to}`])) ? null : "moved_meanwhile";
}
