// Reserves a run for a driver of this process, before the run moves: a service that watches the same store then leaves it alone. The
// first driver of this process takes the reservation over.

import type { DriverLease } from "../dispatch/dispatch.ts";
import type { RunId } from "../domain/ids.ts";
import { deadlineIn } from "../system/clock.ts";
import type { Parts } from "./parts.ts";
import { lifeOfWorker, ownWorker } from "./worker.ts";

/** How long a process may take from the reservation to its driver. */
const reservedMs = 30_000;

export function reservation(clock: Parts["clock"], run: RunId): DriverLease {
  return { run, worker: ownWorker(), until: deadlineIn(clock, reservedMs) };
}

/** Changes nothing where another process drives the run. */
export async function reserve({ dispatch, clock }: Pick<Parts, "dispatch" | "clock">, run: RunId): Promise<void> {
  await dispatch.drive(reservation(clock, run), ({ worker }) => lifeOfWorker(worker) === "dead");
}

/** For one that no driver has taken over. */
export async function unreserve({ dispatch }: Pick<Parts, "dispatch">, run: RunId): Promise<void> {
  await dispatch.leave(run, ownWorker());
}
