// Every query on events, the log of a run. Events are only appended.

import type { Kysely } from "kysely";
import { type Event, eventSchemaVersion } from "../../domain/event.ts";
import type { RunId } from "../../domain/ids.ts";
import { readDocument } from "../document.ts";
import { currentEvent } from "../older-documents.ts";
import type { EventRow, Tables } from "../schema.ts";
import { statement } from "../statement.ts";
import type { StoredEvent } from "../store.ts";
import { scopeKey, storyOfKey } from "./scope-key.ts";

/** In order, starting after `after`. */
export async function selectEvents(
  db: Kysely<Tables>,
  run: RunId,
  after: number,
  limit: number,
): Promise<readonly StoredEvent[]> {
  const rows = await afterSeq.all(db, { run, after, limit });
  return rows.map((row) => ({ seq: row.seq, schemaVersion: row.schema_version, event: readEvent(row) }));
}

/** The events of a type that were recorded at exactly this time, in order. */
export async function selectEventsAt(
  db: Kysely<Tables>,
  run: RunId,
  type: Event["type"],
  at: number,
): Promise<readonly StoredEvent[]> {
  const rows = await atTime.all(db, { run, type, at });
  return rows.map((row) => ({ seq: row.seq, schemaVersion: row.schema_version, event: readEvent(row) }));
}

/** `last`: the number of the last of these events. */
export async function appendEvents(
  db: Kysely<Tables>,
  run: RunId,
  events: readonly Event[],
  last: number,
): Promise<void> {
  let seq = last - events.length;
  for (const event of events) {
    seq += 1;
    await insert.run(db, eventRow(run, seq, event));
  }
}

/** Fields that have columns are left out of the body. */
function eventRow(run: RunId, seq: number, event: Event): EventRow {
  const { at, author, story, type, ...body } = event;
  return {
    run_id: run,
    seq,
    at,
    author,
    type,
    story_id: scopeKey(story),
    schema_version: eventSchemaVersion,
    body: JSON.stringify(body),
  };
}

function readEvent(row: EventRow): Event {
  const head = { at: row.at, author: row.author, story: storyOfKey(row.story_id), type: row.type };
  const body = readDocument(row.body, `event ${row.seq} of run ${row.run_id}`, []);
  return currentEvent({ ...body, ...head } as Event);
}

const afterSeq = statement<{ run: string; after: number; limit: number }, EventRow>((db, p) =>
  db
    .selectFrom("events")
    .selectAll()
    .where("run_id", "=", p("run"))
    .where("seq", ">", p("after"))
    .orderBy("seq")
    .limit(p("limit")),
);

const atTime = statement<{ run: string; type: string; at: number }, EventRow>((db, p) =>
  db
    .selectFrom("events")
    .selectAll()
    .where("run_id", "=", p("run"))
    .where("type", "=", p("type"))
    .where("at", "=", p("at"))
    .orderBy("seq"),
);

const insert = statement<EventRow>((db, p) =>
  db.insertInto("events").values({
    run_id: p("run_id"),
    seq: p("seq"),
    at: p("at"),
    author: p("author"),
    type: p("type"),
    story_id: p("story_id"),
    schema_version: p("schema_version"),
    body: p("body"),
  }),
);
