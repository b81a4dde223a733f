// Runs as they are looked at, without a transition: their summaries, outlines, figures and places, and what belongs to one of them.

import type { Attempt } from "../domain/attempt.ts";
import type { Event } from "../domain/event.ts";
import type { Gate } from "../domain/gate.ts";
import type { RunId, StepId } from "../domain/ids.ts";
import type { RunStatus, RunTotals } from "../domain/run.ts";
import type { StepStatus } from "../domain/step.ts";

export interface RunFilter {
  readonly statuses: readonly RunStatus[] | null;
  readonly limit: number;
  /** Only runs with a smaller number: those that follow it in the list, also when new runs have come since. */
  readonly before?: number;
  /** Only runs with these words in their task or the name of their workflow, whatever the case, or with this number. */
  readonly search?: string;
}

/** Runs with their files in this shared folder, or with their stories from this file; null: none. */
export interface PlaceFilter {
  readonly shared: string | null;
  readonly source: string | null;
}

export interface KnownPlaces {
  readonly repos: readonly string[];
  readonly shared: readonly string[];
}

export interface RunSummary {
  readonly id: RunId;
  readonly number: number;
  readonly workflow: string;
  readonly task: string;
  readonly status: RunStatus;
  readonly repo: string | null;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly totals: RunTotals;
}

export interface RunOutline {
  /** The step that it is at, or that failed; null: all are over. */
  readonly step: { readonly id: StepId; readonly name: string; readonly status: StepStatus } | null;
  /** The cap of money; null: the run is done, and no cap counts any more. */
  readonly capUsd: number | null;
  /** Why it ended; empty: it has not, or nothing is to be said. */
  readonly reason: string;
  readonly stories: StoryCounts;
}

export interface StoryCounts {
  readonly total: number;
  readonly done: number;
  readonly running: number;
  readonly failed: number;
}

/** A run as it is now, and where its last change is among those of all runs. */
export interface RunChange {
  readonly position: number;
  /** The number of its last event. */
  readonly seq: number;
  readonly run: RunSummary;
}

export interface LocatedRun extends RunSummary, PlaceFilter {}

export interface AttemptRef {
  readonly run: RunId;
  readonly attempt: Attempt;
}

export interface GateRef {
  readonly run: RunId;
  readonly gate: Gate;
}

export interface StoredEvent {
  readonly seq: number;
  readonly schemaVersion: number;
  readonly event: Event;
}
