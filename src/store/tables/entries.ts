// Entries of stories: a row each. Owns: every query on them, and reading only those that changed since this process last read
// them, so that a transition costs the same in a run of two thousand stories as in one of twenty.
//
// A version of a run that was committed belongs to one list of entries, in every process: each change of an entry makes the
// version grow. What an open transaction reads or writes is kept apart and becomes known only after the commit, because the
// version of a transaction that was rolled back may come a second time, with other entries.

import type { Kysely } from "kysely";
import type { RunId } from "../../domain/ids.ts";
import type { StoryEntry } from "../../domain/story.ts";
import type { RunRow, StoryRow, Tables } from "../schema.ts";
import { statement } from "../statement.ts";

interface Seen {
  readonly version: number;
  readonly entries: readonly StoryEntry[];
}

/** Runs that a process works on at the same time; a run beyond that is read anew. */
const mostRuns = 32;

/** The entries of an opened store: what its committed transactions have seen. */
export class KnownEntries {
  readonly #runs = new Map<RunId, Seen>();

  get(run: RunId): Seen | undefined {
    return this.#runs.get(run);
  }

  /** After the commit; transactions may report in another order than they were committed. */
  learn(seen: SeenEntries): void {
    for (const [run, latest] of seen.runs) {
      if ((this.#runs.get(run)?.version ?? -1) > latest.version) continue;
      this.#runs.delete(run);
      this.#runs.set(run, latest);
    }
    for (const run of this.#runs.keys()) {
      if (this.#runs.size <= mostRuns) break;
      this.#runs.delete(run);
    }
  }
}

/** The entries of one transaction. */
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
    // A snapshot may be older than what is known by now.
    const isUsable = before !== undefined && before.version >= row.planned && before.version < row.version;
    const entries = isUsable
      ? renewed(before.entries, await selectChanged.all(db, { run, since: before.version }))
      : (await selectAll.all(db, { run })).map(readEntry);
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

/** Entries that a transition changed keep their place unless a plan has brought or dropped some. */
export function changedEntries(
  before: readonly StoryEntry[],
  after: readonly StoryEntry[],
  replanned: boolean,
): readonly StoryEntry[] {
  if (!replanned) return after.filter((entry, index) => entry !== before[index]);
  const known = new Set(before);
  return after.filter((entry) => !known.has(entry));
}

function renewed(entries: readonly StoryEntry[], rows: readonly { entry: string }[]): readonly StoryEntry[] {
  if (rows.length === 0) return entries;
  const changed = new Map(rows.map(readEntry).map((entry) => [entry.id, entry]));
  return entries.map((entry) => changed.get(entry.id) ?? entry);
}

function readEntry({ entry }: { readonly entry: string }): StoryEntry {
  return JSON.parse(entry) as StoryEntry;
}

type EntryColumns = Pick<StoryRow, "run_id" | "id" | "status" | "entry" | "changed">;

export function entryColumns(run: RunId, version: number, entry: StoryEntry): EntryColumns {
  return { run_id: run, id: entry.id, status: entry.status, entry: JSON.stringify(entry), changed: version };
}

const selectAll = statement<{ run: string }, { entry: string }>((db, p) =>
  db.selectFrom("stories").select("entry").where("run_id", "=", p("run")).orderBy("position"),
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
