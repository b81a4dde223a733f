// How many runs have each status, with a zero for those that none has.

import type { RunStatus } from "../../domain/run.ts";

export function statusCounts(found: ReadonlyMap<RunStatus, number>): Record<RunStatus, number> {
  const of = (status: RunStatus) => found.get(status) ?? 0;
  return {
    running: of("running"),
    held: of("held"),
    paused: of("paused"),
    done: of("done"),
    failed: of("failed"),
    cancelled: of("cancelled"),
  };
}
