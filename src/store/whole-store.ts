// Work on a whole store: backups, checks, and copies to another one.

import type { RunId } from "../domain/ids.ts";
import type { DriverLease, Lease } from "./claims.ts";

export interface Backup {
  readonly file: string;
  readonly bytes: number;
  readonly runs: number;
}

/** How far long work on a store is. */
export interface StoreProgress {
  /** A sentence without its end: `checking runs`. */
  readonly stage: string;
  readonly done: number;
  readonly of: number;
}

export interface StoreCheck {
  readonly runs: number;
  readonly events: number;
  readonly problems: readonly StoreProblem[];
}

export interface StoreProblem {
  /** null: of the database itself. */
  readonly run: { readonly id: RunId; readonly number: number } | null;
  /** `header.chain[2].state.status`, `event 7`, `offers`. */
  readonly field: string;
  readonly what: string;
}

/** The workers that a store knows of. */
export interface StoreWorkers {
  readonly drivers: readonly DriverLease[];
  readonly leases: readonly Lease[];
  /** The workers that perform effects. */
  readonly holders: readonly string[];
}

export interface CopyRequest {
  /** The names of both stores, for people. */
  readonly from: string;
  readonly to: string;
  readonly now: number;
  /** Throws if one of them may still be at work. Called before the copy and after it. */
  readonly assertIdle: (workers: StoreWorkers) => void;
  readonly onProgress: (progress: StoreProgress) => void;
}

export interface StoreCopy {
  readonly runs: number;
  readonly events: number;
  /** The same in both stores. */
  readonly tables: readonly { readonly name: string; readonly rows: number; readonly digest: string }[];
}
