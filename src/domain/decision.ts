// Decisions. Owns: the answer of `decide`: what happened and what must be done, or why nothing may.

import type { Effect } from "./effect.ts";
import type { Event } from "./event.ts";
import type { Run } from "./run.ts";

export interface Accepted {
  readonly accepted: true;
  readonly events: readonly Event[];
  readonly effects: readonly Effect[];
  /** The run after those events. */
  readonly run: Run;
}

export type RejectionCode = "stale" | "illegal" | "unknown" | "over" | "answered" | "moved" | "cap";

/** Refused. What it leaves in the log (a late report, a gate that now shows another tree) is in `events`. */
export interface Rejection {
  readonly accepted: false;
  readonly code: RejectionCode;
  readonly why: string;
  readonly events: readonly Event[];
  /** The run after those events; null when there are none. */
  readonly run: Run | null;
}

export type Decision = Accepted | Rejection;
