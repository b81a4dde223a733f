// Transitions. Owns: one command, one transaction: load, decide, save, dispatch. A second writer decides again.

import type { Command, StartRun } from "../../domain/command.ts";
import type { Decision } from "../../domain/decision.ts";
import type { RunId } from "../../domain/ids.ts";
import { decide, startRun, storiesFor } from "../../engine/decide.ts";
import type { Transaction } from "../../store/store.ts";
import type { Parts } from "../parts.ts";
import type { Alongside } from "../run-request.ts";
import { assertFreePlace } from "./place-owner.ts";
import { redactedCommand } from "./redacted.ts";
import { unknownRun } from "./unknown-run.ts";

/** What a transition needs. */
export type TransitionPorts = Pick<Parts, "store" | "dispatch" | "secrets" | "commits">;

/** Applies a command to a run and commits what follows from it. */
export async function transition(parts: TransitionPorts, run: RunId, command: Command): Promise<Decision> {
  const decision = await parts.store.transaction((tx) => applyIn(parts, tx, run, command));
  parts.commits.tell({ run, events: decision.events });
  return decision;
}

export async function applyIn(
  parts: Pick<Parts, "dispatch" | "secrets">,
  tx: Transaction,
  run: RunId,
  command: Command,
): Promise<Decision> {
  const loaded = await tx.load(run, (header) => storiesFor(header, command));
  if (!loaded) throw unknownRun(run);
  const decision = decide(loaded.run, redactedCommand(parts.secrets, command));
  const changes = await tx.save(loaded, decision);
  await parts.dispatch.follow(tx, changes);
  return decision;
}

/** `describe` gets the run's number, from which its branch is named. `alongside`: what is recorded with it. Throws `PlaceTaken` if another run has its place. */
export async function createRun(
  parts: Pick<Parts, "store" | "dispatch" | "commits">,
  describe: (number: number) => StartRun,
  alongside?: Alongside,
): Promise<{ readonly run: RunId; readonly number: number }> {
  const created = await parts.store.transaction(async (tx) => {
    const number = await tx.nextRunNumber();
    const command = describe(number);
    await assertFreePlace(tx, command.place);
    const decision = startRun(command);
    await parts.dispatch.follow(tx, await tx.create(number, decision));
    await alongside?.(tx, { id: command.run, number });
    return { run: command.run, number, events: decision.events };
  });
  parts.commits.tell({ run: created.run, events: created.events });
  return created;
}
