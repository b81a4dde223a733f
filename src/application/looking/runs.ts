// Runs. Owns: the list of runs, the newest first, and what each of them cost.

import type { CostDocument, CostList } from "../../contracts/cost-documents.ts";
import type { RunPage } from "../../contracts/http-documents.ts";
import type { RunList } from "../../contracts/run-documents.ts";
import { AppError } from "../../domain/error.ts";
import type { RunStatus } from "../../domain/run.ts";
import { costDocument, costList } from "../../runtime/views/cost.ts";

import { runDocument } from "../../runtime/views/status.ts";
import { driversOf } from "../../runtime/worker.ts";
import type { Application } from "../application.ts";
import { findRun, wholeRun } from "../references.ts";
import { wordsOf } from "./run-rows.ts";

/** At most `limit` of them; all without it. */
export async function runs(app: Application, limit = everyRun): Promise<RunList> {
  assertLimit(limit);
  const { parts } = await app.read();
  const drivers = await driversOf(parts);
  const found = await parts.store.listRuns({ statuses: null, limit });
  return { runs: found.map((run) => runDocument(run, drivers.get(run.id) ?? null)) };
}

export interface RunsRequest {
  readonly limit: number;
  /** `next` of the page before. */
  readonly cursor?: string | undefined;
  readonly statuses?: readonly RunStatus[] | undefined;
  /** Words of the task or the workflow, or a number. */
  readonly search?: string | undefined;
}

/** One page. A cursor holds when new runs come: they are before the first page. */
export async function runsPage(app: Application, request: RunsRequest): Promise<RunPage> {
  const { limit, cursor, statuses, search } = request;
  const before = cursor === undefined ? {} : { before: runAt(cursor) };
  const searched = search === undefined || search.trim() === "" ? {} : { search: search.trim() };
  const { parts } = await app.read();
  const found = await parts.store.listRuns({ statuses: statuses ?? null, limit: limit + 1, ...before, ...searched });
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const words = await wordsOf(parts, page, await driversOf(parts));
  return {
    runs: page.map((run) => {
      const { driver, ...more } = words(run);
      return { ...runDocument(run, driver), ...more };
    }),
    next: found.length > limit && last !== undefined ? `r${last.number}` : null,
  };
}

function runAt(cursor: string): number {
  const number = /^r(\d{1,15})$/.exec(cursor)?.[1];
  if (number !== undefined) return Number(number);
  throw new AppError("INPUT_INVALID", `"${cursor}" is not a cursor`, {
    hint: "use `next` of the page before, as it is",
  });
}

export async function costOfRun(app: Application, reference: string): Promise<CostDocument> {
  const { parts, config } = await app.read();
  const summary = await findRun(parts.store, reference);
  return costDocument(await wholeRun(parts.store, summary), summary, config.prices);
}

/** Of at most `limit` runs; of all without it. */
export async function costOfRuns(app: Application, limit = everyRun): Promise<CostList> {
  assertLimit(limit);
  const { parts } = await app.read();
  const found = await parts.store.listRuns({ statuses: null, limit: limit + 1 });
  return costList(found.slice(0, limit), found.length > limit);
}

/** More than any store has. */
const everyRun = 1_000_000_000;

function assertLimit(limit: number): void {
  if (Number.isInteger(limit) && limit >= 1 && limit <= everyRun) return;
  throw new AppError("USAGE", `the limit ${limit} is not a number from 1 to ${everyRun}`, { hint: "for example 20" });
}
