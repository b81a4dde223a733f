// Integration. Owns: putting the work of a story on the base as one commit, checked there, exactly once. Nothing is pushed or fetched.

import { join } from "node:path";
import { AppError } from "../../domain/error.ts";
import { assertBranchName } from "../branches/branch-name.ts";
import { git } from "../git/git.ts";
import { indexFlags } from "../git/index-file.ts";
import { changeRefs, type RefChange } from "../git/refs.ts";
import { operationIn } from "../git/repository.ts";
import { headRefOf, refsOfStory } from "../slots/story-refs.ts";
import type { IsByProduct } from "../trees/by-products.ts";
import type { Change } from "../trees/changes.ts";
import { assertSlot, type OwnedTree } from "../trees/ownership.ts";
import { forgetOperations, forgetState, removeLocks } from "../trees/restore.ts";
import { parseSnapshot, takeSnapshot } from "../trees/snapshot.ts";
import { isIn } from "./ancestry.ts";
import { moveBranch, settleMove } from "./forward.ts";
import { mergeInMemory } from "./merge-in-memory.ts";
import { putBack, rememberState } from "./remembered-state.ts";
import { withState } from "./settling.ts";
import { publishSide, type Side, sideNote } from "./side-branch.ts";
import {
  type CommitEnvironment,
  checkOutCommit,
  commitEnvironment,
  mergingIn,
  type Rebased,
  rebaseOnto,
  squashOnto,
  unmergedIn,
} from "./squash.ts";
import { type StoryWork, withoutKept } from "./story-files.ts";
import { findTip, integratedRefs, publishedRef, type Tip, takenOutNote } from "./tip.ts";

export { publishSide } from "./side-branch.ts";
export { takenOutNote, tipOf } from "./tip.ts";

export interface IntegrationRequest extends Side {
  readonly story: string;
  /** The slot that holds the story. */
  readonly path: string;
  readonly message: string;
  /** The snapshot of the tree, if one was just taken and nothing has changed since. */
  readonly snapshot?: string;
  /** New files that the story did not stage and that are not its work. */
  readonly isByProduct: IsByProduct;
  /** Files that are never committed, even if an agent has committed them; null, or absent: there are none. */
  readonly isKeptOut?: ((path: string) => boolean) | null;
  /** Runs the checks on the tree as it will be, and returns null if they are green. Null if there are none. */
  readonly check: ((path: string) => Promise<string | null>) | null;
  /** Asked last, before anything is published: false if the story was cancelled meanwhile. */
  readonly isWanted: () => Promise<boolean>;
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
  | { readonly result: "red"; readonly onto: string; readonly output: string }
  /** It was cancelled before anything was published. */
  | { readonly result: "cancelled" };

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
  const files = isUntouched || isMerged(tree) ? [] : await unmergedIn(tree.path);
  const operation = operationIn(tree.gitDir);
  // Half of a rebase and conflict markers are not the work of the story. A merge may be resolved and not committed.
  if (files.length > 0 || (operation !== null && operation !== "merge")) {
    return { result: "conflict", onto: tip.commit, files };
  }
  return integrate(request, tree, tip, taken, notes);
}

/** False also where only git can say it. */
function isMerged({ gitDir, marker }: OwnedTree): boolean {
  return indexFlags(join(gitDir, "index"), marker.base.length)?.isUnmerged === false;
}

async function integrate(
  request: IntegrationRequest,
  tree: OwnedTree,
  found: Tip,
  taken: string | null,
  notes: readonly string[],
): Promise<Integration> {
  const merging = mergingIn(tree.gitDir);
  const snapshot = taken ?? (await takeSnapshot(tree.path));
  const settings = await commitEnvironment(tree.path);
  const { message, isByProduct, isKeptOut = null, floor } = request;
  const start = tree.marker.start ?? floor;
  const all = { snapshot, merging, message, start, known: [floor, start], isByProduct };
  const work = isKeptOut === null ? all : await withoutKept(tree.path, all, isKeptOut);
  const scene = new Scene(tree, work, settings);
  let tip = found;
  try {
    for (let round = 1; round <= maxRounds; round += 1) {
      const outcome = await tryOnTip(request, scene, tip);
      if (outcome.result === "integrated") forgetState(tree.gitDir);
      else if (outcome.result !== "moved_meanwhile") await putBack(tree);
      if (outcome.result === "integrated") return { ...outcome, notes: [...notes, ...outcome.notes] };
      if (outcome.result !== "moved_meanwhile") return outcome;
      await scene.sweep();
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

/** The tree and the work in it. The tree is touched as late as possible, and not before its state is recorded. */
class Scene {
  readonly tree: OwnedTree;
  readonly work: StoryWork;
  readonly settings: CommitEnvironment;
  #isTouched = false;
  #isSwept = false;

  constructor(tree: OwnedTree, work: StoryWork, settings: CommitEnvironment) {
    this.tree = tree;
    this.work = work;
    this.settings = settings;
  }

  /** The files of the tree are those of the story's last commit. */
  get isClean(): boolean {
    return !this.#isSwept && !this.work.snapshot.includes("+");
  }

  touch(): void {
    if (this.#isTouched) return;
    rememberState(this.tree, this.work.snapshot);
    forgetOperations(this.tree.gitDir);
    this.#isTouched = true;
  }

  /** Files that the checks left could conflict with what others have put on the base. */
  async sweep(): Promise<void> {
    if (!this.#isTouched) return;
    await git(this.tree.path, ["clean", "-fdq"], { allowFailure: true });
    this.#isSwept = true;
  }
}

async function tryOnTip(request: IntegrationRequest, scene: Scene, tip: Tip): Promise<Published> {
  const { tree, settings } = scene;
  const work = { ...scene.work, known: [...scene.work.known, tip.published] };
  const merged =
    (await mergeInMemory(tree, work, tip.commit, settings)) ?? (await mergeInTree(scene, work, tip.commit));
  if ("unchanged" in merged) return { result: "unchanged", commit: tip.commit };
  if ("conflicts" in merged) return { result: "conflict", onto: tip.commit, files: merged.conflicts };
  const { commit } = merged;
  if (request.check !== null) {
    scene.touch();
    if ("changes" in merged) await checkOutCommit(tree, commit);
    const output = await request.check(tree.path);
    if (output !== null) return { result: "red", onto: tip.commit, output };
  }
  if (!(await request.isWanted())) return { result: "cancelled" };
  const published = await publish(request, tree, tip, merged, parseSnapshot(work.snapshot).content);
  return published.result === "integrated" && merged.leftOut.length > 0
    ? { ...published, notes: [...published.notes, leftOutNote(merged.leftOut)] }
    : published;
}

const namesShown = 5;

function leftOutNote(names: readonly string[]): string {
  const rest = names.length > namesShown ? ` and ${names.length - namesShown} more` : "";
  return `what tools left behind is not in the commit: ${names.slice(0, namesShown).join(", ")}${rest}`;
}

/** Afterwards the tree is at the commit. */
async function mergeInTree(
  scene: Scene,
  work: StoryWork,
  tip: string,
): Promise<Rebased | { readonly unchanged: true }> {
  const { tree, settings } = scene;
  scene.touch();
  const squash = await squashOnto(tree, work, tip, settings);
  if (squash === null) return { unchanged: true };
  const isOnTip = squash.parent === tip;
  // A clean tree has the files of the squashed commit already; a rebase starts from another commit.
  if (!scene.isClean || isOnTip) await checkOutCommit(tree, squash.commit);
  const rebased = isOnTip ? squash : await rebaseOnto(tree, squash, tip, settings);
  return "commit" in rebased && rebased.commit === tip ? { unchanged: true } : rebased;
}

type Published = Integration | { readonly result: "moved_meanwhile" };

/** Moves the base, or the side branch while there is one or the base cannot be moved. */
async function publish(
  request: IntegrationRequest,
  tree: OwnedTree,
  tip: Tip,
  { commit, changes }: { readonly commit: string; readonly changes?: readonly Change[] },
  content: string | null,
): Promise<Published> {
  const { base } = request;
  const isOnSide = tip.side === tip.commit && tip.side !== tip.base;
  if (isOnSide) return publishOnSide(request, tip, commit, null);
  if (tip.base === null || tip.obstacle !== null) return publishOnSide(request, tip, commit, tip.obstacle);
  const also = [integratedRef(request), publishedRef(request.run)].map((ref) => ({ ref, to: commit }));
  const isKnown = changes !== undefined && tip.base === tip.commit;
  const context = { then: await refsThatEnd(request, tree, commit, content), ...(isKnown ? { changes } : {}) };
  const moved = await moveBranch({ ...request, branch: base, from: tip.base, to: commit, also }, context);
  if (moved.moved) return { result: "integrated", commit, on: base, notes: [] };
  const { why } = moved;
  if (why === "moved_meanwhile") return { result: "moved_meanwhile" };
  return publishOnSide(request, tip, commit, why).catch((error: unknown) => {
    throw withState(error, why);
  });
}

/**
 * With the commit on the base, the branch of the story ends, and HEAD of its tree is at the commit. The snapshot that this attempt
 * began with stays until the next story: after a crash right here, the tree is put back to it.
 */
async function refsThatEnd(
  { repo }: IntegrationRequest,
  tree: OwnedTree,
  commit: string,
  content: string | null,
): Promise<readonly RefChange[]> {
  const ending = (await refsOfStory(repo, tree)).filter(([, at]) => at !== content);
  return [
    "option no-deref",
    `update ${headRefOf(tree)} ${commit}`,
    ...ending.map(([ref, at]) => `delete ${ref} ${at}`),
  ];
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
