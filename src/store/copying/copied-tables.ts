// The tables that a copy of a store has: all of the schema, apart from what belongs to one database.

import type { Tables } from "../schema.ts";

/** Which migrations a database has had is a fact about that database. */
type OwnTable = "migrations";

type CopiedTable = Exclude<keyof Tables, OwnTable>;

type Keys = { readonly [T in CopiedTable]: readonly [keyof Tables[T] & string, ...(keyof Tables[T] & string)[]] };

/**
 * The key of each table, by which it is read in batches. A table stands below those that it refers to. A table of the schema that is
 * missing here does not compile; a table of the database that is in neither is found by a test (SO80).
 */
const keys = {
  definitions: ["hash"],
  counters: ["name"],
  runs: ["id"],
  totals: ["run_id"],
  stories: ["run_id", "id"],
  attempts: ["id"],
  gates: ["id"],
  events: ["run_id", "seq"],
  outbox: ["id"],
  sent_messages: ["gate_id", "target", "receiver"],
  push_subscriptions: ["id"],
  permits: ["key", "attempt_id"],
  permit_lines: ["key", "run_id", "story_id", "step"],
  ready: ["run_id", "story_id", "step", "part"],
  leases: ["attempt_id"],
  drivers: ["run_id"],
  holds: ["account"],
  tokens: ["name"],
  sign_in_codes: ["hash"],
  start_keys: ["author", "key"],
  schedules: ["id"],
  schedule_ticks: ["id"],
} as const satisfies Keys;

export interface TableOfCopy {
  readonly name: CopiedTable;
  readonly key: readonly string[];
}

export const copiedTables: readonly TableOfCopy[] = Object.entries(keys).map(([name, key]) => ({
  name: name as CopiedTable,
  key,
}));

/** Tables whose `id` the database counts up. */
export const serialTables = ["outbox", "schedule_ticks"] as const satisfies readonly CopiedTable[];

/**
 * Only a server has these: its homes, what ties it to a queue, which dispatch makes anew for a copy (DI23), marks of its own commits, and what
 * is on its way between machines, which a copy waits for (WK57).
 */
export const serverTables = [
  "homes",
  "jobs",
  "commit_marks",
  "machine_workers",
  "hand_overs",
  "log_parts",
  "shared_texts",
];

/** Tables of every database that a copy leaves out: one that is its own, and one that no version of Pawl has written since its first. */
export const tablesLeftOut = ["migrations", "permit_keys"];
