// Stores each attempt as one JSON body. Only fields that queries use stay columns.

import type { Kysely } from "kysely";
import type { ColumnTypes } from "../column-types.ts";
import { readDocument } from "../document.ts";

/** The rows before and after. Current types may change; the stored data of that version does not. */
interface Tables {
  runs: { id: string };
  attempts: OldRow;
  attempt_bodies: NewRow;
}

interface OldRow {
  id: string;
  run_id: string;
  story_id: string;
  position: number;
  step: string;
  name: string;
  visit: number;
  number: number;
  token: string;
  driver: string;
  executor: string;
  host: string;
  started_at: number;
  phase: string;
  session: string | null;
  cost_usd: number;
  input_tokens: number;
  output_tokens: number;
  cache_read_tokens: number;
  estimated_usd: number;
  model: string | null;
  agent_version: string | null;
  state: string;
}

interface NewRow {
  id: string;
  run_id: string;
  story_id: string;
  position: number;
  phase: string;
  body: string;
}

/** Creates a new table, since dropping 21 columns would copy the old one 21 times. */
export async function up(untyped: Kysely<never>, types: ColumnTypes): Promise<void> {
  const { schema } = untyped;
  await schema
    .createTable("attempt_bodies")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("run_id", "text", (c) => c.notNull().references("runs.id"))
    .addColumn("story_id", "text", (c) => c.notNull())
    .addColumn("position", types.integer, (c) => c.notNull())
    .addColumn("phase", "text", (c) => c.notNull())
    .addColumn("body", "text", (c) => c.notNull())
    .execute();

  const db = untyped as unknown as Kysely<Tables>;
  for (const { id } of await db.selectFrom("runs").select("id").execute()) {
    const rows = await db.selectFrom("attempts").selectAll().where("run_id", "=", id).execute();
    for (const row of rows) await db.insertInto("attempt_bodies").values(newRow(row)).execute();
  }

  await schema.dropTable("attempts").execute();
  await schema.alterTable("attempt_bodies").renameTo("attempts").execute();
  await schema
    .createIndex("attempts_by_scope")
    .unique()
    .on("attempts")
    .columns(["run_id", "story_id", "position"])
    .execute();
}

function newRow(row: OldRow): NewRow {
  const { id, run_id, story_id, position, phase } = row;
  const body = {
    id,
    story: story_id === "" ? null : story_id,
    step: row.step,
    name: row.name,
    visit: row.visit,
    number: row.number,
    token: row.token,
    driver: row.driver,
    executor: row.executor,
    host: row.host,
    startedAt: row.started_at,
    usage: {
      costUsd: row.cost_usd,
      inputTokens: row.input_tokens,
      outputTokens: row.output_tokens,
      cacheReadTokens: row.cache_read_tokens,
      estimatedUsd: row.estimated_usd,
    },
    session: row.session,
    model: row.model,
    version: row.agent_version,
    state: readDocument(row.state, `attempt ${id}`, []),
  };
  return { id, run_id, story_id, position, phase, body: JSON.stringify(body) };
}
