// Status. Owns: where a run stands: the status document, its stories, and the sentence that says what it waits for.

import type { StatusDocument, WhyDocument } from "../../contracts/run-documents.ts";
import { AppError } from "../../domain/error.ts";
import { isQuestion } from "../../domain/gate.ts";
import type { Run } from "../../domain/run.ts";
import { type Known, why } from "../../engine/why.ts";
import { findWorkBranch } from "../../runtime/trees/work-branch.ts";
import { knownOf } from "../../runtime/views/run-facts.ts";
import { gateDocument, statusDocument } from "../../runtime/views/status.ts";
import { driversOf } from "../../runtime/worker.ts";
import type { RunSummary, Store } from "../../store/store.ts";
import type { Application, ReadSession } from "../application.ts";
import { serviceHere } from "../driving/hand-over.ts";
import { findRun, findRunByQuery, findRunOrNewest, wholeRun } from "../references.ts";

export interface RunStatusView {
  readonly document: StatusDocument;
  /** When it was read. */
  readonly now: number;
}

/** Without a reference: of the newest run. */
export async function status(app: Application, reference?: string): Promise<RunStatusView> {
  const reading = await app.read();
  return await viewOf(app, reading, await findRunOrNewest(reading.parts.store, reference));
}

/** Also found by its task, or a part of it. */
export async function statusByQuery(app: Application, query: string): Promise<RunStatusView> {
  const reading = await app.read();
  return await viewOf(app, reading, await findRunByQuery(reading.parts.store, query));
}

async function viewOf(app: Application, reading: ReadSession, summary: RunSummary): Promise<RunStatusView> {
  const { store, clock } = reading.parts;
  const run = await wholeRun(store, summary);
  const known = await knownHere(app, reading, { run, number: summary.number });
  const driver = (await driversOf(reading.parts)).get(summary.id) ?? null;
  const now = clock.now();
  const branch = await findWorkBranch(run.header, summary.number);
  return {
    document: statusDocument(run, summary, { now, branch, driver, known, unfinished: await unfinishedOf(store, run) }),
    now,
  };
}

export async function stories(app: Application, reference: string): Promise<StatusDocument["stories"]> {
  const { parts } = await app.read();
  const summary = await findRun(parts.store, reference);
  const facts = { now: parts.clock.now(), branch: null };
  return statusDocument(await wholeRun(parts.store, summary), summary, facts).stories;
}

/** Why the run could not be closed; empty if it was, or is not over. */
export async function unfinishedOf(store: Pick<Store, "failedClosings">, { header }: Run): Promise<readonly string[]> {
  if (header.end === null) return [];
  return (await store.failedClosings(header.id)).map(({ why }) => why);
}

/** Without a reference: of the newest run. */
export async function whyOf(app: Application, reference?: string): Promise<WhyDocument> {
  const reading = await app.read();
  const { store, clock } = reading.parts;
  const summary = await findRunOrNewest(store, reference);
  const run = await wholeRun(store, summary);
  const sentence = why(run, clock.now(), await knownHere(app, reading, { run, number: summary.number }));
  const open = [run.header, ...Object.values(run.stories)]
    .flatMap(({ gates }) => gates)
    .filter(isQuestion)
    .filter(({ state }) => state.status === "open");
  return {
    run: summary.id,
    number: summary.number,
    task: summary.task,
    status: summary.status,
    why: sentence,
    unfinished: await unfinishedOf(store, run),
    closing: run.header.end?.notes ?? [],
    gates: open.map(gateDocument),
  };
}

/** By the configuration of the run's own repository, wherever the caller is. */
export async function knownHere(
  app: Application,
  { parts }: ReadSession,
  known: { readonly run: Run; readonly number: number },
): Promise<Known> {
  const there = await app.read(known.run.header.place.repo).catch((error: unknown) => {
    // A configuration that is broken now does not hide the run.
    if (error instanceof AppError) return null;
    throw error;
  });
  const facts = await knownOf(parts, known, there?.parts ?? parts);
  const service = serviceHere(app);
  const trouble = service?.troubles[known.run.header.id];
  const words = trouble === undefined ? null : `${trouble.why}; ${trouble.hint}`;
  return { ...facts, service: service === null ? null : { trouble: words } };
}
