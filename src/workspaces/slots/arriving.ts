// Arriving. Owns: putting a story where another machine left it: the next entry of its slot restores that state, and its branch is there.

import { AppError } from "../../domain/error.ts";
import { checkoutsOf } from "../branches/checked-out.ts";
import { hasCommit } from "../clones/clone.ts";
import { branchCommit } from "../git/head.ts";
import { changeRefs } from "../git/refs.ts";
import { isIn } from "../integration/ancestry.ts";
import { parseSnapshot, snapshotText } from "../trees/snapshot.ts";
import { type Parking, parkStory, readWhereabouts, writeWhereabouts } from "./parking.ts";
import { occupantOf } from "./slot.ts";

export interface Arrival extends Parking {
  readonly repo: string;
  /** The name that the branch of the story should have. */
  readonly branch: string;
  readonly snapshot: string;
  /** The commit that its branch was made from, where that is known. */
  readonly start: string | null;
}

/** What this machine had of the story itself is kept by its snapshots, and is not used any more. */
export async function receiveStory({ repo, branch: wanted, snapshot, start, ...parking }: Arrival): Promise<void> {
  const { head, content, branch: left } = parseSnapshot(snapshot);
  await assertThere(repo, snapshot);
  if (occupantOf(parking.path) === parking.story) await parkStory(parking);
  const known = readWhereabouts(parking.file);
  // Its agent may have been on any branch, also on one that is the user's here. A name that is free is the one that it had elsewhere.
  const isNew = left !== null && (await branchCommit(repo, left)) === null;
  const branch = known?.branch || (isNew ? left : wanted);
  if (known !== null) await bringBranch(repo, branch, head, known.parked);
  writeWhereabouts(parking.file, {
    branch,
    parked: snapshotText({ head, content, branch }),
    ...(start === null ? {} : { start }),
  });
}

/**
 * The branch that Pawl made here for the story goes along. One that a person has checked out, or put commits on, stays; then the story gets
 * another.
 */
async function bringBranch(repo: string, branch: string, head: string, parked: string | null): Promise<void> {
  const there = await branchCommit(repo, branch);
  if (there === null || there === head) return;
  const left = parked === null ? null : parseSnapshot(parked).head;
  const isOurs = there === left || (await isIn(repo, there, head));
  if (!isOurs || (await checkoutsOf(repo, branch)).length > 0) return;
  await changeRefs(repo, [`update refs/heads/${branch} ${head} ${there}`]);
}

/** The commits of the snapshot are in the repository. */
export async function assertThere(repo: string, snapshot: string): Promise<void> {
  const { head, content } = parseSnapshot(snapshot);
  if ((await hasCommit(repo, head)) && (content === null || (await hasCommit(repo, content)))) return;
  throw new AppError("REPOSITORY_UNUSABLE", `${repo} has not got the work that another machine had handed over`, {
    hint: "somebody has deleted refs below refs/pawl/handed: fetch them from a clone of another machine, or end the story with `pawl story drop`",
  });
}
