// Integration. Owns: a story's work as one commit on the base, checked there, once. Nothing is pushed or fetched.

import { AppError } from "../../domain/error.ts";
import { assertBranchName } from "../branches/branch-name.ts";
import { git } from "../git/git.ts";
import { changeRefs } from "../git/refs.ts";
import { operationIn } from "../git/repository.ts";
import { assertSlot, type OwnedTree } from "../trees/ownership.ts";
import { forgetOperations, forgetState, removeLocks } from "../trees/restore.ts";
import { moveBranch, settleMove } from "./forward.ts";
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
import { findTip, type IntegrationTarget, type Tip } from "./tip.ts";

export { publishSide } from "./side-branch.ts";
export { tipOf } from "./tip.ts";

export interface IntegrationRequest extends IntegrationTarget, Side {
  readonly run: string;
  readonly story: string;
  /** The slot that holds the story. */
  readonly path: string;
  readonly message: string;
  /** The tree's snapshot, if one was just taken: nothing may have worked there since. */
  readonly snapshot?: string;
  /** The checks, on the tree as it will be; null: green. */
  readonly check: (path: string) => Promise<string | null>;
}

export type Integration =
  | {
      readonly result: "integrated";
      readonly commit: string;
      /** The branch that has it now. */
      readonly on: string;
      readonly notes: readonly string[];
    }
  /** The story changed nothing, or nothing that is not there already: no commit. */
  | { readonly result: "unchanged"; readonly commit: string }
  | { readonly result: "conflict"; readonly onto: string; readonly files: readonly string[] }
  | { readonly result: "red"; readonly onto: string; readonly output: string };

const maxRounds = 10;

/** Everything but "integrated" leaves the tree exactly as it was. Repeatable: what is integrated is so once. */
export async function integrateStory(wish: IntegrationRequest): Promise<Integration> {
  const tree = assertSlot(wish.path, wish.run, wish.story);
  for (const name of [wish.base, wish.side]) await assertBranchName(wish.repo, name);
  const settled = await settleMove(wish.intentFile);
  const notes = settled === null ? [] : [settled];
  const tip = await findTip(wish, integratedRef(wish));
  const earlier = tip.mark;
  if (earlier !== null && (await isIn(wish.repo, earlier, tip.commit))) {
    forgetState(tree.gitDir);
    const isOnBase = tip.base !== null && (await isIn(wish.repo, earlier, tip.base));
    return { result: "integrated", commit: earlier, on: isOnBase ? wish.base : wish.side, notes };
  }
  if (tree.marker.story !== wish.story) {
    throw new AppError("REFUSED", `${wish.path} does not hold the work of story ${wish.story}`, {
      hint: "enter the story first",
    });
  }

  removeLocks(tree.gitDir);
  // An integration that was cut off has made another tree of it than the one in the snapshot.
  const taken = (await putBack(tree)) ? null : (wish.snapshot ?? null);
  const isUntouched = taken !== null && !taken.includes("+");
  const files = isUntouched ? [] : await unmergedIn(tree.path);
  const operation = operationIn(tree.gitDir);
  // Half of a rebase is not the story's work, and conflict markers are nobody's. A merge may be resolved and not committed.
  if (files.length > 0 || (operation !== null && operation !== "merge")) {
    return { result: "conflict", onto: tip.commit, files };
  }
  return integrate(wish, tree, tip, taken, notes);
}

async function integrate(
  wish: IntegrationRequest,
  tree: OwnedTree,
  found: Tip,
  taken: string | null,
  notes: readonly string[],
): Promise<Integration> {
  const merging = mergingIn(tree.gitDir);
  const [settings, snapshot] = await Promise.all([commitEnvironment(tree.path), rememberState(tree, taken)]);
  forgetOperations(tree.gitDir);
  const work = { snapshot, merging, message: wish.message };
  let tip = found;
  let isClean = !snapshot.includes("+");
  try {
    for (let round = 1; round <= maxRounds; round += 1) {
      const outcome = await tryOnTip(wish, tree, tip, work, settings, isClean);
      if (outcome.result === "integrated") forgetState(tree.gitDir);
      else if (outcome.result !== "moved_meanwhile") await putBack(tree);
      if (outcome.result === "integrated") return { ...outcome, notes: [...notes, ...outcome.notes] };
      if (outcome.result !== "moved_meanwhile") return outcome;
      // What the checks left could be in the way of what others have put on the base.
      await git(tree.path, ["clean", "-fdq"], { allowFailure: true });
      isClean = false;
      tip = await findTip(wish);
    }
  } catch (error) {
    await putBack(tree);
    throw error;
  }
  await putBack(tree);
  throw new AppError(
    "WORKSPACE_BUSY",
    `${wish.base} moved ${maxRounds} times while ${wish.story} was being integrated`,
    {
      hint: "try again when fewer commits are being made on it",
    },
  );
}

async function tryOnTip(
  wish: IntegrationRequest,
  tree: OwnedTree,
  tip: Tip,
  work: Parameters<typeof squashOnto>[1],
  settings: CommitEnvironment,
  isClean: boolean,
): Promise<Published> {
  const squash = await squashOnto(tree, work, tip.commit, settings);
  if (squash === null) return { result: "unchanged", commit: tip.commit };
  const isOnTip = squash.parent === tip.commit;
  // A clean tree has the files of the squashed commit already, and a rebase begins elsewhere.
  if (!isClean || isOnTip) await checkOutCommit(tree, squash.commit);
  const rebased = isOnTip ? squash : await rebaseOnto(tree, squash, tip.commit, settings);
  if ("conflicts" in rebased) return { result: "conflict", onto: tip.commit, files: rebased.conflicts };
  if (rebased.commit === tip.commit) return { result: "unchanged", commit: tip.commit };

  const output = await wish.check(tree.path);
  if (output !== null) return { result: "red", onto: tip.commit, output };
  return publish(wish, tip, rebased.commit);
}

type Published = Integration | { readonly result: "moved_meanwhile" };

/** On the base, or on the side branch while there is one or the base cannot be moved. */
async function publish(wish: IntegrationRequest, tip: Tip, commit: string): Promise<Published> {
  const { base } = wish;
  const isOnSide = tip.side === tip.commit && tip.side !== tip.base;
  if (isOnSide) return publishOnSide(wish, tip, commit, null);
  if (tip.base === null) return publishOnSide(wish, tip, commit, `there is no branch ${base}`);
  if (!tip.isAhead) return publishOnSide(wish, tip, commit, `${base} has lost the commit that the run started from`);
  const also = [{ ref: integratedRef(wish), to: commit }];
  const moved = await moveBranch({ ...wish, branch: base, from: tip.base, to: commit, also });
  if (moved.moved) return { result: "integrated", commit, on: base, notes: [] };
  if (moved.why === "moved_meanwhile") return { result: "moved_meanwhile" };
  return publishOnSide(wish, tip, commit, moved.why);
}

/** `why` not on the base; null if that has not been tried. */
async function publishOnSide(
  wish: IntegrationRequest,
  tip: Tip,
  commit: string,
  why: string | null,
): Promise<Published> {
  const { base, side, repo } = wish;
  const also = [{ ref: integratedRef(wish), to: commit }];
  if (tip.side === null) {
    const made = [`update ${integratedRef(wish)} ${commit}`, `create refs/heads/${side} ${commit}`];
    if (!(await changeRefs(repo, made))) return { result: "moved_meanwhile" };
  } else {
    const moved = await moveBranch({ ...wish, branch: side, from: tip.side, to: commit, also });
    if (!moved.moved && moved.why === "moved_meanwhile") return { result: "moved_meanwhile" };
    if (!moved.moved) throw sideIsHeld(side, moved.why);
  }
  const { published, note } = why === null ? await publishSide(wish) : { published: false, note: sideNote(wish, why) };
  return { result: "integrated", commit, on: published ? base : side, notes: note === null ? [] : [note] };
}

function integratedRef({ run, story }: Pick<IntegrationRequest, "run" | "story">): string {
  return `refs/pawl/integrated/${run}/${story}`;
}

async function isIn(repo: string, commit: string, other: string): Promise<boolean> {
  return (
    commit === other ||
    (await git(repo, ["merge-base", "--is-ancestor", commit, other], { allowFailure: true })).code === 0
  );
}

function sideIsHeld(side: string, why: string): AppError {
  return new AppError("REFUSED", `${side} has to be moved and cannot be: ${why}`, {
    hint: `commit what is there or check out another branch, then try again; ${side} belongs to this run`,
  });
}
