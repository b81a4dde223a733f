// Every query on runs: their headers as one document, their numbers, and their summaries.

import { type Kysely, sql } from "kysely";
import { type RunId, runId } from "../../domain/ids.ts";
import { type Header, type RunStatus, statusOf } from "../../domain/run.ts";
import { readDocument } from "../document.ts";
import { currentPlace } from "../older-documents.ts";
import type { RunRow, Tables, TotalsRow } from "../schema.ts";
import { SqlText, sqlText } from "../sql-text.ts";
import { orConflict, statement } from "../statement.ts";
import type { LocatedRun, PlaceFilter, RunFilter, RunSummary } from "../store.ts";
import { pick } from "./pick.ts";
import { Recent } from "./recent.ts";
import { readTotals } from "./totals.ts";

/** The fields of a header that are kept as one document. The others have columns or rows of their own. */
const documentKeys = [
  "chain",
  "context",
  "collected",
  "gates",
  "countsFrom",
  "rounds",
  "notes",
  "signals",
  "place",
  "executor",
  "waits",
  "given",
  "caps",
  "paused",
  "end",
] as const satisfies readonly (keyof Header)[];

type HeaderDocument = Pick<Header, (typeof documentKeys)[number]>;

/** The fields of a header that are in the row of a run. Attempts, totals and stories have rows of their own. */
type HeaderPart = HeaderDocument & Pick<Header, "id" | "task" | "startedAt">;

/** Inside a write transaction: two runs that start at once get different numbers. */
export async function nextRunNumber(db: Kysely<Tables>): Promise<number> {
  return (await countUp.one(db, { name: "run" })).value;
}

/** The row of a run with its totals; its header is null where the version that was known is the current one. */
type FoundRow = Pick<RunRow, "id" | "number" | "task" | "started_at" | "definition" | "version" | "planned"> &
  Omit<TotalsRow, "run_id" | "events" | "position"> & { readonly header: string | null };

export interface RowAndHeader {
  readonly row: FoundRow;
  readonly header: HeaderPart;
}

interface KnownHeader {
  readonly version: number;
  readonly document: HeaderDocument;
}

/** How many runs to cache. Headers of other runs are read again. */
const maxRuns = 32;

/** The headers that committed transactions of an opened store have seen. A long chain is a hundred kilobytes. */
export class KnownHeaders {
  readonly #runs = new Recent<RunId, KnownHeader>(maxRuns);

  get(run: RunId): KnownHeader | undefined {
    return this.#runs.get(run);
  }

  /** Called after a commit. Calls may come in another order than the commits. */
  learn(seen: SeenHeaders): void {
    for (const [run, latest] of seen.runs) {
      if ((this.#runs.get(run)?.version ?? -1) <= latest.version) this.#runs.set(run, latest);
    }
  }
}

/** The headers that one transaction has seen. */
export class SeenHeaders {
  readonly runs = new Map<RunId, KnownHeader>();
  readonly #known: KnownHeaders;

  constructor(known: KnownHeaders) {
    this.#known = known;
  }

  /** The row and the header of a run; null if there is none. */
  async read(db: Kysely<Tables>, id: RunId): Promise<RowAndHeader | null> {
    const known = this.runs.get(id) ?? this.#known.get(id);
    const found = { id, known: known?.version ?? -1 };
    const row = await byId.first(db, found);
    if (row === undefined) return null;
    const document = row.header === null && known !== undefined ? known.document : readHeader(id, row.header ?? "");
    this.runs.set(id, { version: row.version, document });
    return { row, header: { ...document, id: runId(row.id), task: row.task, startedAt: row.started_at } };
  }

  wrote(header: Header, version: number): void {
    this.runs.set(header.id, { version, document: pick(header, documentKeys) });
  }
}

function readHeader(id: RunId, text: string): HeaderDocument {
  type Written = Omit<HeaderDocument, "notes"> & Partial<Pick<HeaderDocument, "notes">>;
  const document = readDocument<Written>(text, `run ${id}`, ["chain", "context", "place"]);
  // Runs that an older Pawl recorded have no notes.
  return { notes: [], ...document, place: currentPlace(document.place) };
}

export async function insertRun(db: Kysely<Tables>, number: number, header: Header, definition: string): Promise<void> {
  await insert.run(db, {
    id: header.id,
    number,
    workflow: header.definition.id,
    task: header.task,
    status: statusOf(header),
    repo: header.place.repo,
    shared: header.place.shared ?? null,
    source: header.place.source ?? null,
    started_at: header.startedAt,
    ended_at: null,
    definition,
    version: 0,
    planned: 0,
    header: documentOf(header),
  });
}

export function headerChanged(before: Header, after: Header): boolean {
  return documentKeys.some((key) => before[key] !== after[key]);
}

/** Throws `VersionConflict` if the run no longer has the version that was read. */
export async function updateHeader(
  db: Kysely<Tables>,
  was: Header,
  is: Header,
  version: { readonly read: number; readonly next: number; readonly planned: number },
): Promise<void> {
  const { read, next, planned } = version;
  const written = { id: is.id, version: read, next, planned, header: documentOf(is) };
  const status = statusOf(is);
  const isSame = statusOf(was) === status && was.end === is.end;
  const check = orConflict(`run ${is.id}`);
  if (isSame) await update.run(db, written, check);
  else await updateWithStatus.run(db, { ...written, status, ended_at: is.end?.at ?? null }, check);
}

export async function selectSummary(db: Kysely<Tables>, id: RunId): Promise<RunSummary | null> {
  const row = await summaryById.first(db, { id });
  return row ? summaryOfRow(row) : null;
}

export async function selectSummaryByNumber(db: Kysely<Tables>, number: number): Promise<RunSummary | null> {
  const row = await summaries(db).where("number", "=", number).executeTakeFirst();
  return row ? summaryOfRow(row) : null;
}

export async function selectSummariesByPrefix(
  db: Kysely<Tables>,
  prefix: string,
  limit: number,
): Promise<readonly RunSummary[]> {
  // A range instead of LIKE: it uses the key's index in every dialect, and `%` in a prefix means nothing.
  const rows = await summaries(db)
    .where("id", ">=", prefix)
    .where("id", "<", `${prefix}\u{10ffff}`)
    .orderBy("number")
    .limit(limit)
    .execute();
  return rows.map(summaryOfRow);
}

/** Newest first. */
export async function selectSummaries(db: Kysely<Tables>, filter: RunFilter): Promise<readonly RunSummary[]> {
  // An empty list after IN is not valid SQL in every dialect.
  if (filter.statuses?.length === 0) return [];
  const { statuses, limit, before = Number.MAX_SAFE_INTEGER, search } = filter;
  const [status, ...others] = statuses ?? [];
  if (search === undefined && others.length === 0) {
    const found = status === undefined ? newestSummaries : newestWithStatus;
    return (await found.all(db, { limit, before, status: status ?? "" })).map(summaryOfRow);
  }
  let query = summaries(db).where("number", "<", before).orderBy("number", "desc").limit(limit);
  if (statuses !== null) query = query.where("status", "in", [...statuses]);
  if (search !== undefined) query = query.where(matching(search));
  return (await query.execute()).map(summaryOfRow);
}

/** By status, from the index on it. */
export async function countRuns(db: Kysely<Tables>): Promise<ReadonlyMap<RunStatus, number>> {
  const rows = await db
    .selectFrom("runs")
    .select(["status", (e) => e.fn.countAll<number>().as("count")])
    .groupBy("status")
    .execute();
  return new Map(rows.map(({ status, count }) => [status as RunStatus, count]));
}

/** The database makes both sides lower case: each has its own idea of which letters have one. */
function matching(search: string) {
  const pattern = `%${search.replaceAll(/[\\%_]/g, "\\$&")}%`;
  const number = /^#?(\d{1,9})$/.exec(search)?.[1];
  const words = sql<boolean>`(lower(task) like lower(${pattern}) escape '\\' or lower(workflow) like lower(${pattern}) escape '\\')`;
  return number === undefined ? words : sql<boolean>`(number = ${Number(number)} or ${words})`;
}

/** Newest first. */
export async function selectRunsAt(db: Kysely<Tables>, place: PlaceFilter): Promise<readonly LocatedRun[]> {
  const rows = await summaries(db)
    .select(["shared", "source"])
    .where((e) => e.or([e("shared", "=", place.shared), e("source", "=", place.source)]))
    .orderBy("number", "desc")
    .execute();
  return rows.map((row) => ({ ...summaryOfRow(row), shared: row.shared, source: row.source }));
}

/** From so many steps on, remembering the text of each takes less time than printing all of them. */
const longChain = 50;

/** In a long chain, all steps but one or two are those of the transition before. */
function documentOf(header: Header): string {
  return header.chain.length < longChain ? JSON.stringify(pick(header, documentKeys)) : longDocumentOf(header);
}

/** As `JSON.stringify` prints it. */
function longDocumentOf(header: Header): string {
  const fields = documentKeys.flatMap((key) => {
    const value = header[key];
    return value === undefined ? [] : [`"${key}":${key === "chain" ? chainText(header.chain) : textOf(value)}`];
  });
  return `{${fields.join(",")}}`;
}

function chainText(chain: Header["chain"]): string {
  return `[${chain.map(textOf).join(",")}]`;
}

/** Values of a header never change: a transition makes new ones. */
function textOf(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const known = texts.get(value);
  if (known !== undefined) return known;
  const text = JSON.stringify(value);
  texts.set(value, text);
  return text;
}

const texts = new WeakMap<object, string>();

const summaryColumns = [
  "id",
  "number",
  "workflow",
  "task",
  "status",
  "repo",
  "started_at",
  "ended_at",
  "attempts",
  "steps",
  "cost_usd",
  "input_tokens",
  "output_tokens",
  "cache_read_tokens",
  "estimated_usd",
  "unreported",
] as const;

export function summaries(db: Kysely<Tables>) {
  return db.selectFrom("runs").innerJoin("totals", "totals.run_id", "runs.id").select(summaryColumns);
}

const summary = new SqlText(
  [`select ${summaryColumns.join(", ")} from runs inner join totals on totals.run_id = runs.id`],
  [],
);

export type SummaryRow = Omit<RunRow, "definition" | "version" | "planned" | "header" | "shared" | "source"> &
  Omit<TotalsRow, "run_id" | "events" | "position">;

export function summaryOfRow(row: SummaryRow): RunSummary {
  return {
    id: runId(row.id),
    number: row.number,
    workflow: row.workflow,
    task: row.task,
    status: row.status as RunStatus,
    repo: row.repo,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    totals: readTotals(row),
  };
}

/** A driver asks for it in each turn. */
const summaryById = statement<{ id: string }, SummaryRow>((_, p) => sqlText`${summary} where id = ${p("id")}`);

interface NewestArguments {
  readonly limit: number;
  readonly before: number;
  readonly status: string;
}

const newestSummaries = statement<NewestArguments, SummaryRow>(
  (_, p) => sqlText`${summary} where number < ${p("before")} order by number desc limit ${p("limit")}`,
);

const newestWithStatus = statement<NewestArguments, SummaryRow>(
  (_, p) =>
    sqlText`${summary} where status = ${p("status")} and number < ${p("before")} order by number desc limit ${p("limit")}`,
);

const countUp = statement<{ name: string }, { value: number }>((db, p) =>
  db
    .insertInto("counters")
    .values({ name: p("name"), value: 1 })
    .onConflict((c) => c.column("name").doUpdateSet({ value: sql<number>`counters.value + 1` }))
    .returning("value"),
);

const byId = statement<{ id: string; known: number }, FoundRow>(
  (_, p) => sqlText`select id, number, task, started_at, definition, version, planned,
    case when version = ${p("known")} then null else header end as header,
    attempts, steps, cost_usd, input_tokens, output_tokens, cache_read_tokens, estimated_usd, unreported
  from runs inner join totals on totals.run_id = runs.id where id = ${p("id")}`,
);

const insert = statement<RunRow>((db, p) =>
  db.insertInto("runs").values({
    id: p("id"),
    number: p("number"),
    workflow: p("workflow"),
    task: p("task"),
    status: p("status"),
    repo: p("repo"),
    shared: p("shared"),
    source: p("source"),
    started_at: p("started_at"),
    ended_at: p("ended_at"),
    definition: p("definition"),
    version: p("version"),
    planned: p("planned"),
    header: p("header"),
  }),
);

type HeaderColumns = Pick<RunRow, "id" | "version" | "planned" | "header"> & { next: number };

/** Most transitions leave the status as it is. A column that is set is written to its index as well, whether it changes or not. */
const update = statement<HeaderColumns>((db, p) =>
  db
    .updateTable("runs")
    .set({ header: p("header"), version: p("next"), planned: p("planned") })
    .where("id", "=", p("id"))
    .where("version", "=", p("version")),
);

const updateWithStatus = statement<HeaderColumns & Pick<RunRow, "status" | "ended_at">>((db, p) =>
  db
    .updateTable("runs")
    .set({
      header: p("header"),
      status: p("status"),
      ended_at: p("ended_at"),
      version: p("next"),
      planned: p("planned"),
    })
    .where("id", "=", p("id"))
    .where("version", "=", p("version")),
);

/** Every table that has rows of a run, before the run itself. */
const ownedTables = [
  "events",
  "attempts",
  "gates",
  "outbox",
  "sent_messages",
  "ready",
  "leases",
  "drivers",
  "permit_lines",
  "start_keys",
  "stories",
  "totals",
] as const;

export async function deleteRun(db: Kysely<Tables>, run: RunId): Promise<void> {
  for (const table of ownedTables) await db.deleteFrom(table).where("run_id", "=", run).execute();
  await db.deleteFrom("runs").where("id", "=", run).where("ended_at", "is not", null).execute();
}
