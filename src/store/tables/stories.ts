// Every query on stories, except on their entries (entries.ts): the planned spec, and the scope of a story that has begun.

import { type Kysely, sql } from "kysely";
import type { Attempt } from "../../domain/attempt.ts";
import { type RunId, type StoryId, storyId } from "../../domain/ids.ts";
import type { Story, StoryEntry, StorySpec } from "../../domain/story.ts";
import { readDocument } from "../document.ts";
import type { StoryRow, Tables } from "../schema.ts";
import { sqlText } from "../sql-text.ts";
import { orConflict, statement } from "../statement.ts";
import { entryColumns } from "./entries.ts";
import { pick } from "./pick.ts";

const documentKeys = [
  "of",
  "chain",
  "context",
  "gates",
  "countsFrom",
  "rounds",
  "retired",
] as const satisfies readonly (keyof Story)[];

/** The row of a story that has begun. */
export interface OpenedRow {
  readonly id: string;
  readonly version: number;
  readonly scope: string;
}

/** null: it has not begun. */
export async function selectOpened(db: Kysely<Tables>, run: RunId, id: StoryId): Promise<OpenedRow | null> {
  return (await openedById.first(db, { run, id })) ?? null;
}

export async function selectAllOpened(db: Kysely<Tables>, run: RunId): Promise<readonly OpenedRow[]> {
  return await allOpened.all(db, { run });
}

export function readStory(row: OpenedRow, attempts: readonly Attempt[]): Story {
  const scope = readDocument<Pick<Story, (typeof documentKeys)[number]>>(row.scope, `story ${row.id}`, ["chain"]);
  return { ...scope, id: storyId(row.id), attempts };
}

export async function selectSpecs(db: Kysely<Tables>, run: RunId): Promise<readonly StorySpec[]> {
  return (await specs.all(db, { run })).map((row) => readSpec(run, row));
}

export async function selectSpec(db: Kysely<Tables>, run: RunId, id: StoryId): Promise<StorySpec | null> {
  const row = await specById.first(db, { run, id });
  return row ? readSpec(run, row) : null;
}

/** Appends them after the existing stories. */
export async function insertStories(
  db: Kysely<Tables>,
  run: RunId,
  version: number,
  planned: readonly { readonly spec: StorySpec; readonly entry: StoryEntry }[],
): Promise<void> {
  let { position } = await nextPosition.one(db, { run });
  for (const { spec, entry } of planned) {
    const columns = entryColumns(run, version, entry);
    await insert.run(db, { ...columns, position, spec: JSON.stringify(spec), version: 0, scope: null });
    position += 1;
  }
}

export async function deleteStory(db: Kysely<Tables>, run: RunId, id: StoryId): Promise<void> {
  await remove.run(db, { run, id });
}

export function scopeChanged(before: Story, after: Story): boolean {
  return documentKeys.some((key) => before[key] !== after[key]);
}

/** Throws `VersionConflict` if the story no longer has the version that was read. */
export async function updateScope(db: Kysely<Tables>, run: RunId, version: number, story: Story): Promise<void> {
  const scope = JSON.stringify(pick(story, documentKeys));
  await update.run(db, { run, id: story.id, version, scope }, orConflict(`story ${story.id}`));
}

function readSpec(run: RunId, { spec }: { readonly spec: string }): StorySpec {
  return readDocument<StorySpec>(spec, `a story of run ${run}`, ["id"]);
}

const openedById = statement<{ run: string; id: string }, OpenedRow>(
  (_, p) => sqlText`select id, version, scope from stories
    where run_id = ${p("run")} and id = ${p("id")} and scope is not null`,
);

const allOpened = statement<{ run: string }, OpenedRow>(
  (_, p) => sqlText`select id, version, scope from stories where run_id = ${p("run")} and scope is not null`,
);

const specs = statement<{ run: string }, { spec: string }>((db, p) =>
  db.selectFrom("stories").select("spec").where("run_id", "=", p("run")).orderBy("position"),
);

const specById = statement<{ run: string; id: string }, { spec: string }>((db, p) =>
  db.selectFrom("stories").select("spec").where("run_id", "=", p("run")).where("id", "=", p("id")),
);

const nextPosition = statement<{ run: string }, { position: number }>((db, p) =>
  db
    .selectFrom("stories")
    .select((e) => e.fn.coalesce(e(e.fn.max("position"), "+", 1), e.lit(0)).as("position"))
    .where("run_id", "=", p("run")),
);

const insert = statement<StoryRow>((db, p) =>
  db.insertInto("stories").values({
    run_id: p("run_id"),
    id: p("id"),
    position: p("position"),
    status: p("status"),
    entry: p("entry"),
    changed: p("changed"),
    spec: p("spec"),
    version: p("version"),
    scope: p("scope"),
  }),
);

/** A story that has begun is never dropped. */
const remove = statement<{ run: string; id: string }>((db, p) =>
  db.deleteFrom("stories").where("run_id", "=", p("run")).where("id", "=", p("id")).where("scope", "is", null),
);

const update = statement<{ run: string; id: string; version: number; scope: string }>((db, p) =>
  db
    .updateTable("stories")
    .set({ scope: p("scope"), version: sql<number>`version + 1` })
    .where("run_id", "=", p("run"))
    .where("id", "=", p("id"))
    .where("version", "=", p("version")),
);
