// Placement: which machine takes which step. A step may ask for labels; a tree stays on the guest that has it, as long as that one lives; and a
// guest takes only what can be performed without the repository.

import type { Offer } from "../../dispatch/dispatch.ts";
import { hasStoryTrees, type PerformedWork } from "../../domain/definition.ts";
import { type Run, scopeOf } from "../../domain/run.ts";
import type { Machine, Machines, Transaction } from "../../store/store.ts";
import type { MayTake } from "../attempt/claim/claim.ts";
import type { Parts } from "../parts.ts";

type PlacementPorts = Pick<Parts, "machines" | "labels">;

/** For a process that claims. `takes`: what else a guest looks at. */
export function placementOf(parts: PlacementPorts, takes: (run: Run) => boolean = () => true): MayTake {
  return async (tx, run, offer, work) => {
    if (!hasLabels(parts.labels, work)) return false;
    const { machines } = parts;
    if (machines === null) return true;
    if (machines.isGuest && !(canTravel(run, offer, work) && takes(run))) return false;
    return await isFree(machines, tx, run, offer, work);
  };
}

function hasLabels(own: readonly string[], work: PerformedWork): boolean {
  return labelsOf(work).every((label) => own.includes(label));
}

/** Only programs need a machine of a kind. */
export function labelsOf(work: PerformedWork): readonly string[] {
  return work.kind === "agent" || work.kind === "command" ? (work.labels ?? []) : [];
}

/** The runtime's own work is about the repository; steps beside stories are on the branch that stories are put on; parts are joined here. */
function canTravel({ header }: Run, { story, part }: Offer, { kind }: PerformedWork): boolean {
  if ((kind !== "agent" && kind !== "command") || part !== null) return false;
  if (header.place.kind !== "worktree" || header.place.repo === null) return false;
  return story === null ? !hasStoryTrees(header.definition) : hasStoryTrees(header.definition);
}

async function isFree(
  machines: Machines,
  tx: Transaction,
  run: Run,
  { story }: Offer,
  work: PerformedWork,
): Promise<boolean> {
  if (work.kind !== "agent" && work.kind !== "command") return true;
  if (scopeOf(run, story)?.attempts.length === 0) return true;
  const last = await machines.lastHandOver(tx, { run: run.header.id, story });
  if (last === null || last.machine === machines.own) return true;
  const holder = (await machines.live()).find(({ id }) => id === last.machine);
  return holder === undefined || holder.isHost || !canPerform(holder, work);
}

function canPerform({ labels }: Machine, work: PerformedWork): boolean {
  return hasLabels(labels, work);
}
