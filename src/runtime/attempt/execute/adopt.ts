// Adopts an execution that ended after its driver had died: takes over the lease, and reports the saved end.

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
  { end, reported }: SavedEnd,
  by: { readonly worker: string; readonly until: Deadline },
): Promise<RunningAttempt | null> {
  if (!(await parts.dispatch.takeOver(lease, by.worker, by.until))) return null;
  const begun = await findBegun(parts, lease.attempt);
  return begun === null ? null : RunningAttempt.adopt(parts, begun, { kind: "executed", end, reported });
}
