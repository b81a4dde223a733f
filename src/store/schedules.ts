// Schedules as they are kept, and what became of their ticks.

import type { RunId } from "../domain/ids.ts";
import type { RunStatus } from "../domain/run.ts";
import type { Schedule, TickOutcome } from "../domain/schedule.ts";

/** A workflow that the service starts at certain times in a repository. */
export interface StoredSchedule {
  readonly id: string;
  /** The id of the workflow. */
  readonly workflow: string;
  readonly repo: string;
  /** null: as configured. */
  readonly executor: string | null;
  /** What the workflow file said when it was last read. */
  readonly spec: Schedule;
  readonly paused: boolean;
  /** It is known what became of all ticks up to this time. */
  readonly settled: number;
  /** The run that it started last; null: none, or that run was removed. */
  readonly run: ScheduledRun | null;
  readonly addedAt: number;
}

export interface ScheduledRun {
  readonly id: RunId;
  readonly number: number;
  readonly status: RunStatus;
}

export interface TickRecord {
  readonly schedule: string;
  readonly tick: number;
  /** When it was recorded. */
  readonly at: number;
  readonly outcome: TickOutcome;
  /** The person who asked for a run; null: it was due. */
  readonly askedBy: string | null;
  readonly run: { readonly id: RunId; readonly number: number } | null;
  /** How many ticks before it were seen too late. */
  readonly missed: number;
  /** Empty where there is nothing to explain. */
  readonly why: string;
}
