// Placement: which machine takes which step. A step may ask for labels; a tree stays on the guest that has it, as long as that one lives; and a
// guest takes only what can be performed without the repository.

import type { Offer } from "../../dispatch/dispatch.ts";
import { hasStoryTrees, type PerformedWork } from "../../domain/definition.ts";
import type { StepId, StoryId } from "../../domain/ids.ts";
import { type Run, scopeOf } from "../../domain/run.ts";
import type { Machine, Machines, Transaction } from "../../store/store.ts";
import type { MayTake } from "../attempt/claim/claim.ts";
import type { Parts } from "../parts.ts";

type PlacementPorts = Pick<Parts, "machines" | "labels" | "clock">;

/** A step that was ready for so long may move to another machine: the one that has its tree may lack what it needs, or be busy. */
const patienceMs = 60_000;

/** For a process that claims. `takes`: what else a guest looks at. */
export function placementOf(parts: PlacementPorts, takes: (run: Run) => boolean = () => true): MayTake {
  return async (tx, run, offer, work) => {
    if (!hasLabels(parts.labels, work)) return false;
    const { machines } = parts;
    if (machines === null) return true;
    if (machines.isGuest && !(canTravel(run, offer, work) && takes(run))) return false;
    return (await isFree(machines, tx, run, offer, work)) || hasWaited(parts, run, offer);
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
function canTravel(run: Run, { story, part }: Offer, { kind }: PerformedWork): boolean {
  const { header } = run;
  if ((kind !== "agent" && kind !== "command") || part !== null) return false;
  if (header.place.kind !== "worktree" || header.place.repo === null) return false;
  if (story === null) return !hasStoryTrees(header.definition);
  return hasStoryTrees(header.definition) && !hasEarlierWork(run, story);
}

/** What an earlier run did is on a branch of the repository, and nobody has handed it over. */
function hasEarlierWork(run: Run, story: StoryId): boolean {
  const scope = run.stories[story];
  const isDone = (id: StepId) => scope?.attempts.some((attempt) => attempt.step === id) !== true;
  return scope?.chain.some(({ id, state }) => state.status === "done" && isDone(id)) === true;
}

function hasWaited({ machines, clock }: PlacementPorts, run: Run, { story, step }: Offer): boolean {
  const state = scopeOf(run, story)?.chain.find(({ id }) => id === step)?.state;
  return machines?.isGuest === false && state?.status === "ready" && clock.now() - state.notBefore > patienceMs;
}

async function isFree(
  machines: Machines,
  tx: Transaction,
  run: Run,
  { story }: Offer,
  work: PerformedWork,
): Promise<boolean> {
  if (work.kind !== "agent" && work.kind !== "command") return true;
  const attempts = scopeOf(run, story)?.attempts ?? [];
  if (attempts.length === 0) return true;
  const last = await machines.lastHandOver(tx, { run: run.header.id, story });
  if (last === null) {
    if (!machines.isGuest) return true;
    // What the host has begun it hands over after its next attempt. A guest that was lost has handed over nothing: it begins anew.
    const guests = await machines.guests(tx);
    return attempts.every(({ host }) => guests.includes(host));
  }
  if (last.machine === machines.own) return true;
  const holder = (await machines.live(tx)).find(({ id }) => id === last.machine);
  return holder === undefined || holder.isHost || !canPerform(holder, work);
}

function canPerform({ workers }: Machine, work: PerformedWork): boolean {
  return workers.some((labels) => hasLabels(labels, work));
}
