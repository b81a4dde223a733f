// A sample run: what each move of a real run of six steps writes, read from the tables, and stores filled with copies of it.

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Parts } from "../src/runtime/parts.ts";
import { newAttemptId, newRunId, newToken } from "../src/system/ids.ts";
import { changesBetween, type Names, preparer, readAll, rowsOfRun, runAll, Template, tablesOf } from "./rows.ts";
import { begin, claim, complete, cycleToEnd, openWorld, sixSteps, standingClock } from "./world.ts";

export interface SampleRun {
  /** Ids of the run, and of its attempts with their tokens, in order. */
  readonly ids: readonly string[];
  /** For each step: what the claim writes, and what the completion writes. */
  readonly moves: readonly { readonly claim: Template; readonly complete: Template }[];
  /** All rows of the finished run. */
  readonly whole: Template;
}

export async function takeSample(directory: string): Promise<SampleRun> {
  const parts = await openWorld(directory, { clock: standingClock });
  const db = new DatabaseSync(join(directory, "pawl.db"));
  try {
    // Rows that only the first run of a store writes are not part of a cycle.
    await begin(parts, sixSteps);
    await cycleToEnd(parts);

    const tables = tablesOf(db);
    const run = await begin(parts, sixSteps);
    const ids: string[] = [run];
    const states = [readAll(db, tables)];
    for (let step = 0; step < sixSteps.steps.length; step += 1) {
      const claimed = await claim(parts);
      ids.push(claimed.attempt.id, claimed.attempt.token);
      states.push(readAll(db, tables));
      await complete(parts, claimed);
      states.push(readAll(db, tables));
    }
    const writes = states.slice(1).map((state, index) => {
      const changes = changesBetween(tables, states[index] ?? state, state);
      if (changes.length === 0) throw new Error("a move wrote nothing");
      return new Template(changes, ids);
    });
    const end = states.at(-1) ?? new Map();
    return { ids, moves: pairs(writes), whole: new Template(rowsOfRun(tables, end, run), ids) };
  } finally {
    db.close();
    await parts.store.close();
  }
}

function pairs(writes: readonly Template[]): SampleRun["moves"] {
  return writes.flatMap((write, index) => {
    const complete = writes[index + 1];
    return index % 2 === 0 && complete ? [{ claim: write, complete }] : [];
  });
}

/** New ids for everything that the sample names; `run` when it exists already. */
export function newNames(sample: SampleRun, number: number, run: string = newRunId()): Names {
  const ids = sample.ids.map((id, index): [string, string] => {
    if (index === 0) return [id, run];
    return [id, index % 2 === 1 ? newAttemptId() : newToken()];
  });
  return { ids: new Map(ids), number };
}

const runsPerTransaction = 500;

/** Puts `count` finished runs into a store that is not open. */
function fill(directory: string, sample: SampleRun, count: number): void {
  const db = new DatabaseSync(join(directory, "pawl.db"));
  try {
    db.exec("pragma synchronous = off; pragma foreign_keys = off");
    const prepare = preparer(db);
    const last = db.prepare("select coalesce(max(number), 0) as number from runs").get();
    const first = Number(last?.["number"]) + 1;
    for (let at = 0; at < count; at += runsPerTransaction) {
      db.exec("begin immediate");
      for (let index = at; index < Math.min(count, at + runsPerTransaction); index += 1)
        runAll(sample.whole.bind(prepare, newNames(sample, first + index)));
      db.exec("commit");
    }
    prepare("update counters set value = ? where name = 'run'").run(first + count - 1);
    // Closed, as runs that ended are: a command that looks would otherwise begin to close a thousand of them.
    db.exec("delete from outbox");
    db.exec("pragma wal_checkpoint(truncate)");
  } finally {
    db.close();
  }
}

/** A store with `count` finished runs, opened. */
export async function openFilledWorld(directory: string, sample: SampleRun, count: number): Promise<Parts> {
  const parts = await openWorld(directory, { clock: standingClock });
  await begin(parts, sixSteps);
  await cycleToEnd(parts);
  await parts.store.close();
  fill(directory, sample, count - 1);
  return await openWorld(directory, { clock: standingClock });
}
