// Checks a whole store: the database itself, and every run by replay.

import { type Kysely, sql } from "kysely";
import { errorText } from "../../domain/error.ts";
import { type RunId, runId } from "../../domain/ids.ts";
import type { Tables } from "../schema.ts";
import { dialectOf } from "../sql-dialect.ts";
import { isDamaged } from "../sqlite/trouble.ts";
import type { StoreCheck, StoreProblem, StoreProgress } from "../store.ts";
import { checkRun } from "./check-run.ts";

/** Inside a snapshot. */
export async function checkDatabase(
  db: Kysely<Tables>,
  onProgress: (progress: StoreProgress) => void,
): Promise<StoreCheck> {
  const problems = [...(await databaseProblems(db))];
  const { runs, events, problems: ofRuns } = await checkRuns(db, "checking runs", onProgress);
  return { runs: runs.size, events, problems: [...problems, ...ofRuns] };
}

/** What SQLite finds wrong with its own file. */
async function databaseProblems(db: Kysely<Tables>): Promise<readonly StoreProblem[]> {
  const { patience, integrity } = dialectOf(db);
  for (const setting of patience) await sql.raw(setting).execute(db);
  const problems: StoreProblem[] = [];
  const add = (what: string) => void problems.push({ run: null, field: "database", what });
  for (const query of integrity) {
    const rows = await rowsUnlessDamaged(async () => await sql.raw<{ problem: string }>(query).execute(db), add);
    for (const { problem } of rows) if (problem !== "ok") add(problem);
  }
  return problems;
}

/** A damaged file may keep SQLite from answering at all. */
async function rowsUnlessDamaged<T>(
  read: () => Promise<{ readonly rows: readonly T[] }>,
  onDamage: (what: string) => void,
): Promise<readonly T[]> {
  try {
    return (await read()).rows;
  } catch (error) {
    if (!isDamaged(error)) throw error;
    onDamage(errorText(error));
    return [];
  }
}

export interface CheckedRuns {
  /** The digest of each run. */
  readonly runs: ReadonlyMap<RunId, string | null>;
  readonly events: number;
  readonly problems: readonly StoreProblem[];
}

/** The oldest first. */
export async function checkRuns(
  db: Kysely<Tables>,
  stage: string,
  onProgress: (progress: StoreProgress) => void,
): Promise<CheckedRuns> {
  const runs = new Map<RunId, string | null>();
  const problems: StoreProblem[] = [];
  const listed = await rowsUnlessDamaged(
    async () => ({ rows: await db.selectFrom("runs").select(["id", "number"]).orderBy("number").execute() }),
    (what) => void problems.push({ run: null, field: "runs", what }),
  );
  let events = 0;
  for (const row of listed) {
    onProgress({ stage, done: runs.size, of: listed.length });
    const run = { id: runId(row.id), number: row.number };
    const checked = await checkRun(db, run.id);
    runs.set(run.id, checked.digest);
    events += checked.events;
    for (const problem of checked.problems) problems.push({ run, ...problem });
  }
  return { runs, events, problems };
}

/** For people: `run #3 (k3x…): header.task: …`. */
export function problemInWords({ run, field, what }: StoreProblem): string {
  return `${run === null ? "" : `run #${run.number} (${run.id}): `}${field}: ${what}`;
}
