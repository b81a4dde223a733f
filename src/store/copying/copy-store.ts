// Copies a whole store into an empty one. Everything is written in one transaction, which is committed only after both stores were found
// the same: a process that is killed before leaves an empty store.

import { type Kysely, sql } from "kysely";
import { counted } from "../../domain/counted.ts";
import { AppError } from "../../domain/error.ts";
import type { RunId } from "../../domain/ids.ts";
import { storedRun } from "../checking/check-run.ts";
import { type CheckedRuns, checkRuns, problemInWords } from "../checking/check-store.ts";
import { firstDifference, shownValue } from "../checking/difference.ts";
import type { Database } from "../database.ts";
import type { Tables } from "../schema.ts";
import { dialectOf } from "../sql-dialect.ts";
import type { CopyRequest, StoreCopy, StoreWorkers } from "../store.ts";
import { selectDrivers } from "../tables/drivers.ts";
import { selectLeases } from "../tables/leases.ts";
import { selectHolders } from "../tables/outbox.ts";
import { selectLastPosition } from "../tables/positions.ts";
import { copiedTables, serialTables, type TableOfCopy } from "./copied-tables.ts";
import { batchesOf, countRows, insertRows, TableDigest, type TableRow } from "./table-rows.ts";

type CopiedTables = StoreCopy["tables"];

export async function copyDatabase(from: Database, to: Database, request: CopyRequest): Promise<StoreCopy> {
  return await to.write(async (target) => {
    await letWait(target);
    await assertEmpty(target, request.to);
    const { position, ...copy } = await from.snapshot(async (source) => {
      await letWait(source);
      request.assertIdle(await workersOf(source, request.now));
      return { ...(await copyAll(source, target, request)), position: await selectLastPosition(source) };
    });
    // Not in the snapshot: a process that has begun to work meanwhile would go on with runs that the copy has otherwise.
    request.assertIdle(await from.read((db) => workersOf(db, request.now)));
    if ((await from.read(selectLastPosition)) !== position) throw changedMeanwhile(request);
    return copy;
  });
}

/** While the one store is read or written, the transaction of the other is silent. */
async function letWait(db: Kysely<Tables>): Promise<void> {
  for (const setting of dialectOf(db).patience) await sql.raw(setting).execute(db);
}

async function workersOf(db: Kysely<Tables>, now: number): Promise<StoreWorkers> {
  return {
    drivers: await selectDrivers(db),
    leases: await selectLeases(db, null),
    holders: await selectHolders(db, now),
  };
}

/** Counters are there from the beginning. */
async function assertEmpty(db: Kysely<Tables>, name: string): Promise<void> {
  for (const { name: table } of copiedTables) {
    if (table === "counters") continue;
    const rows = await countRows(db, table);
    if (rows === 0) continue;
    const runs = await countRows(db, "runs");
    const what = runs > 0 ? counted(runs, "run") : `${counted(rows, "row")} in the table ${table}`;
    throw new AppError("REFUSED", `the store ${name} is not empty: it has ${what}`, {
      hint: "copy to a store that is new: another file, or another schema with ?schema=NAME at the end of the address",
    });
  }
}

async function copyAll(source: Kysely<Tables>, target: Kysely<Tables>, request: CopyRequest): Promise<StoreCopy> {
  const checked = await checkRuns(source, `checking runs of ${request.from}`, request.onProgress);
  assertSound(checked, request.from, request);
  const tables = await copyTables(source, target, request);
  await continueSerials(source, target);
  const copied = await checkRuns(target, `checking runs of ${request.to}`, request.onProgress);
  assertSound(copied, request.to, request);
  await assertSameRuns(source, target, checked, copied, request);
  await assertSameTables(target, tables, request);
  return { runs: copied.runs.size, events: copied.events, tables };
}

/** Every row as it is. Begins with nothing: a server whose connection was lost is read again. */
async function copyTables(source: Kysely<Tables>, target: Kysely<Tables>, request: CopyRequest): Promise<CopiedTables> {
  for (const { name } of copiedTables.toReversed()) await sql`delete from ${sql.table(name)}`.execute(target);
  const tables: CopiedTables[number][] = [];
  for (const table of copiedTables) {
    const digest = new TableDigest();
    const of = await countRows(source, table.name);
    for await (const rows of batchesOf(source, table)) {
      if (!dialectOf(target).takesNul) assertWithoutNul(rows, table, request);
      request.onProgress({ stage: `copying ${table.name}`, done: digest.rows, of });
      await insertRows(target, table.name, rows);
      digest.add(rows);
    }
    tables.push({ name: table.name, rows: digest.rows, digest: digest.digest });
  }
  return tables;
}

/** Documents have it as an escape, but a column such as a task may have it as it is. */
function assertWithoutNul(rows: readonly TableRow[], { name, key }: TableOfCopy, { to }: CopyRequest): void {
  for (const row of rows) {
    const [column] = Object.entries(row).find(([, value]) => typeof value === "string" && value.includes("\0")) ?? [];
    if (column === undefined) continue;
    const which = key.map((part) => `${part} ${String(row[part])}`).join(", ");
    throw new AppError(
      "REFUSED",
      `${name} (${which}) has a NUL character in ${column}, which PostgreSQL does not take`,
      {
        hint: `nothing was copied: ${to} is an empty store. Remove the run with \`pawl clean\`, or stay on SQLite`,
      },
    );
  }
}

/** After the highest number that was ever given, which may be that of a row which is gone. */
async function continueSerials(source: Kysely<Tables>, target: Kysely<Tables>): Promise<void> {
  for (const table of serialTables) {
    const { rows } = await sql.raw<{ last: number | null }>(dialectOf(source).lastId(table)).execute(source);
    const last = rows[0]?.last ?? 0;
    if (last === 0) continue;
    for (const statement of dialectOf(target).continueAfter(table, last)) await sql.raw(statement).execute(target);
  }
}

function assertSound({ problems }: CheckedRuns, store: string, { from, to }: CopyRequest): void {
  if (problems.length === 0) return;
  const details = problems.map(problemInWords);
  throw new AppError(
    "STORE_DAMAGED",
    `runs of ${store} are not what their logs say, in ${counted(problems.length, "place")}`,
    {
      details,
      hint: `nothing was copied: ${to} is an empty store, and ${from} is unchanged. \`pawl store check\` shows what is wrong with a store`,
    },
  );
}

async function assertSameRuns(
  source: Kysely<Tables>,
  target: Kysely<Tables>,
  { runs }: CheckedRuns,
  copied: CheckedRuns,
  request: CopyRequest,
): Promise<void> {
  const ids = new Set<RunId>([...runs.keys(), ...copied.runs.keys()]);
  for (const id of ids) {
    if (runs.get(id) === copied.runs.get(id)) continue;
    const [one, other] = [await storedRun(source, id), await storedRun(target, id)];
    const { field, ...values } = firstDifference(one, other, "run") ?? { field: "run", one, other };
    const [was, is] = [values.one, values.other].map((value) => shownValue(field, value));
    throw differs(`run ${id}: ${field}: ${request.from} has ${was}, and the copy ${is}`, request);
  }
}

async function assertSameTables(target: Kysely<Tables>, tables: CopiedTables, request: CopyRequest): Promise<void> {
  for (const table of copiedTables) {
    const of = tables.find(({ name }) => name === table.name);
    const digest = new TableDigest();
    for await (const rows of batchesOf(target, table)) {
      request.onProgress({ stage: `comparing ${table.name}`, done: digest.rows, of: of?.rows ?? 0 });
      digest.add(rows);
    }
    if (digest.rows !== of?.rows) throw differs(`${table.name}: ${of?.rows} rows became ${digest.rows}`, request);
    if (digest.digest !== of.digest) throw differs(`${table.name}: a row has another value`, request);
  }
}

function differs(what: string, { from, to }: CopyRequest): AppError {
  return new AppError("STORE_DAMAGED", `the copy in ${to} was not the same as ${from}`, {
    details: [what],
    hint: `the copy was taken back: ${to} is an empty store, and ${from} is unchanged. See whether something changes rows there, such as a trigger`,
  });
}

function changedMeanwhile({ from, to }: CopyRequest): AppError {
  return new AppError("REFUSED", `${from} was changed while it was copied`, {
    hint: `the copy was taken back: ${to} is an empty store. Let every \`pawl\` process end, then copy again`,
  });
}
