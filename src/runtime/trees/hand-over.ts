// Hands a tree over: after each attempt, its state is put where other machines find it. Where nobody else performs attempts, nothing is
// handed over.

import type { Attempt } from "../../domain/attempt.ts";
import type { Report } from "../../domain/report.ts";
import type { Run } from "../../domain/run.ts";
import type { HandOver, TreeOf } from "../../store/store.ts";
import { handedRefsOf, refsOfSnapshot } from "../../workspaces/clones/clone.ts";
import { changeRefs } from "../../workspaces/git/refs.ts";
import { readWhereabouts } from "../../workspaces/slots/parking.ts";
import { occupantOf } from "../../workspaces/slots/slot.ts";
import { ownedTree } from "../../workspaces/trees/ownership.ts";
import { takeSnapshot } from "../../workspaces/trees/snapshot.ts";
import type { Parts } from "../parts.ts";
import { inHealthyTree } from "./healing.ts";
import { commitLeftBy, commitsBetweenSteps } from "./left-work.ts";
import { hasOwnTree } from "./part-trees.ts";
import { parkingFile } from "./places.ts";

export interface LeftTree {
  readonly path: string;
  /** null: the tree is not Pawl's. */
  readonly base: string | null;
}

export type HandOverPorts = Pick<Parts, "home" | "machines" | "site" | "log">;

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
  if (site === null && !(await hasOthers(machines, tree))) return null;
  // A story that was integrated has left its slot.
  if (story === null ? ownedTree(path) === null : occupantOf(path) !== story) return null;
  const snapshot = await inHealthyTree(parts, run, {
    path,
    act: () => snapshotAfter(parts, run, attempt, { path, base }, report),
  });
  const folder = handedRefsOf(tree.run, story);
  const refs = refsOfSnapshot(folder, snapshot);
  if (site === null)
    await changeRefs(
      path,
      refs.map(([ref, commit]) => `update ${ref} ${commit}`),
    );
  else await site.push(run, refs, isStopped);
  const start = story === null ? null : (readWhereabouts(parkingFile(parts, tree.run, story))?.start ?? null);
  return { ...tree, attempt: attempt.id, machine: machines.own, snapshot, start };
}

async function hasOthers(machines: NonNullable<Parts["machines"]>, tree: TreeOf): Promise<boolean> {
  return (await machines.live()).some(({ isHost }) => !isHost) || (await machines.lastHandOver(null, tree)) !== null;
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
