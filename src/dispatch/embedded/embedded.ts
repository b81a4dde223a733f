// Embedded dispatch. Owns: ready steps and leases as rows beside the run's own, in the same commits. No daemon, no broker.

import type { Kysely } from "kysely";
import { type AttemptId, attemptId, type RunId, runId, stepId } from "../../domain/ids.ts";
import { definitionOf } from "../../engine/definitions.ts";
import { scopeKey, storyOfKey } from "../../store/rows.ts";
import type { LeaseRow, ReadyRow, Tables } from "../../store/schema.ts";
import { statement } from "../../store/statement.ts";
import type { Changes, ReadyStep, Store, Transaction } from "../../store/store.ts";
import type { Dispatch, Lease, Offer, Wanted } from "../dispatch.ts";

export class EmbeddedDispatch implements Dispatch {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  async follow(tx: Transaction, changes: Changes): Promise<void> {
    const { run } = changes;
    const { id } = run.header;
    for (const step of changes.unreadied)
      await withdraw.run(tx.db, { run: id, story: scopeKey(step.story), step: step.step });
    if (run.header.end !== null) await withdrawAll.run(tx.db, { run: id });
    else for (const step of changes.readied) await offer.run(tx.db, readyRow(changes, step));
    if (changes.paused !== null) await markPaused.run(tx.db, { run: id, paused: changes.paused ? 1 : 0 });
    for (const attempt of changes.ended) await endLease.run(tx.db, { attempt });
    await tx.releasePermits(changes.ended);
  }

  async offers(at: Pick<Transaction, "db">, wanted: Wanted): Promise<readonly Offer[]> {
    const rows = await offerRows(at, wanted);
    return rows.map((row) => ({
      run: runId(row.run_id),
      story: storyOfKey(row.story_id),
      step: stepId(row.step),
      agent: row.agent,
    }));
  }

  async lease(tx: Transaction, lease: Lease): Promise<void> {
    await insertLease.run(tx.db, {
      attempt_id: lease.attempt,
      run_id: lease.run,
      story_id: scopeKey(lease.story),
      worker: lease.worker,
      until: lease.until,
    });
  }

  async renew(worker: string, attempts: readonly AttemptId[], until: number): Promise<readonly AttemptId[]> {
    return await this.#store.transaction(async (tx) => {
      const held: AttemptId[] = [];
      for (const attempt of attempts) {
        if ((await renewLease.run(tx.db, { attempt, worker, until })) > 0) held.push(attempt);
      }
      return held;
    });
  }

  async takeOver(lease: Lease, worker: string, until: number): Promise<boolean> {
    return await this.#store.transaction(async (tx) => {
      const taken = { attempt: lease.attempt, from: lease.worker, until: lease.until, worker, next: until };
      return (await takeLease.run(tx.db, taken)) > 0;
    });
  }

  async leases(filter: { readonly endedBefore: number | null }): Promise<readonly Lease[]> {
    const rows = await this.#store.read((db) =>
      leasesUntil.all(db, { time: filter.endedBefore ?? Number.MAX_SAFE_INTEGER }),
    );
    return rows.map((row) => ({
      attempt: attemptId(row.attempt_id),
      run: runId(row.run_id),
      story: storyOfKey(row.story_id),
      worker: row.worker,
      until: row.until,
    }));
  }

  async nextTime(run: RunId | null, after: number): Promise<number | null> {
    return await this.#store.read(async (db) => {
      const later = db
        .selectFrom("ready")
        .select((e) => e.fn.min("not_before").as("time"))
        .where("paused", "=", 0)
        .where("not_before", ">", after);
      const row = await (run === null ? later : later.where("run_id", "=", run)).executeTakeFirst();
      return row?.time ?? null;
    });
  }
}

async function offerRows({ db }: Pick<Transaction, "db">, wanted: Wanted): Promise<readonly ReadyRow[]> {
  const { run, agent, now, limit } = wanted;
  if (run !== null && agent !== null) return await offersOfRunForAgent.all(db, { run, agent, now, limit });
  if (run !== null) return await offersOfRun.all(db, { run, now, limit });
  if (agent !== null) return await offersForAgent.all(db, { agent, now, limit });
  return await offersForAll.all(db, { now, limit });
}

function readyRow(changes: Changes, ready: ReadyStep): ReadyRow {
  const { run } = changes;
  const scope = ready.story === null ? run.header : run.stories[ready.story];
  const name = scope?.chain.find((step) => step.id === ready.step)?.name;
  const definition = name === undefined ? null : definitionOf(run, ready.story, name);
  return {
    run_id: run.header.id,
    story_id: scopeKey(ready.story),
    step: ready.step,
    agent: definition?.kind === "agent" ? `${run.header.definition.id}/${definition.agent}` : "",
    paused: run.header.paused ? 1 : 0,
    not_before: ready.notBefore,
    run_number: changes.number,
  };
}

const offer = statement<ReadyRow>((db, p) =>
  db.insertInto("ready").values({
    run_id: p("run_id"),
    story_id: p("story_id"),
    step: p("step"),
    agent: p("agent"),
    paused: p("paused"),
    not_before: p("not_before"),
    run_number: p("run_number"),
  }),
);

const withdraw = statement<{ run: string; story: string; step: string }>((db, p) =>
  db
    .deleteFrom("ready")
    .where("run_id", "=", p("run"))
    .where("story_id", "=", p("story"))
    .where("step", "=", p("step")),
);

const withdrawAll = statement<{ run: string }>((db, p) => db.deleteFrom("ready").where("run_id", "=", p("run")));

const markPaused = statement<{ run: string; paused: number }>((db, p) =>
  db
    .updateTable("ready")
    .set({ paused: p("paused") })
    .where("run_id", "=", p("run")),
);

type Page = { now: number; limit: number };

/** The oldest run first; in a run, what has been ready the longest. */
const inOrder = (db: Kysely<Tables>, p: (name: keyof Page) => number) =>
  db
    .selectFrom("ready")
    .selectAll()
    .where("paused", "=", 0)
    .where("not_before", "<=", p("now"))
    .orderBy("run_number")
    .orderBy("not_before")
    .orderBy("story_id")
    .limit(p("limit"));

const offersForAll = statement<Page, ReadyRow>((db, p) => inOrder(db, p));

const offersForAgent = statement<Page & { agent: string }, ReadyRow>((db, p) =>
  inOrder(db, p).where("agent", "=", p("agent")),
);

const offersOfRun = statement<Page & { run: string }, ReadyRow>((db, p) =>
  inOrder(db, p).where("run_id", "=", p("run")),
);

const offersOfRunForAgent = statement<Page & { run: string; agent: string }, ReadyRow>((db, p) =>
  inOrder(db, p).where("run_id", "=", p("run")).where("agent", "=", p("agent")),
);

const insertLease = statement<LeaseRow>((db, p) =>
  db.insertInto("leases").values({
    attempt_id: p("attempt_id"),
    run_id: p("run_id"),
    story_id: p("story_id"),
    worker: p("worker"),
    until: p("until"),
  }),
);

const renewLease = statement<{ attempt: string; worker: string; until: number }>((db, p) =>
  db
    .updateTable("leases")
    .set({ until: p("until") })
    .where("attempt_id", "=", p("attempt"))
    .where("worker", "=", p("worker")),
);

const takeLease = statement<{ attempt: string; from: string; until: number; worker: string; next: number }>((db, p) =>
  db
    .updateTable("leases")
    .set({ worker: p("worker"), until: p("next") })
    .where("attempt_id", "=", p("attempt"))
    .where("worker", "=", p("from"))
    .where("until", "=", p("until")),
);

const endLease = statement<{ attempt: string }>((db, p) =>
  db.deleteFrom("leases").where("attempt_id", "=", p("attempt")),
);

const leasesUntil = statement<{ time: number }, LeaseRow>((db, p) =>
  db.selectFrom("leases").selectAll().where("until", "<=", p("time")).orderBy("until"),
);
