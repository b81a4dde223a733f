// Chores. Owns: what follows a use case, in one place for all of them. After one that committed something, attempts of dead drivers
// are recovered, effects are performed, the files of protocols are written, messages are delivered. After any other, what an ended
// run left to do is done: no driver will come for it. After each, a checkout that a dead process was moving is freed.

import type { RunId } from "../domain/ids.ts";
import { deliverDue } from "../runtime/effects/deliveries.ts";
import { noAttempts, performEffects, releaseEffects } from "../runtime/effects/effects.ts";
import { inWords, recover } from "../runtime/loop/recover.ts";
import type { Parts } from "../runtime/parts.ts";
import { endLeftMoves } from "../runtime/trees/left-moves.ts";
import { driversOf } from "../runtime/worker.ts";

/** How long receivers of messages get; the rest waits for the next process. */
const deliveriesMs = 2_000;
const readDeliveriesMs = 500;

/** `changed` grows while chores commit something themselves. */
export async function doChores(parts: Parts, changed: ReadonlySet<RunId>): Promise<void> {
  for (const recovered of await recover(parts)) {
    // The next driver finds nothing to say any more.
    const number = (await parts.store.runById(recovered.lease.run))?.number;
    parts.warn(`run #${number}: ${inWords(recovered)}`);
  }
  await endLeftMoves(parts);
  await releaseEffects(parts);
  await performEffects(parts, noAttempts);
  for (const run of changed) await parts.projections.show(run);
  await deliverDue(parts, deliveriesMs);
}

/** After a use case that only reads. A driver that lives does its own work, and a command that looks does not wait for receivers. */
export async function finishEndedRuns(parts: Parts): Promise<void> {
  const { store, clock } = parts;
  await endLeftMoves(parts);
  const released = await releaseEffects(parts);
  if (!released && !(await store.hasDueEffects(clock.now()))) return;
  const driven = await driversOf(parts);
  const isLeft = async (run: RunId) => !driven.has(run) && ((await store.runById(run))?.endedAt ?? null) !== null;
  await performEffects(parts, noAttempts, new Set(), isLeft);
  await deliverDue(parts, readDeliveriesMs, isLeft);
}
