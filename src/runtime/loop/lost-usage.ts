// What an attempt had used when its driver died, from what its agent had printed until then.

import type { Lease } from "../../dispatch/dispatch.ts";
import { type Attempt, noUsage, type Usage } from "../../domain/attempt.ts";
import { claimOf } from "../attempt/claim/claim.ts";
import { sessionFor } from "../attempt/execute/call.ts";
import { logFile } from "../attempt/logs.ts";
import type { Parts } from "../parts.ts";

export interface LostUsage {
  readonly usage: Usage;
  readonly model: string | null;
}

const unknownUsage: LostUsage = { usage: noUsage, model: null };

/** Nothing where the agent had reported nothing. */
export async function lostUsage(
  { store, home, protocols, executors }: Pick<Parts, "store" | "home" | "protocols" | "executors">,
  { run, story }: Lease,
  { id, state, executor }: Attempt,
): Promise<LostUsage> {
  if (state.phase === "dispatched") return unknownUsage;
  const loaded = await store.transaction((tx) => tx.load(run, () => (story === null ? [] : [story])));
  const claim = loaded && claimOf(loaded.run, loaded.number, { story }, id, { hold: null, insteadOf: null });
  if (!claim) return unknownUsage;
  const file = logFile({ home, protocols }, claim.run.header, claim.attempt);
  const read = await executors.usedIn?.(executor, file, sessionFor(claim).resume);
  return read ? { model: read.model, usage: executors.priced(executor, read) } : unknownUsage;
}
