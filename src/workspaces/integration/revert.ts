// Reverting. Owns: taking the commit of a story back by a new commit on the branch that has it, made in memory and found again by its
// trailer after a crash. No commit is rewritten, and a checkout moves only as it does for an integration.

import { AppError } from "../../domain/error.ts";
import { assertBranchName } from "../branches/branch-name.ts";
import { git, gitLine } from "../git/git.ts";
import { existingCommit } from "../trees/diff.ts";
import { assertSafe } from "../trees/ownership.ts";
import { isIn, recordParent } from "./ancestry.ts";
import { moveBranch, settleMove } from "./forward.ts";
import { mergeTree } from "./merge-in-memory.ts";
import { publishSide, type Side } from "./side-branch.ts";
import { commitEnvironment } from "./squash.ts";
import { findTip, type Tip } from "./tip.ts";

export interface RevertRequest extends Side {
  readonly story: string;
  /** The commit of the story, whole or short. */
  readonly commit: string;
}

export type Revert =
  | {
      readonly result: "reverted";
      readonly commit: string;
      readonly by: string;
      /** The branch that has it now. */
      readonly on: string;
      /** It was made before, and is only found again. */
      readonly isFound: boolean;
      readonly notes: readonly string[];
    }
  | { readonly result: "conflict"; readonly on: string; readonly files: readonly string[] }
  /** Nothing was changed, for this reason. */
  | { readonly result: "refused"; readonly why: string; readonly hint: string };

const maxRounds = 10;

export async function revertCommit(request: RevertRequest): Promise<Revert> {
  for (const id of [request.run, request.story]) assertSafe(id);
  for (const name of [request.base, request.side]) await assertBranchName(request.repo, name);
  const settled = await settleMove(request.intentFile);
  const commit = await existingCommit(request.repo, request.commit);
  if (commit === null)
    return refused(`the repository has no commit ${request.commit} any more`, "it has nothing left to take back");
  for (let round = 1; round <= maxRounds; round += 1) {
    const tried = await tryToRevert({ ...request, commit });
    if (tried === "moved_meanwhile") continue;
    if (tried.result !== "reverted" || settled === null) return tried;
    return { ...tried, notes: [settled, ...tried.notes] };
  }
  return refused(`${request.base} moved ${maxRounds} times meanwhile`, "try again when less work reaches it");
}

async function tryToRevert(request: RevertRequest): Promise<Revert | "moved_meanwhile"> {
  const { repo, commit, base, side } = request;
  const tip = await findTip(request);
  const place = placeOf(request, tip);
  if (place === null || !(await isIn(repo, commit, place.at)))
    return refused(
      `neither ${base} nor ${side} has its commit ${commit.slice(0, 12)}`,
      `\`git branch --contains ${commit.slice(0, 12)}\` shows where it is`,
    );
  const before = await madeBefore(request, place.at);
  if (before !== null) return { result: "reverted", commit, by: before, on: place.branch, isFound: true, notes: [] };
  const merged = await takenBack(request, place.at);
  if ("conflicts" in merged) return { result: "conflict", on: place.branch, files: merged.conflicts };
  if (merged.files === (await gitLine(repo, ["rev-parse", `${place.at}^{tree}`])))
    return refused(
      `${place.branch} has nothing of its commit ${commit.slice(0, 12)} any more`,
      `\`git log ${place.branch}\` shows what took it away`,
    );
  const by = await commitOf(request, merged.files, place.at);
  recordParent(by, place.at);
  const moved = await moveBranch({ ...request, branch: place.branch, from: place.at, to: by });
  if (!moved.moved) return moved.why === "moved_meanwhile" ? moved.why : refused(moved.why, inTheWay);
  if (place.branch === base) return { result: "reverted", commit, by, on: base, isFound: false, notes: [] };
  const { published, note } = await publishSide(request);
  const notes = note === null ? [] : [note];
  return { result: "reverted", commit, by, on: published ? base : side, isFound: false, notes };
}

interface Place {
  readonly branch: string;
  readonly at: string;
}

/** On the side branch while that has more than the base: a commit on the base alone would keep the two apart. */
function placeOf({ base, side }: RevertRequest, tip: Tip): Place | null {
  if (tip.side !== null && tip.side !== tip.base && tip.commit === tip.side) return { branch: side, at: tip.side };
  return tip.base === null ? null : { branch: base, at: tip.base };
}

/** A crash may have come between the commit and its record. */
async function madeBefore(request: RevertRequest, at: string): Promise<string | null> {
  const grep = ["--fixed-strings", `--grep=${trailerOf(request)}`];
  const range = `${request.commit}..${at}`;
  return (await gitLine(request.repo, ["log", "-1", "--format=%H", ...grep, range, "--"])) || null;
}

function trailerOf({ run, story, commit }: RevertRequest): string {
  return `Pawl-Reverts: ${run}/${story} ${commit}`;
}

/** A commit on top of the story's, with the files from before it, is merged into the branch: git then takes back just these changes. */
async function takenBack(
  { repo, commit }: RevertRequest,
  at: string,
): Promise<{ readonly files: string } | { readonly conflicts: readonly string[] }> {
  const env = await commitEnvironment(repo);
  const args = ["commit-tree", "--no-gpg-sign", "-p", commit, "-m", "before it", `${commit}^^{tree}`];
  const opposite = await gitLine(repo, args, { env });
  if (at === commit) return { files: await gitLine(repo, ["rev-parse", `${commit}^^{tree}`]) };
  const merged = await mergeTree(repo, at, opposite, env);
  if (merged !== null) return "files" in merged ? { files: merged.files.trim() } : merged;
  throw new AppError("GIT_MISSING", "this git cannot merge in memory", {
    hint: `install git 2.38 or newer, or take it back yourself: \`git revert ${commit.slice(0, 12)}\``,
  });
}

async function commitOf(request: RevertRequest, files: string, parent: string): Promise<string> {
  const { repo, commit } = request;
  const subject = (await git(repo, ["show", "--no-patch", "--format=%s", commit, "--"])).stdout.trim();
  const message = `Revert "${subject}"\n\nThis reverts commit ${commit}.\n\n${trailerOf(request)}\n`;
  const env = await commitEnvironment(repo);
  return await gitLine(repo, ["commit-tree", "--no-gpg-sign", "-p", parent, "-F", "-", files], { env, input: message });
}

const inTheWay = "commit or stash what is in the way, or let the other git end, then try again";

function refused(why: string, hint: string): Revert {
  return { result: "refused", why, hint };
}
