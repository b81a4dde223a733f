// Checks one run: its log is whole, and its rows are what the log gives when it is replayed.

import type { Kysely } from "kysely";
import { errorText } from "../../domain/error.ts";
import type { Event } from "../../domain/event.ts";
import type { Gate } from "../../domain/gate.ts";
import type { RunId, StoryId } from "../../domain/ids.ts";
import { type Run, statusOf } from "../../domain/run.ts";
import type { StorySpec } from "../../domain/story.ts";
import { evolve } from "../../engine/evolve.ts";
import { sha256Of } from "../../system/sha256.ts";
import { readinessOf } from "../changes.ts";
import { BrokenDocument, readDocument } from "../document.ts";
import { StoreMemory } from "../memory.ts";
import { isLost } from "../postgres/trouble.ts";
import type { Tables } from "../schema.ts";
import { isDamaged } from "../sqlite/trouble.ts";
import { selectEvents } from "../tables/events.ts";
import { readEffect } from "../tables/outbox.ts";
import { scopeKey } from "../tables/scope-key.ts";
import { KyselyTransaction } from "../transaction.ts";
import { firstDifference, shownValue } from "./difference.ts";

export interface CheckedRun {
  /** Of everything that its rows say; null: they cannot be read. */
  readonly digest: string | null;
  readonly events: number;
  readonly problems: readonly FieldProblem[];
}

interface FieldProblem {
  /** Where: `header.task`, `event 7`, `offers`. */
  readonly field: string;
  readonly what: string;
}

/** Inside a snapshot. */
export async function checkRun(db: Kysely<Tables>, id: RunId): Promise<CheckedRun> {
  const log = await replayed(db, id);
  const rows = await readable("rows", async () => await rowsOf(db, id));
  const problems = [...log.problems, ...rows.problems];
  const { run } = log;
  if (rows.read === null) return { digest: null, events: log.events, problems };
  const digest = sha256Of(JSON.stringify(rows.read.run));
  if (run === null || problems.length > 0) return { digest, events: log.events, problems };
  return { digest, events: log.events, problems: [...differences(rows.read, { ...log, run })] };
}

/** The run as its rows have it, with nothing from a cache. */
export async function storedRun(db: Kysely<Tables>, id: RunId): Promise<Run | null> {
  return await new KyselyTransaction(db, new Map(), new StoreMemory().begin()).wholeRun(id);
}

interface Log {
  /** null: it cannot be replayed. */
  readonly run: Run | null;
  readonly events: number;
  /** Of the stories that its plans left. */
  readonly specs: ReadonlyMap<StoryId, StorySpec>;
  readonly problems: readonly FieldProblem[];
}

const batchEvents = 500;

/** In batches: a log may be larger than the run that it gives. */
async function replayed(db: Kysely<Tables>, id: RunId): Promise<Log> {
  let run: Run | null = null;
  let seq = 0;
  let batch = batchEvents;
  const specs = new Map<StoryId, StorySpec>();
  const stoppedBy = (field: string, what: string): Log => ({
    run: null,
    events: seq,
    specs,
    problems: [{ field, what }],
  });
  for (;;) {
    const after = seq;
    const page = await readable("log", async () => await selectEvents(db, id, after, batch));
    if (page.read === null && batch === 1) return stoppedBy(`event ${seq + 1}`, page.problems[0]?.what ?? "");
    if (page.read === null) {
      // One of them cannot be read: one by one, it is known which.
      batch = 1;
      continue;
    }
    for (const stored of page.read) {
      if (stored.seq !== seq + 1) return stoppedBy("log", `event ${seq + 1} is missing`);
      seq = stored.seq;
      try {
        run = evolve(run, stored.event);
        noteSpecs(specs, stored.event);
        // Of an event that no version up to this one writes.
        if (run === undefined) throw new Error("this Pawl does not know such an event");
      } catch (error) {
        return stoppedBy(`event ${seq}`, `${stored.event.type} cannot be replayed: ${errorText(error)}`);
      }
    }
    if (page.read.length < batch) break;
  }
  return run === null ? stoppedBy("log", "it has no event") : { run, events: seq, specs, problems: [] };
}

function noteSpecs(specs: Map<StoryId, StorySpec>, event: Event): void {
  if (event.type !== "stories_planned") return;
  for (const id of event.dropped) specs.delete(id);
  for (const spec of event.stories) specs.set(spec.id, spec);
}

type Rows = Awaited<ReturnType<typeof rowsOf>>;

async function rowsOf(db: Kysely<Tables>, id: RunId) {
  const run = await storedRun(db, id);
  if (run === null) throw new BrokenDocument(`run ${id}`);
  const row = await db
    .selectFrom("runs")
    .innerJoin("totals", "totals.run_id", "runs.id")
    .select(["workflow", "status", "repo", "shared", "source", "ended_at", "events"])
    .where("id", "=", id)
    .executeTakeFirst();
  const gates = await db.selectFrom("gates").selectAll().where("run_id", "=", id).execute();
  const stories = await db.selectFrom("stories").select(["id", "status", "spec"]).where("run_id", "=", id).execute();
  for (const effect of await db.selectFrom("outbox").select(["id", "effect"]).where("run_id", "=", id).execute())
    readEffect(effect);
  return {
    run,
    row,
    gates: gates.map(({ body, ...gate }) => ({ ...gate, gate: readDocument<Gate>(body, `gate ${gate.id}`, ["id"]) })),
    stories: stories.map(({ id: story, status, spec }) => ({
      id: story,
      status,
      spec: readDocument<StorySpec>(spec, `story ${story}`, ["id"]),
    })),
    attempts: await db.selectFrom("attempts").select(["id", "story_id", "phase"]).where("run_id", "=", id).execute(),
    offers: await db.selectFrom("ready").selectAll().where("run_id", "=", id).execute(),
  };
}

/** What the rows say and what the log says, the first difference of each kind. */
function* differences(rows: Rows, log: Log & { readonly run: Run }): Generator<FieldProblem> {
  const { header, stories } = log.run;
  const scopes = [header, ...Object.values(stories)];
  const compare = function* (field: string, stored: unknown, fromLog: unknown): Generator<FieldProblem> {
    const found = firstDifference(stored, fromLog, field);
    if (found === null) return;
    const [one, other] = [found.one, found.other].map((value) => shownValue(found.field, value));
    yield { field: found.field, what: `its row has ${one}, and its log gives ${other}` };
  };
  yield* compare("header", rows.run.header, header);
  yield* compare("stories", rows.run.stories, stories);
  yield* compare("row", rows.row, {
    workflow: header.definition.id,
    status: statusOf(header),
    repo: header.place.repo,
    shared: header.place.shared ?? null,
    source: header.place.source ?? null,
    ended_at: header.end?.at ?? null,
    events: log.events,
  });
  yield* compare(
    "storyRows",
    byId(rows.stories, ({ status, spec }) => ({ status, spec })),
    byId(header.stories, ({ id, status }) => ({ status, spec: log.specs.get(id) })),
  );
  yield* compare(
    "attemptRows",
    byId(rows.attempts, ({ story_id, phase }) => ({ story: story_id, phase })),
    byId(
      scopes.flatMap(({ attempts }) => attempts),
      ({ story, state }) => ({ story: scopeKey(story), phase: state.phase }),
    ),
  );
  yield* compare(
    "gates",
    byId(rows.gates, ({ story_id, step, status, opened_at, gate }) => ({
      story: story_id,
      step,
      status,
      openedAt: opened_at,
      gate,
    })),
    byId(
      scopes.flatMap(({ gates }): readonly Gate[] => gates),
      (gate) => ({
        story: scopeKey(gate.story),
        step: gate.step,
        status: gate.state.status,
        openedAt: gate.openedAt,
        gate,
      }),
    ),
  );
  yield* compare(
    "offers",
    rows.offers.map(({ story_id, step, part, paused }) => `${story_id}/${step}/${part} ${paused}`).toSorted(),
    readySteps(log.run)
      .map((step) => `${step} ${header.paused ? 1 : 0}`)
      .toSorted(),
  );
}

/** The offers of a run are its ready steps (DI12); one that is over has none. */
function readySteps({ header, stories }: Run): readonly string[] {
  if (header.end !== null) return [];
  const scopes = [{ story: null, is: header }, ...Object.values(stories).map((is) => ({ story: is.id, is }))];
  return scopes
    .flatMap(({ story, is }) => readinessOf({ story, was: undefined, is }).readied)
    .map(({ story, step, part }) => `${scopeKey(story)}/${step}/${part ?? ""}`);
}

function byId<T extends { readonly id: string }>(
  items: readonly T[],
  value: (item: T) => object,
): Readonly<Record<string, object>> {
  return Object.fromEntries(items.map((item) => [item.id, value(item)]));
}

/** What is damaged is a problem of this run; a database that does not answer is not. */
async function readable<T>(
  field: string,
  read: () => Promise<T>,
): Promise<{ readonly read: T | null; readonly problems: readonly FieldProblem[] }> {
  try {
    return { read: await read(), problems: [] };
  } catch (error) {
    if (!isDamage(error)) throw error;
    return { read: null, problems: [{ field, what: errorText(error) }] };
  }
}

function isDamage(error: unknown): boolean {
  if (error instanceof BrokenDocument || isDamaged(error)) return true;
  // Of this process, about what it has read: an error of a database or of the system has a code.
  return error instanceof Error && !("code" in error) && !isLost(error);
}
