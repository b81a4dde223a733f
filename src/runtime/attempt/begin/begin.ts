// Begins an attempt: the store records its tree, and from here on the attempt may change things. A process that concludes an
// attempt of another one finds it again here.

import type { AttemptId } from "../../../domain/ids.ts";
import { type Deadline, deadlineIn } from "../../../system/clock.ts";
import { treeOf } from "../../../workspaces/trees/snapshot.ts";
import type { Parts } from "../../parts.ts";
import { type TransitionPorts, transition } from "../../transition/transition.ts";
import { treeOfAttempt } from "../../trees/part-trees.ts";
import { treeEnvironment } from "../../trees/provisioning.ts";
import { authorOf, type Claim, claimOf, timeFor } from "../claim/claim.ts";
import { logStep } from "../logs.ts";
import { commandVariables } from "../prepare/command-variables.ts";
import type { Input } from "../prepare/input.ts";
import type { Workspace } from "../prepare/workspace.ts";
import { readBeginRecord, recordBegin } from "../records.ts";
import { type RefPlaces, refsBefore } from "./ref-places.ts";

/** What the phases after `execute` need, in this process or in another one. */
export interface BegunAttempt {
  readonly claim: Claim;
  readonly workspace: Workspace;
  /** Keys that its prompt names and that have no value. */
  readonly missingKeys: readonly string[];
  /** Where branches were, and tags for an agent that may only read. */
  readonly refs: RefPlaces | null;
  /** Another program does the work, and has this long; null: Pawl starts one. */
  readonly waitsUntil: Deadline | null;
  /** The files of a tree that is not ours, where its step says what it writes. */
  readonly treeBefore: string | null;
}

interface Prepared {
  readonly workspace: Workspace;
  readonly input: Pick<Input, "missing">;
}

export type BeginPorts = TransitionPorts &
  Pick<Parts, "home" | "clock" | "log" | "protocols" | "executors" | "projections">;

/** null: the attempt was told to stop, or was ended, since it was claimed. */
export async function begin(
  parts: BeginPorts,
  claim: Claim,
  { workspace, input }: Prepared,
): Promise<BegunAttempt | null> {
  const { run, attempt } = claim;
  const begun = {
    claim,
    workspace,
    missingKeys: input.missing,
    refs: await refsBefore(claim, workspace),
    waitsUntil: waitsUntil(parts, claim),
    treeBefore: await treeBefore(claim, workspace),
  };
  recordBegin(parts, begun);
  const decision = await transition(parts, run.header.id, {
    type: "begin_attempt",
    at: parts.clock.now(),
    author: authorOf(claim),
    story: attempt.story,
    attempt: attempt.id,
    workspace: workspace.path,
    base: workspace.base,
  });
  if (!decision.accepted) return null;
  // An executor that reads the files, ours or another one, finds there that it has begun.
  await parts.projections.of(run.header)?.settle();
  logStep(parts, claim, "step_started");
  return begun;
}

async function treeBefore({ run, definition }: Claim, { path, base }: Workspace): Promise<string | null> {
  const isTheirs = base === null && run.header.place.kind === "in_place";
  return isTheirs && definition.writes !== undefined ? await treeOf(path) : null;
}

/** Known before the attempt begins, so that a driver that adopts it gives it no more time. */
function waitsUntil({ executors, clock }: Pick<Parts, "executors" | "clock">, claim: Claim): Deadline | null {
  const usual = claim.definition.kind === "agent" ? executors.awaitMs(claim.attempt.executor) : null;
  return usual === null ? null : deadlineIn(clock, timeFor(claim, clock.now()) ?? usual);
}

/** An attempt that another process began, from the store, its slot and its begin record; null: there is no such attempt. */
export async function findBegun(
  parts: Pick<Parts, "store" | "home" | "settings" | "protocols">,
  id: AttemptId,
): Promise<BegunAttempt | null> {
  const found = await parts.store.attempt(id);
  if (!found) return null;
  const { story, state } = found.attempt;
  // Only its own story: all stories of a long run have thousands of attempts.
  const loaded = await parts.store.transaction((tx) => tx.load(found.run, () => (story === null ? [] : [story])));
  if (!loaded) return null;
  const { missingKeys, refs, waitsUntil, treeBefore, ...facts } = readBeginRecord(parts, found.run, found.attempt);
  const claim = claimOf(loaded.run, loaded.number, { story }, id, facts);
  if (!claim) return null;
  const { workspace = null, base = null } = state.phase === "dispatched" ? {} : state;
  const path = workspace ?? treeOfAttempt(parts, loaded.run, found.attempt);
  const env = { ...treeEnvironment(parts, loaded.run, { story, path }), ...(await commandVariables(parts, claim)) };
  return { claim, missingKeys, refs, waitsUntil, treeBefore, workspace: { path, base, env } };
}
