// The side branch. Owns: keeping commits of ours apart while the base cannot be moved, and bringing the two together again.

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
  /** Nothing is on the side branch alone any more. */
  readonly published: boolean;
  /** What a person should know. */
  readonly note: string | null;
}

/** Moves the base to the side branch if that is possible now, and deletes the side branch. */
export async function publishSide(wish: Side): Promise<Published> {
  for (const name of [wish.base, wish.side]) await assertBranchName(wish.repo, name);
  const settled = await settleMove(wish.intentFile);
  for (let tries = 0; ; tries += 1) {
    const why = await tryToPublish(wish);
    if (why === null) return { published: true, note: settled };
    if (why === "moved_meanwhile" && tries < 10) continue;
    return { published: false, note: [settled, sideNote(wish, why)].filter((part) => part !== null).join("; ") };
  }
}

/** Why the commits are not on the base, where they are, and how to get them there. */
export function sideNote({ base, side }: Pick<Side, "base" | "side">, why: string): string {
  return `${base} could not be moved (${why}): the work is on ${side}, and \`git merge ${side}\` on ${base} brings it there`;
}

async function tryToPublish(wish: Side): Promise<string | null> {
  const { repo, base, side, ignoring, intentFile } = wish;
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
  // A person who has it checked out keeps it.
  if ((await checkoutsOf(repo, side)).length > 0) return null;
  return (await changeRefs(repo, [`delete refs/heads/${side} ${to}`])) ? null : "moved_meanwhile";
}
