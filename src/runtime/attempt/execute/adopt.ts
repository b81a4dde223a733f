// Adopts an attempt whose driver has died: takes over the lease, and reports the saved end, or waits on for another program.

import type { Lease } from "../../../dispatch/dispatch.ts";
import type { Deadline } from "../../../system/clock.ts";
import type { Parts } from "../../parts.ts";
import { type AttemptPorts, RunningAttempt } from "../attempt.ts";
import { findBegun } from "../begin/begin.ts";
import type { SavedEnd } from "../records.ts";

/** null: another driver was faster, or the attempt is gone. */
export async function adoptAttempt(
  parts: AttemptPorts & Pick<Parts, "dispatch">,
  lease: Lease,
  saved: SavedEnd | null,
  by: { readonly worker: string; readonly until: Deadline },
): Promise<RunningAttempt | null> {
  if (!(await parts.dispatch.takeOver(lease, by.worker, by.until))) return null;
  const begun = await findBegun(parts, lease.attempt);
  if (begun === null) return null;
  return saved === null
    ? RunningAttempt.rejoin(parts, begun)
    : RunningAttempt.adopt(parts, begun, { kind: "executed", ...saved, isAdopted: true });
}
