// The port of telemetry: spans of runs and figures about them, for programs that watch many machines. It exists only where the user
// agreed to it. Nothing that happens behind it slows, holds up or fails a run.

import type { Event } from "../domain/event.ts";
import type { AttemptId, RunId } from "../domain/ids.ts";
import type { RunStatus } from "../domain/run.ts";

export interface Telemetry {
  /** What this process has committed: the process that commits an end sends its span. Returns at once. */
  committed(run: RunId, events: readonly Event[]): void;
  /** Variables with which the program of an attempt makes its own spans children of the attempt's; none where no spans are sent. */
  variablesFor(run: RunId, attempt: AttemptId): Readonly<Record<string, string>>;
  /** Sends gauges of the whole store, too, from now on. Only the service does, so that each is sent once. */
  observe(): void;
  /** Sends what is left, in a bounded time. */
  close(): Promise<void>;
}

/** What telemetry needs of Pawl. */
export interface TelemetryPorts {
  /** The number of a run; null: there is no such run any more. */
  number(run: RunId): Promise<number | null>;
  /** The log of a run in order, starting after `seq`. */
  events(run: RunId, after: number, limit: number): Promise<readonly { readonly seq: number; readonly event: Event }[]>;
  gauges(): Promise<Gauges>;
  readonly redact: (text: string) => string;
  readonly log: (event: string, fields: Readonly<Record<string, string | number | null>>) => void;
  readonly warn: (text: string) => void;
}

/** The state of a store at one moment. */
export interface Gauges {
  /** A status that no run has is left out. */
  readonly runs: ReadonlyMap<RunStatus, number>;
  readonly readySteps: number;
  readonly runningAttempts: number;
  readonly openGates: number;
  readonly heldAccounts: number;
}
