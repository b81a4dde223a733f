// The columns of every table as types, the same for every dialect. JSON is text and times are milliseconds. The run's own scope
// has the story id "", because a key column must not be null.

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
  sent_messages: SentMessageRow;
  push_subscriptions: PushSubscriptionRow;
  permits: PermitRow;
  permit_lines: PermitLineRow;
  ready: ReadyRow;
  leases: LeaseRow;
  drivers: DriverRow;
  holds: HoldRow;
  tokens: TokenRow;
  sign_in_codes: SignInCodeRow;
  start_keys: StartKeyRow;
  schedules: ScheduleRow;
  schedule_ticks: ScheduleTickRow;
  migrations: { version: number; name: string; applied_at: number };
}

/** Workflows frozen by runs, keyed by content, so that a thousand runs of one workflow share one copy. */
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
  /** The shared folder of its files, and the file of its stories. The header has both as well. */
  shared: string | null;
  source: string | null;
  started_at: number;
  ended_at: number | null;
  definition: string;
  /** Grows with each change of the header or of a story's entry. A write with an old version is refused. */
  version: number;
  /** The version that last added or dropped stories. Since then only entries have changed. */
  planned: number;
  header: string;
}

/**
 * Totals that every transition of a run adds to. They have a row of their own, so that parallel stories do not rewrite the header,
 * and grow by addition in SQL, so that they do not compete for its version.
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
  unreported: number;
  /** Of its last change, among the changes of all runs. */
  position: number;
}

export interface StoryRow {
  run_id: string;
  id: string;
  position: number;
  status: string;
  /** The story's entry. Its status is also a column. */
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
  /** Position in its scope, in order of dispatch. */
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
  /** The process that performs it, while it does. */
  holder: string | null;
  /** Why it failed last. */
  why: string | null;
}

/** A message about a question that is still open, as a target has it. */
export interface SentMessageRow {
  gate_id: string;
  target: string;
  /** Of a target with several receivers: which of them; "": it has one. */
  receiver: string;
  run_id: string;
  /** What the target knows it by. */
  receipt: string;
  /** The delivery that brought it. */
  effect: string;
}

/** A browser that gets messages by web push. */
interface PushSubscriptionRow {
  id: string;
  endpoint: string;
  p256dh: string;
  auth: string;
  /** The token of the API that it was made with. */
  token: string;
  created_at: number;
}

export interface PermitRow {
  key: string;
  attempt_id: string;
}

/** A ready step that waits for a permit. */
export interface PermitLineRow {
  key: string;
  run_id: string;
  story_id: string;
  step: string;
  /** When the step became ready. */
  since: number;
  /** When a worker last tried to start it. */
  seen: number;
}

export interface ReadyRow {
  run_id: string;
  story_id: string;
  step: string;
  /** The part of the step; "": the whole step. */
  part: string;
  /** `<workflow>/<agent>`; empty for a step that needs no agent. */
  agent: string;
  /** 1 while the run is paused. */
  paused: number;
  not_before: number;
  /** How long it was to wait when it became ready; null in rows that an older Pawl wrote. */
  pause_ms: number | null;
  /** Runs are served in the order in which they were started. */
  run_number: number;
}

export interface LeaseRow extends DeadlineColumns {
  attempt_id: string;
  run_id: string;
  story_id: string;
  worker: string;
}

/** The process that drives a run. */
export interface DriverRow extends DeadlineColumns {
  run_id: string;
  worker: string;
}

/** `until` is the time of day; `steady` counts from the boot of the machine that `boot` names. */
export interface DeadlineColumns {
  until: number;
  boot: string | null;
  steady: number | null;
}

/** A token of the HTTP API. */
export interface TokenRow {
  name: string;
  /** SHA-256 of the secret. */
  hash: string;
  role: string;
  created_at: number;
  expires_at: number | null;
  used_at: number | null;
}

/** A code with which a browser signs in, once. */
interface SignInCodeRow {
  /** SHA-256 of the code. */
  hash: string;
  role: string;
  expires_at: number;
  used_at: number | null;
}

/** A key under which a caller of the HTTP API started a run. */
interface StartKeyRow {
  author: string;
  key: string;
  /** SHA-256 of the request. */
  request: string;
  /** The run may not be there yet. */
  run_id: string;
  created_at: number;
}

/** An account that refused an agent, and until when Pawl does not use it. */
export interface HoldRow {
  account: string;
  cause: string;
  since: number;
  until: number;
  /** The number of refusals in a row. */
  times: number;
  why: string;
}

export interface ScheduleRow {
  id: string;
  workflow: string;
  repo: string;
  executor: string | null;
  /** What the workflow file said when it was last read. */
  spec: string;
  /** 1 while it is paused. */
  paused: number;
  /** Ticks up to this time are settled. */
  settled: number;
  /** The run that it started last. */
  run_id: string | null;
  added_at: number;
}

/** One per schedule and tick. The id is the order in which they were recorded. */
export interface ScheduleTickRow {
  id: Generated<number>;
  schedule_id: string;
  tick: number;
  at: number;
  outcome: string;
  /** The person who asked for a run; null: it was due. */
  asked_by: string | null;
  run_id: string | null;
  run_number: number | null;
  /** How many ticks before it were seen too late. */
  missed: number;
  why: string;
}
