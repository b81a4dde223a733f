// Every query on story entries. It reads only entries that changed since this process last read them, so that a transition costs
// the same in a run of two thousand stories as in one of twenty.
//
// Each change of an entry increases the version of the run, so a committed version has the same list of entries in every process.
// Entries of an open transaction are kept apart until the commit, because the version number of a rolled-back transaction may be
// used again with other entries.

import type { Kysely } from "kysely";
import type { RunId } from "../../domain/ids.ts";
import type { StoryEntry } from "../../domain/story.ts";
import { readDocument } from "../document.ts";
import type { RunRow, StoryRow, Tables } from "../schema.ts";
import { sqlText } from "../sql-text.ts";
import { statement } from "../statement.ts";
import { Recent } from "./recent.ts";

interface Seen {
  readonly version: number;
  readonly entries: readonly StoryEntry[];
}

/** How many runs to cache. Entries of other runs are read again. */
const maxRuns = 32;

/** The entries that committed transactions of an opened store have seen. */
export class KnownEntries {
  readonly #runs = new Recent<RunId, Seen>(maxRuns);

  get(run: RunId): Seen | undefined {
    return this.#runs.get(run);
  }

  /** Called after a commit. Calls may come in another order than the commits. */
  learn(seen: SeenEntries): void {
    for (const [run, latest] of seen.runs) {
      if ((this.#runs.get(run)?.version ?? -1) <= latest.version) this.#runs.set(run, latest);
    }
  }
}

/** The entries that one transaction has seen. */
export class SeenEntries {
  readonly runs = new Map<RunId, Seen>();
  readonly #known: KnownEntries;

  constructor(known: KnownEntries) {
    this.#known = known;
  }

  /** The entries of a run, in the order of its plans. */
  async read(db: Kysely<Tables>, run: RunId, row: Pick<RunRow, "version" | "planned">): Promise<readonly StoryEntry[]> {
    const before = this.runs.get(run) ?? this.#known.get(run);
    if (before?.version === row.version) return before.entries;
    // A snapshot may be older than the cached version.
    const isUsable = before !== undefined && before.version >= row.planned && before.version < row.version;
    const entries = isUsable
      ? renewed(run, before.entries, await selectChanged.all(db, { run, since: before.version }))
      : (await selectAll.all(db, { run })).map((stored) => readEntry(run, stored));
    this.runs.set(run, { version: row.version, entries });
    return entries;
  }

  wrote(run: RunId, version: number, entries: readonly StoryEntry[]): void {
    this.runs.set(run, { version, entries });
  }
}

export async function updateEntry(db: Kysely<Tables>, run: RunId, version: number, entry: StoryEntry): Promise<void> {
  await update.run(db, entryColumns(run, version, entry));
}

/** The entries that a transition changed. Positions stay the same unless a plan added or dropped stories. */
export function changedEntries(
  before: readonly StoryEntry[],
  after: readonly StoryEntry[],
  replanned: boolean,
): readonly StoryEntry[] {
  if (!replanned) return after.filter((entry, index) => entry !== before[index]);
  const known = new Set(before);
  return after.filter((entry) => !known.has(entry));
}

function renewed(
  run: RunId,
  entries: readonly StoryEntry[],
  rows: readonly { entry: string }[],
): readonly StoryEntry[] {
  if (rows.length === 0) return entries;
  const changed = new Map(rows.map((row) => readEntry(run, row)).map((entry) => [entry.id, entry]));
  return entries.map((entry) => changed.get(entry.id) ?? entry);
}

function readEntry(run: RunId, { entry }: { readonly entry: string }): StoryEntry {
  return readDocument<StoryEntry>(entry, `a story of run ${run}`, ["id", "status"]);
}

type EntryColumns = Pick<StoryRow, "run_id" | "id" | "status" | "entry" | "changed">;

export function entryColumns(run: RunId, version: number, entry: StoryEntry): EntryColumns {
  return { run_id: run, id: entry.id, status: entry.status, entry: JSON.stringify(entry), changed: version };
}

const selectAll = statement<{ run: string }, { entry: string }>(
  (_, p) => sqlText`select entry from stories where run_id = ${p("run")} order by position`,
);

const selectChanged = statement<{ run: string; since: number }, { entry: string }>((db, p) =>
  db.selectFrom("stories").select("entry").where("run_id", "=", p("run")).where("changed", ">", p("since")),
);

const update = statement<EntryColumns>((db, p) =>
  db
    .updateTable("stories")
    .set({ status: p("status"), entry: p("entry"), changed: p("changed") })
    .where("run_id", "=", p("run_id"))
    .where("id", "=", p("id")),
);
