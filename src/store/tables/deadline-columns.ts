// The columns of a deadline, in the tables that have one.

import type { Deadline } from "../../system/clock.ts";
import type { DeadlineColumns } from "../schema.ts";

export function deadlineColumns({ at, steady }: Deadline): DeadlineColumns {
  return { until: at, boot: steady?.boot ?? null, steady: steady?.at ?? null };
}

/** Rows of older versions have the time of day alone. */
export function deadlineOf({ until, boot, steady }: DeadlineColumns): Deadline {
  return { at: until, steady: boot === null || steady === null ? null : { boot, at: steady } };
}
