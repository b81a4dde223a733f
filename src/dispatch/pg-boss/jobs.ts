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

export async function readyJob(tx: Connection, run: RunId, step: OfferedStep): Promise<Job | null> {
  return (await jobs(tx, `select number, queue from jobs where ${ofStep}`, keyOf(run, step)))[0] ?? null;
}

export async function dropReadyJob(tx: Connection, run: RunId, step: OfferedStep): Promise<readonly Job[]> {
  return await jobs(tx, `delete from jobs where ${ofStep} returning number, queue`, keyOf(run, step));
}

/** All that wait, of a run. */
export async function dropReadyJobs(tx: Connection, run: RunId): Promise<readonly Job[]> {
  return await jobs(tx, "delete from jobs where run_id = $1 and attempt_id is null returning number, queue", [run]);
}

/** The job of this step belongs to an attempt from now on. */
export async function takeJob(tx: Connection, { number }: Job, attempt: AttemptId): Promise<void> {
  await tx.query("update jobs set attempt_id = $2 where number = $1", [number, attempt]);
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

async function jobs(connection: Connection, words: string, values: readonly unknown[]): Promise<readonly Job[]> {
  return (await connection.query(words, values)) as readonly Job[];
}
