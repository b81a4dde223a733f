// Every query on outlines: what a list says of runs beside their summaries. A header can be a hundred kilobytes, so what is taken from
// one is kept until its version changes.

import type { Kysely } from "kysely";
import { type RunId, runId } from "../../domain/ids.ts";
import type { Header } from "../../domain/run.ts";
import { isOver } from "../../domain/step.ts";
import { readDocument } from "../document.ts";
import type { Tables } from "../schema.ts";
import type { RunOutline, RunSummary, StoryCounts } from "../store.ts";
import { Recent } from "./recent.ts";

const maxOutlines = 2_000;

type OfHeader = Omit<RunOutline, "stories">;

export class KnownOutlines {
  readonly #known = new Recent<RunId, { readonly version: number; readonly outline: OfHeader }>(maxOutlines);

  async read(
    db: Kysely<Tables>,
    runs: readonly Pick<RunSummary, "id" | "status">[],
  ): Promise<ReadonlyMap<RunId, RunOutline>> {
    if (runs.length === 0) return new Map();
    const headers = await this.#headers(
      db,
      runs.flatMap(({ id, status }) => (status === "done" ? [] : [id])),
    );
    const stories = await storyCounts(
      db,
      runs.map(({ id }) => id),
    );
    return new Map(
      runs.map(({ id }) => [id, { ...(headers.get(id) ?? nothingOpen), stories: stories.get(id) ?? noStories }]),
    );
  }

  async #headers(db: Kysely<Tables>, runs: readonly RunId[]): Promise<ReadonlyMap<RunId, OfHeader>> {
    if (runs.length === 0) return new Map();
    const versions = await db.selectFrom("runs").select(["id", "version"]).where("id", "in", runs).execute();
    const stale = versions.filter(({ id, version }) => this.#known.get(runId(id))?.version !== version);
    const found = new Map(runs.flatMap((id) => [[id, this.#known.get(id)?.outline ?? nothingOpen] as const]));
    for (const { id, version, header } of await headersOf(db, stale)) {
      const outline = outlineOf(id, header);
      found.set(runId(id), outline);
      this.#known.set(runId(id), { version, outline });
    }
    return found;
  }
}

const nothingOpen: OfHeader = { step: null, capUsd: null, reason: "" };
const noStories: StoryCounts = { total: 0, done: 0, running: 0, failed: 0 };

async function headersOf(db: Kysely<Tables>, runs: readonly { readonly id: string }[]) {
  if (runs.length === 0) return [];
  const ids = runs.map(({ id }) => id);
  return await db.selectFrom("runs").select(["id", "version", "header"]).where("id", "in", ids).execute();
}

function outlineOf(id: string, text: string): OfHeader {
  const document = readDocument<Pick<Header, "chain" | "caps" | "end">>(text, `run ${id}`, ["chain"]);
  const { chain, caps, end } = document;
  const failed = chain.find(({ state }) => state.status === "failed");
  const step = failed ?? chain.find((each) => !isOver(each) && each.state.status !== "cancelled");
  return {
    step: step === undefined ? null : { id: step.id, name: step.name, status: step.state.status },
    capUsd: caps.costUsd,
    reason: end?.reason ?? "",
  };
}

/** Of those runs that have stories. */
async function storyCounts(db: Kysely<Tables>, runs: readonly RunId[]): Promise<ReadonlyMap<RunId, StoryCounts>> {
  const rows = await db
    .selectFrom("stories")
    .select(["run_id", "status", (e) => e.fn.countAll<number>().as("count")])
    .where("run_id", "in", [...runs])
    .groupBy(["run_id", "status"])
    .execute();
  const found = new Map<RunId, StoryCounts>();
  for (const { run_id, status, count } of rows) {
    const run = runId(run_id);
    const known = found.get(run) ?? noStories;
    const more = (name: string) => (status === name ? count : 0);
    found.set(run, {
      total: known.total + count,
      done: known.done + more("done"),
      running: known.running + more("running"),
      failed: known.failed + more("failed"),
    });
  }
  return found;
}
