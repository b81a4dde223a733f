// Every query on the table `jobs`, which ties ready steps and attempts to the jobs of pg-boss.

import { type AttemptId, attemptId, partName, type RunId, runId, stepId, storyId } from "../../domain/ids.ts";
import type { OfferedStep, Transaction } from "../../store/store.ts";
import type { Job } from "./queues.ts";

type Connection = Pick<Transaction, "query">;

const ofStep = "run_id = $1 and story_id = $2 and step = $3 and part = $4 and attempt_id is null";

function keyOf(run: RunId, { story, step, part }: OfferedStep): readonly string[] {
  return [run, story ?? "", step, part ?? ""];
}

export async function addJob(tx: Connection, queue: string, run: RunId, step: OfferedStep): Promise<Job> {
  const [row] = await jobs(
    tx,
    "insert into jobs (run_id, story_id, step, part, queue) values ($1, $2, $3, $4, $5) returning number, queue",
    [...keyOf(run, step), queue],
  );
  if (row === undefined) throw new Error("a job was not recorded");
  return row;
}

export async function dropReadyJob(tx: Connection, run: RunId, step: OfferedStep): Promise<readonly Job[]> {
  return await jobs(tx, `delete from jobs where ${ofStep} returning number, queue`, keyOf(run, step));
}

/** All that wait, of a run. */
export async function dropReadyJobs(tx: Connection, run: RunId): Promise<readonly Job[]> {
  return await jobs(tx, "delete from jobs where run_id = $1 and attempt_id is null returning number, queue", [run]);
}

/** The job of this ready step belongs to an attempt from now on. Null: it has none. */
export async function takeJob(tx: Connection, run: RunId, step: OfferedStep, attempt: AttemptId): Promise<Job | null> {
  const words = `update jobs set attempt_id = $5 where ${ofStep} returning number, queue`;
  return (await jobs(tx, words, [...keyOf(run, step), attempt]))[0] ?? null;
}

/** It is the job of a ready step again. */
export async function giveBackJob(tx: Connection, { number }: Job): Promise<void> {
  await tx.query("update jobs set attempt_id = null where number = $1", [number]);
}

export async function dropAttemptJobs(tx: Connection, attempts: readonly AttemptId[]): Promise<readonly Job[]> {
  if (attempts.length === 0) return [];
  return await jobs(tx, "delete from jobs where attempt_id = any($1) returning number, queue", [attempts]);
}

/** The jobs of these attempts that this worker has. */
export async function jobsOfWorker(
  server: Connection,
  worker: string,
  attempts: readonly AttemptId[],
): Promise<readonly (Job & { readonly attempt: AttemptId })[]> {
  if (attempts.length === 0) return [];
  const rows = (await server.query(
    `select number, queue, jobs.attempt_id as attempt from jobs join leases on leases.attempt_id = jobs.attempt_id
      where worker = $1 and jobs.attempt_id = any($2)`,
    [worker, attempts],
  )) as readonly { number: number; queue: string; attempt: string }[];
  return rows.map(({ number, queue, attempt }) => ({ number, queue, attempt: attemptId(attempt) }));
}

/** Attempts that have a job, and whether their worker is dead. */
export async function attemptsOfJobs(server: Connection): Promise<ReadonlyMap<AttemptId, boolean>> {
  const rows = (await server.query("select attempt_id, lost from jobs where attempt_id is not null", [])) as readonly {
    attempt_id: string;
    lost: boolean;
  }[];
  return new Map(rows.map(({ attempt_id, lost }) => [attemptId(attempt_id), lost]));
}

export async function markLost(server: Connection, numbers: readonly number[]): Promise<void> {
  await server.query("update jobs set lost = true where number = any($1)", [numbers]);
}

export interface WaitingStep {
  readonly run: RunId;
  readonly step: OfferedStep;
  readonly waitMs: number;
}

/** Of one run or of all, without those of paused runs. How long they were to wait is counted anew. */
export async function stepsWithoutJob(connection: Connection, run: RunId | null): Promise<readonly WaitingStep[]> {
  const rows = (await connection.query(
    `select run_id, story_id, step, part, coalesce(pause_ms, 0) as wait from ready
      where paused = 0 and ($1::text is null or run_id = $1) and not exists (select from jobs where attempt_id is null
        and jobs.run_id = ready.run_id and jobs.story_id = ready.story_id and jobs.step = ready.step and jobs.part = ready.part)
      order by run_number, not_before`,
    [run],
  )) as readonly { run_id: string; story_id: string; step: string; part: string; wait: number }[];
  return rows.map((row) => ({
    run: runId(row.run_id),
    step: {
      story: row.story_id === "" ? null : storyId(row.story_id),
      step: stepId(row.step),
      part: row.part === "" ? null : partName(row.part),
    },
    waitMs: row.wait,
  }));
}

interface StepsOfQueue {
  readonly queue: string | null;
  readonly due: number;
  readonly later: number;
  readonly since: number | null;
}

/** Ready steps by the queue of their jobs; null: they have none. Whether a step is due is for the store to say. */
export async function stepsByQueue(server: Connection, now: number): Promise<readonly StepsOfQueue[]> {
  return (await server.query(
    `select queue, count(*) filter (where is_due) as due, count(*) filter (where not is_due) as later,
        min(not_before) filter (where is_due) as since
      from (select queue, not_before, not_before <= $1 or coalesce(not_before - $1 >= 2 * pause_ms, false) as is_due
        from ready left join jobs on attempt_id is null and jobs.run_id = ready.run_id
          and jobs.story_id = ready.story_id and jobs.step = ready.step and jobs.part = ready.part
        where paused = 0) as steps
      group by queue`,
    [now],
  )) as readonly StepsOfQueue[];
}

interface AttemptOfQueue {
  readonly attempt: AttemptId;
  readonly queue: string | null;
  readonly lost: boolean;
  /** How long ago its worker was heard of; null: it has no job. */
  readonly quietMs: number | null;
}

/** Attempts with a lease, by the clock of the server where they have a job. */
export async function attemptsByQueue(
  server: Connection,
  schema: string,
  now: number,
): Promise<readonly AttemptOfQueue[]> {
  const rows = (await server.query(
    `select leases.attempt_id as attempt, jobs.queue,
        case when jobs.number is null then leases.until <= $1 else jobs.lost or job.state = 'failed' end as lost,
        (extract(epoch from now() - job.heartbeat_on) * 1000)::float8 as "quietMs"
      from leases left join jobs on jobs.attempt_id = leases.attempt_id
        left join ${schema}.job as job on job.name = jobs.queue and job.id = ${idOfNumber}`,
    [now],
  )) as readonly (Omit<AttemptOfQueue, "attempt" | "lost"> & { attempt: string; lost: boolean | null })[];
  // A job that is not in its queue any more says nothing of its worker.
  return rows.map((row) => ({ ...row, attempt: attemptId(row.attempt), lost: row.lost === true }));
}

/** As `idOf` of queues.ts makes it, so that a job is found by its key. */
const idOfNumber = "('00000000-0000-4000-8000-' || lpad(to_hex(jobs.number), 12, '0'))::uuid";

/** How many jobs of a queue are over, up to a limit. */
export async function endedOf(server: Connection, schema: string, queue: string, limit: number): Promise<number> {
  const [row] = (await server.query(
    `select count(*) as count from (select from ${schema}.job where name = $1 and state > 'active' limit $2) as ended`,
    [queue, limit],
  )) as readonly { count: number }[];
  return row?.count ?? 0;
}

async function jobs(connection: Connection, words: string, values: readonly unknown[]): Promise<readonly Job[]> {
  return (await connection.query(words, values)) as readonly Job[];
}
