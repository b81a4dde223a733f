// The result of `decide`: events and effects, or a rejection that says why nothing changes.

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

/** A refused command. `events` has what it still leaves in the log: a late report, or a gate that now shows another tree. */
export interface Rejection {
  readonly accepted: false;
  readonly code: RejectionCode;
  readonly why: string;
  readonly events: readonly Event[];
  /** The run after those events; null if there are none. */
  readonly run: Run | null;
}

export type Decision = Accepted | Rejection;
