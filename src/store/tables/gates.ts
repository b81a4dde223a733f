// Every query on gates.

import type { Kysely } from "kysely";
import type { Gate } from "../../domain/gate.ts";
import { type GateId, type RunId, runId } from "../../domain/ids.ts";
import { readDocument } from "../document.ts";
import type { GateRow, Tables } from "../schema.ts";
import { statement } from "../statement.ts";
import type { GateRef } from "../store.ts";
import { scopeKey } from "./scope-key.ts";

/** Oldest first; `run` null: of all runs. A damaged one is missing among all, and named to who asks for its run. */
export async function selectOpenGates(db: Kysely<Tables>, run: RunId | null): Promise<readonly GateRef[]> {
  return run === null
    ? (await allOpen.all(db, {})).flatMap(readableGate)
    : (await openOfRun.all(db, { run })).map(readGate);
}

export async function selectGate(db: Kysely<Tables>, id: GateId): Promise<GateRef | null> {
  const row = await byId.first(db, { id });
  return row ? readGate(row) : null;
}

export async function insertGate(db: Kysely<Tables>, run: RunId, gate: Gate): Promise<void> {
  await insert.run(db, {
    id: gate.id,
    run_id: run,
    story_id: scopeKey(gate.story),
    step: gate.step,
    status: gate.state.status,
    opened_at: gate.openedAt,
    body: JSON.stringify(gate),
  });
}

export async function updateGate(db: Kysely<Tables>, gate: Gate): Promise<void> {
  await update.run(db, { id: gate.id, status: gate.state.status, body: JSON.stringify(gate) });
}

function readGate(row: GateRow): GateRef {
  return { run: runId(row.run_id), gate: readDocument<Gate>(row.body, `gate ${row.id}`, ["id", "state"]) };
}

function readableGate(row: GateRow): readonly GateRef[] {
  try {
    return [readGate(row)];
  } catch {
    return [];
  }
}

const open = (db: Kysely<Tables>) =>
  db.selectFrom("gates").selectAll().where("status", "=", "open").orderBy("opened_at").orderBy("id");

const allOpen = statement<Record<string, never>, GateRow>((db) => open(db));

const openOfRun = statement<{ run: string }, GateRow>((db, p) => open(db).where("run_id", "=", p("run")));

const byId = statement<{ id: string }, GateRow>((db, p) =>
  db.selectFrom("gates").selectAll().where("id", "=", p("id")),
);

const insert = statement<GateRow>((db, p) =>
  db.insertInto("gates").values({
    id: p("id"),
    run_id: p("run_id"),
    story_id: p("story_id"),
    step: p("step"),
    status: p("status"),
    opened_at: p("opened_at"),
    body: p("body"),
  }),
);

const update = statement<{ id: string; status: string; body: string }>((db, p) =>
  db
    .updateTable("gates")
    .set({ status: p("status"), body: p("body") })
    .where("id", "=", p("id")),
);
