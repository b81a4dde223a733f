// Hands a tree over: after each attempt, its state is put where other machines find it. Where nobody else performs attempts, nothing is
// handed over.

import type { Attempt } from "../../domain/attempt.ts";
import type { Definition } from "../../domain/definition.ts";
import type { Report } from "../../domain/report.ts";
import type { Run } from "../../domain/run.ts";
import type { HandOver, TreeOf } from "../../store/store.ts";
import { handedRefsOf, refsOfSnapshot } from "../../workspaces/clones/clone.ts";
import { changeRefs } from "../../workspaces/git/refs.ts";
import { readWhereabouts } from "../../workspaces/slots/parking.ts";
import { occupantOf } from "../../workspaces/slots/slot.ts";
import { handedRefs } from "../../workspaces/slots/story-refs.ts";
import { ownedTree } from "../../workspaces/trees/ownership.ts";
import { takeSnapshot } from "../../workspaces/trees/snapshot.ts";
import type { Parts } from "../parts.ts";
import { recordLeft } from "./arrival.ts";
import { whenThereIsSpace } from "./full-disk.ts";
import { inHealthyTree } from "./healing.ts";
import { commitLeftBy, commitsBetweenSteps } from "./left-work.ts";
import { hasOwnTree } from "./part-trees.ts";
import { parkingFile } from "./places.ts";

export interface LeftTree {
  readonly path: string;
  /** null: the tree is not Pawl's. */
  readonly base: string | null;
}

export type HandOverPorts = Pick<Parts, "home" | "machines" | "site" | "clock" | "log" | "warn">;

/** null: there is nothing to hand over. What it returns is recorded in the commit that ends the attempt. */
export async function handOver(
  parts: HandOverPorts,
  run: Run,
  attempt: Attempt,
  { path, base }: LeftTree,
  report: Report,
  isStopped: () => boolean,
): Promise<HandOver | null> {
  const { machines, site } = parts;
  const { story } = attempt;
  const tree: TreeOf = { run: run.header.id, story };
  if (machines === null || base === null || hasOwnTree(run, attempt)) return null;
  if (site === null && !(await hasOthers(machines, run, tree))) return null;
  // A story that was integrated has left its slot.
  if (story === null ? ownedTree(path) === null : occupantOf(path) !== story) return null;
  const act = () => snapshotAfter(parts, run, attempt, { path, base }, report);
  const waits = `the work of ${attempt.story ?? "the run"} waits to be handed over`;
  const spaced = async <T>(work: () => Promise<T>) => await whenThereIsSpace(parts, waits, isStopped, work);
  const snapshot = await spaced(() => inHealthyTree(parts, run, { path, act }));
  const folder = handedRefsOf(tree.run, story);
  const refs = refsOfSnapshot(folder, snapshot);
  if (site === null)
    await spaced(async () => {
      await changeRefs(
        path,
        refs.map(([ref, commit]) => `update ${ref} ${commit}`),
      );
    });
  else await site.push(run, refs, isStopped);
  await spaced(async () => recordLeft(parts, { ...tree, attempt: attempt.id, snapshot }));
  const start = story === null ? null : (readWhereabouts(parkingFile(parts, tree.run, story))?.start ?? null);
  return { ...tree, attempt: attempt.id, machine: machines.own, snapshot, start };
}

/** The commit that a run starts from may be on no branch that a clone gets. */
export async function keepBase({ machines }: Pick<Parts, "machines">, { header }: Run): Promise<void> {
  const { kind, repo, base } = header.place;
  if (machines === null || machines.isGuest || kind !== "worktree" || repo === null || base === null) return;
  if (header.end !== null) return;
  await changeRefs(repo, [`update ${handedRefs(header.id)}/base ${base}`]);
}

async function hasOthers(machines: NonNullable<Parts["machines"]>, run: Run, tree: TreeOf): Promise<boolean> {
  // A step that asks for a kind of machine may need one that has not joined yet.
  if (asksForLabels(run.header.definition)) return true;
  return (await machines.live()).some(({ isHost }) => !isHost) || (await machines.lastHandOver(null, tree)) !== null;
}

function asksForLabels({ steps }: Definition): boolean {
  const all = steps.flatMap((step) => (step.kind === "stories" ? step.body : [step]));
  return all.some((step) => "labels" in step && step.labels !== undefined);
}

/** What an attempt has left that was stopped is discarded before the next one begins, here and elsewhere. */
async function snapshotAfter(
  parts: Pick<Parts, "log">,
  run: Run,
  attempt: Attempt,
  { path, base }: { readonly path: string; readonly base: string },
  report: Report,
): Promise<string> {
  if (report.outcome === "cancelled" || report.outcome === "lost") return base;
  const hasPassed = report.outcome === "completed" && report.verdict.kind !== "rejected";
  if (attempt.story === null && hasPassed && commitsBetweenSteps(run.header))
    await commitLeftBy(parts, run, path, attempt);
  return await takeSnapshot(path);
}
