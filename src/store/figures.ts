// What the runs of a workflow came to, step by step.

import type { RunStatus } from "../domain/run.ts";

/** Attempts of the newest runs are counted, so that the answer takes a bounded time. */
export interface FiguresLimits {
  readonly mostRuns: number;
  readonly mostAttempts: number;
}

export interface WorkflowFigures {
  /** A status that no run has is left out. */
  readonly runs: ReadonlyMap<RunStatus, number>;
  /** Of how many runs the steps are counted: the newest ones that have attempts, the last of them perhaps in part. */
  readonly counted: number;
  /** In the order in which they first began. */
  readonly steps: readonly StepFigures[];
}

/** What the attempts of one step came to, over several runs. */
export interface StepFigures {
  /** Its name in the workflow. */
  readonly step: string;
  readonly attempts: number;
  readonly ended: number;
  /** They completed and did not reject. */
  readonly passed: number;
  readonly rejected: number;
  /** They did not complete. */
  readonly failed: number;
  /** Of the attempts that have ended; null: none has. */
  readonly medianMs: number | null;
  readonly costUsd: number;
  readonly estimatedUsd: number;
  /** The part of the cost that went into attempts which did not pass. */
  readonly lostUsd: number;
  /** Attempts whose agents did not say what they used. */
  readonly unreported: number;
}
