// Every query on attempts. Columns are the fields that queries use; the attempt itself is one JSON body. An attempt that has ended is
// never written again, so a process reads it once.

import type { Kysely } from "kysely";
import { type Attempt, hasEnded } from "../../domain/attempt.ts";
import { type AttemptId, type RunId, runId, type StoryId } from "../../domain/ids.ts";
import { readDocument } from "../document.ts";
import type { AttemptRow, Tables } from "../schema.ts";
import { sqlText } from "../sql-text.ts";
import { orConflict, statement } from "../statement.ts";
import type { AttemptRef } from "../store.ts";
import { Recent } from "./recent.ts";
import { scopeKey } from "./scope-key.ts";

/** How many scopes to cache. Attempts of other scopes are read again. */
const maxScopes = 64;

/** The first attempts of scopes, up to the first that has not ended, as committed transactions of an opened store have seen them. */
export class KnownAttempts {
  readonly #scopes = new Recent<string, readonly Attempt[]>(maxScopes);

  get(scope: string): readonly Attempt[] {
    return this.#scopes.get(scope) ?? [];
  }

  /** Called after a commit. */
  learn(seen: SeenAttempts): void {
    for (const [scope, ended] of seen.scopes) {
      if (this.get(scope).length <= ended.length) this.#scopes.set(scope, ended);
    }
  }
}

/** The attempts that one transaction has seen. */
export class SeenAttempts {
  readonly scopes = new Map<string, readonly Attempt[]>();
  readonly #known: KnownAttempts;

  constructor(known: KnownAttempts) {
    this.#known = known;
  }

  /** The attempts of one scope, in the order in which they were dispatched. */
  async read(db: Kysely<Tables>, run: RunId, story: StoryId | null): Promise<readonly Attempt[]> {
    const scope = `${run} ${scopeKey(story)}`;
    const before = this.scopes.get(scope) ?? this.#known.get(scope);
    const rows = await ofScope.all(db, { run, story: scopeKey(story), from: before.length });
    const attempts = rows.length === 0 ? before : [...before, ...rows.map((row) => readAttempt(run, row))];
    this.#see(scope, attempts, before.length);
    return attempts;
  }

  wrote(run: RunId, story: StoryId | null, attempts: readonly Attempt[]): void {
    const scope = `${run} ${scopeKey(story)}`;
    this.#see(scope, attempts, this.#known.get(scope).length);
  }

  #see(scope: string, attempts: readonly Attempt[], known: number): void {
    let ended = known;
    for (let next = attempts[ended]; next !== undefined && hasEnded(next); next = attempts[ended]) ended += 1;
    this.scopes.set(scope, ended === attempts.length ? attempts : attempts.slice(0, ended));
  }
}

/** The attempts of every scope of a run, by story; the run's own are under null. */
export async function selectAllAttempts(
  db: Kysely<Tables>,
  run: RunId,
): Promise<ReadonlyMap<StoryId | null, readonly Attempt[]>> {
  return Map.groupBy(
    (await ofRun.all(db, { run })).map((row) => readAttempt(run, row)),
    ({ story }) => story,
  );
}

export async function selectAttempt(db: Kysely<Tables>, id: AttemptId): Promise<AttemptRef | null> {
  const row = await byId.first(db, { id });
  return row ? { run: runId(row.run_id), attempt: readAttempt(row.run_id, row) } : null;
}

export async function insertAttempt(db: Kysely<Tables>, run: RunId, position: number, attempt: Attempt): Promise<void> {
  await insert.run(db, {
    id: attempt.id,
    run_id: run,
    story_id: scopeKey(attempt.story),
    position,
    phase: attempt.state.phase,
    body: JSON.stringify(attempt),
  });
}

/** Throws `VersionConflict` if the attempt has changed since it was read. */
export async function updateAttempt(db: Kysely<Tables>, was: Attempt, is: Attempt): Promise<void> {
  const values = { id: is.id, was: was.state.phase, phase: is.state.phase, body: JSON.stringify(is) };
  await update.run(db, values, orConflict(`attempt ${is.id}`));
}

function readAttempt(run: string, { body }: Pick<AttemptRow, "body">): Attempt {
  return readDocument<Attempt>(body, `an attempt of run ${run}`, ["id", "state"]);
}

const ofScope = statement<{ run: string; story: string; from: number }, { body: string }>((db, p) =>
  db
    .selectFrom("attempts")
    .select("body")
    .where("run_id", "=", p("run"))
    .where("story_id", "=", p("story"))
    .where("position", ">=", p("from"))
    .orderBy("position"),
);

const ofRun = statement<{ run: string }, { body: string }>(
  (_, p) => sqlText`select body from attempts where run_id = ${p("run")} order by story_id, position`,
);

const byId = statement<{ id: string }, AttemptRow>((db, p) =>
  db.selectFrom("attempts").selectAll().where("id", "=", p("id")),
);

const insert = statement<AttemptRow>((db, p) =>
  db.insertInto("attempts").values({
    id: p("id"),
    run_id: p("run_id"),
    story_id: p("story_id"),
    position: p("position"),
    phase: p("phase"),
    body: p("body"),
  }),
);

/** Only if the attempt is still in the phase in which it was read. An ended attempt is never written again. */
const update = statement<{ id: string; was: string; phase: string; body: string }>((db, p) =>
  db
    .updateTable("attempts")
    .set({ phase: p("phase"), body: p("body") })
    .where("id", "=", p("id"))
    .where("phase", "=", p("was"))
    .where("phase", "!=", "ended"),
);
