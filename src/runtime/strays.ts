// Agents that nobody performs any more: their worker died first.

import { attemptId } from "../domain/ids.ts";
import { attemptMarker } from "../executors/executor.ts";
import { findMarked, killStrays } from "../system/process/strays.ts";
import type { Parts } from "./parts.ts";

/** Kills processes of ended attempts that were left because their driver died first. Looks at every process of the machine. */
export async function sweepStrays(parts: Pick<Parts, "store">): Promise<number> {
  let killed = 0;
  const marked = new Set((await findMarked(attemptMarker)).map(({ value }) => value));
  for (const value of marked) {
    // An id that this store does not know belongs to another store.
    const known = await parts.store.attempt(attemptId(value));
    if (known?.attempt.state.phase !== "ended") continue;
    killed += (await killStrays({ marker: { name: attemptMarker, value } })).killed;
  }
  return killed;
}
