// The tables. Owns: their columns as types, the same for every dialect. JSON is text, times are milliseconds, the run's own
// scope has the story id "" (a key column must not be null).

import type { Generated } from "kysely";

export interface Tables {
  definitions: DefinitionRow;
  counters: { name: string; value: number };
  runs: RunRow;
  totals: TotalsRow;
  stories: StoryRow;
  attempts: AttemptRow;
  gates: GateRow;
  events: EventRow;
  outbox: OutboxRow;
  permit_keys: { key: string };
  permits: PermitRow;
  ready: ReadyRow;
  leases: LeaseRow;
  holds: HoldRow;
  migrations: { version: number; name: string; applied_at: number };
}

/** Workflows frozen by runs; by content, so that a thousand runs of one workflow keep one copy. */
interface DefinitionRow {
  hash: string;
  body: string;
}

export interface RunRow {
  id: string;
  number: number;
  workflow: string;
  task: string;
  status: string;
  repo: string | null;
  started_at: number;
  ended_at: number | null;
  definition: string;
  /** Grows with each change of the header or of a story's entry; a second writer loses. */
  version: number;
  /** The version that last brought stories or dropped some. Since then only entries have changed. */
  planned: number;
  header: string;
}

/**
 * What every transition of a run adds to. Apart from the run's row, so that eight stories in parallel do not rewrite its
 * header, and grown by addition, so that they do not fight over its version.
 */
export interface TotalsRow {
  run_id: string;
  events: number;
  attempts: number;
  steps: number;
  cost_usd: number;
  input_tokens: number;
  output_tokens: number;
  cache_read_tokens: number;
  estimated_usd: number;
}

export interface StoryRow {
  run_id: string;
  id: string;
  position: number;
  status: string;
  /** What the run sees of it; its status is a column as well. */
  entry: string;
  /** The version of the run that last wrote the entry. */
  changed: number;
  spec: string;
  /** Grows with each change of the scope. */
  version: number;
  /** Its chain, context and gates; null until it is opened. */
  scope: string | null;
}

export interface AttemptRow {
  id: string;
  run_id: string;
  story_id: string;
  /** Place in its scope, in order of dispatch. */
  position: number;
  phase: string;
  body: string;
}

export interface GateRow {
  id: string;
  run_id: string;
  story_id: string;
  step: string;
  status: string;
  opened_at: number;
  body: string;
}

/** Append-only. */
export interface EventRow {
  run_id: string;
  seq: number;
  at: number;
  author: string;
  type: string;
  story_id: string;
  schema_version: number;
  body: string;
}

interface OutboxRow {
  id: Generated<number>;
  lane: string;
  run_id: string;
  effect: string;
  created_at: number;
  not_before: number;
  tries: number;
}

/** Its key has a row in `permit_keys`, which is locked while permits of that key are counted. */
export interface PermitRow {
  key: string;
  attempt_id: string;
}

export interface ReadyRow {
  run_id: string;
  story_id: string;
  step: string;
  /** `<workflow>/<agent>`; empty for a step that needs no agent. */
  agent: string;
  /** 1 while the run is paused. */
  paused: number;
  not_before: number;
  /** The order in which runs were started: the oldest is served first. */
  run_number: number;
}

export interface LeaseRow {
  attempt_id: string;
  run_id: string;
  story_id: string;
  worker: string;
  until: number;
}

/** An account that has refused an agent, and until when it is not asked again. */
export interface HoldRow {
  account: string;
  cause: string;
  since: number;
  until: number;
  /** How often in a row. */
  times: number;
  why: string;
}
