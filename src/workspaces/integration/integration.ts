// Integration. Owns: putting the work of a story on the base as one commit, checked there, exactly once. Nothing is pushed or fetched.

import { AppError } from "../../domain/error.ts";
import { assertBranchName } from "../branches/branch-name.ts";
import { git } from "../git/git.ts";
import { changeRefs } from "../git/refs.ts";
import { operationIn } from "../git/repository.ts";
import { assertSlot, type OwnedTree } from "../trees/ownership.ts";
import { forgetOperations, forgetState, removeLocks } from "../trees/restore.ts";
import { moveBranch, settleMove, withState } from "./forward.ts";
import { putBack, rememberState } from "./remembered-state.ts";
import { publishSide, type Side, sideNote } from "./side-branch.ts";
import {
  type CommitEnvironment,
  checkOutCommit,
  commitEnvironment,
  mergingIn,
  rebaseOnto,
  squashOnto,
  unmergedIn,
} from "./squash.ts";
import { findTip, integratedRefs, isIn, publishedRef, type Tip, takenOutNote } from "./tip.ts";

export { publishSide } from "./side-branch.ts";
export { takenOutNote, tipOf } from "./tip.ts";

export interface IntegrationRequest extends Side {
  readonly story: string;
  /** The slot that holds the story. */
  readonly path: string;
  readonly message: string;
  /** The snapshot of the tree, if one was just taken and nothing has changed since. */
  readonly snapshot?: string;
  /** Runs the checks on the tree as it will be; null if they are green. */
  readonly check: (path: string) => Promise<string | null>;
}

export type Integration =
  | {
      readonly result: "integrated";
      readonly commit: string;
      /** The branch that has the commit now. */
      readonly on: string;
      readonly notes: readonly string[];
    }
  /** The story changed nothing that is not on the base already, so there is no commit. */
  | { readonly result: "unchanged"; readonly commit: string }
  | { readonly result: "conflict"; readonly onto: string; readonly files: readonly string[] }
  | { readonly result: "red"; readonly onto: string; readonly output: string };

const maxRounds = 10;

/** Every result except "integrated" leaves the tree exactly as it was. Calling it again integrates nothing twice. */
export async function integrateStory(request: IntegrationRequest): Promise<Integration> {
  const tree = assertSlot(request.path, request.run, request.story);
  for (const name of [request.base, request.side]) await assertBranchName(request.repo, name);
  const settled = await settleMove(request.intentFile);
  try {
    return await integrateOnce(request, tree, settled);
  } catch (error) {
    throw settled === null ? error : withState(error, settled);
  }
}

/** `settled` is what a person should know about an earlier move of the base. */
async function integrateOnce(
  request: IntegrationRequest,
  tree: OwnedTree,
  settled: string | null,
): Promise<Integration> {
  const tip = await findTip(request, integratedRef(request));
  const takenOut = tip.isReset ? await takenOutNote(request, tip.side !== null) : null;
  const notes = [settled, takenOut].filter((note) => note !== null);
  const earlier = tip.mark;
  if (earlier !== null && (await isIn(request.repo, earlier, tip.commit))) {
    forgetState(tree.gitDir);
    const isOnBase = tip.base !== null && (await isIn(request.repo, earlier, tip.base));
    return { result: "integrated", commit: earlier, on: isOnBase ? request.base : request.side, notes };
  }
  if (tree.marker.story !== request.story) {
    throw new AppError("REFUSED", `${request.path} does not hold the work of story ${request.story}`, {
      hint: "enter the story first",
    });
  }

  removeLocks(tree.gitDir);
  // After an interrupted integration the tree is not the one of the snapshot any more.
  const taken = (await putBack(tree)) ? null : (request.snapshot ?? null);
  const isUntouched = taken !== null && !taken.includes("+");
  const files = isUntouched ? [] : await unmergedIn(tree.path);
  const operation = operationIn(tree.gitDir);
  // Half of a rebase and conflict markers are not the work of the story. A merge may be resolved and not committed.
  if (files.length > 0 || (operation !== null && operation !== "merge")) {
    return { result: "conflict", onto: tip.commit, files };
  }
  return integrate(request, tree, tip, taken, notes);
}

async function integrate(
  request: IntegrationRequest,
  tree: OwnedTree,
  found: Tip,
  taken: string | null,
  notes: readonly string[],
): Promise<Integration> {
  const merging = mergingIn(tree.gitDir);
  const [settings, snapshot] = await Promise.all([commitEnvironment(tree.path), rememberState(tree, taken)]);
  forgetOperations(tree.gitDir);
  const start = tree.marker.start ?? null;
  const work = { snapshot, merging, message: request.message, known: [request.floor, start] };
  let tip = found;
  let isClean = !snapshot.includes("+");
  try {
    for (let round = 1; round <= maxRounds; round += 1) {
      const outcome = await tryOnTip(request, tree, tip, work, settings, isClean);
      if (outcome.result === "integrated") forgetState(tree.gitDir);
      else if (outcome.result !== "moved_meanwhile") await putBack(tree);
      if (outcome.result === "integrated") return { ...outcome, notes: [...notes, ...outcome.notes] };
      if (outcome.result !== "moved_meanwhile") return outcome;
      // Files that the checks left could conflict with what others have put on the base.
      await git(tree.path, ["clean", "-fdq"], { allowFailure: true });
      isClean = false;
      tip = await findTip(request);
    }
  } catch (error) {
    // What cannot be put back now is put back by the next call; the first error is the one that says what went wrong.
    await putBack(tree).catch(() => undefined);
    throw error;
  }
  await putBack(tree);
  throw new AppError(
    "WORKSPACE_BUSY",
    `${request.base} moved ${maxRounds} times while ${request.story} was being integrated`,
    {
      hint: "try again when fewer commits are being made on it",
    },
  );
}

async function tryOnTip(
  request: IntegrationRequest,
  tree: OwnedTree,
  tip: Tip,
  work: Parameters<typeof squashOnto>[1],
  settings: CommitEnvironment,
  isClean: boolean,
): Promise<Published> {
  const known = [...work.known, tip.published];
  const squash = await squashOnto(tree, { ...work, known }, tip.commit, settings);
  if (squash === null) return { result: "unchanged", commit: tip.commit };
  const isOnTip = squash.parent === tip.commit;
  // A clean tree has the files of the squashed commit already; a rebase starts from another commit.
  if (!isClean || isOnTip) await checkOutCommit(tree, squash.commit);
  const rebased = isOnTip ? squash : await rebaseOnto(tree, squash, tip.commit, settings);
  if ("conflicts" in rebased) return { result: "conflict", onto: tip.commit, files: rebased.conflicts };
  if (rebased.commit === tip.commit) return { result: "unchanged", commit: tip.commit };

  const output = await request.check(tree.path);
  if (output !== null) return { result: "red", onto: tip.commit, output };
  return publish(request, tip, rebased.commit);
}

type Published = Integration | { readonly result: "moved_meanwhile" };

/** Moves the base, or the side branch while there is one or the base cannot be moved. */
async function publish(request: IntegrationRequest, tip: Tip, commit: string): Promise<Published> {
  const { base } = request;
  const isOnSide = tip.side === tip.commit && tip.side !== tip.base;
  if (isOnSide) return publishOnSide(request, tip, commit, null);
  if (tip.base === null || tip.obstacle !== null) return publishOnSide(request, tip, commit, tip.obstacle);
  const also = [integratedRef(request), publishedRef(request.run)].map((ref) => ({ ref, to: commit }));
  const moved = await moveBranch({ ...request, branch: base, from: tip.base, to: commit, also });
  if (moved.moved) return { result: "integrated", commit, on: base, notes: [] };
  const { why } = moved;
  if (why === "moved_meanwhile") return { result: "moved_meanwhile" };
  return publishOnSide(request, tip, commit, why).catch((error: unknown) => {
    throw withState(error, why);
  });
}

/** `why` says why the base was not moved; null if that was not tried. */
async function publishOnSide(
  request: IntegrationRequest,
  tip: Tip,
  commit: string,
  why: string | null,
): Promise<Published> {
  const { base, side, repo } = request;
  const also = [{ ref: integratedRef(request), to: commit }];
  if (tip.side === null) {
    const made = [`update ${integratedRef(request)} ${commit}`, `create refs/heads/${side} ${commit}`];
    if (!(await changeRefs(repo, made))) return { result: "moved_meanwhile" };
  } else {
    const moved = await moveBranch({ ...request, branch: side, from: tip.side, to: commit, also });
    if (!moved.moved && moved.why === "moved_meanwhile") return { result: "moved_meanwhile" };
    if (!moved.moved) throw sideIsHeld(side, moved.why);
  }
  const { published, note } =
    why === null ? await publishSide(request) : { published: false, note: sideNote(request, why, tip.isReset) };
  return { result: "integrated", commit, on: published ? base : side, notes: note === null ? [] : [note] };
}

function integratedRef({ run, story }: Pick<IntegrationRequest, "run" | "story">): string {
  return `${integratedRefs(run)}/${story}`;
}

function sideIsHeld(side: string, why: string): AppError {
  return new AppError("REFUSED", `${side} has to be moved and cannot be: ${why}`, {
    hint: `commit what is there or check out another branch, then try again; ${side} belongs to this run`,
  });
}
