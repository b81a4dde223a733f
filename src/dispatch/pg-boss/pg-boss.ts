// Dispatch by pg-boss, in the database of the store: a ready step is a job, which is sent in the commit that makes it ready, fetched in
// the one that starts its attempt, and completed in the one that ends it. Whether a worker lives is for pg-boss to say.

import type { AttemptId, RunId } from "../../domain/ids.ts";
import type {
  Changes,
  DriverLease,
  Lease,
  Offer,
  OfferedStep,
  OfferFilter,
  Store,
  Transaction,
} from "../../store/store.ts";
import type { Deadline } from "../../system/clock.ts";
import { type Attendance, type Dispatch, mostEnded, type Overview, type QueueFigures } from "../dispatch.ts";
import { EmbeddedDispatch } from "../embedded/embedded.ts";
import {
  addJob,
  attemptsByQueue,
  attemptsOfJobs,
  dropAttemptJobs,
  dropReadyJob,
  dropReadyJobs,
  endedOf,
  giveBackJob,
  jobsOfWorker,
  markLost,
  stepsByQueue,
  stepsWithoutJob,
  takeJob,
} from "./jobs.ts";
import { type QueueServer, Queues, queueSchema } from "./queues.ts";

/** The lease of an attempt that has a job does not end by time. */
const held: Deadline = { at: Number.MAX_SAFE_INTEGER, steady: null };
const over: Deadline = { at: 0, steady: null };

export class PgBossDispatch implements Dispatch {
  readonly #store: Store;
  readonly #server: QueueServer;
  /** Offers, and leases without a job: of agents that pull, and of results that are taken over. */
  readonly #rows: EmbeddedDispatch;
  readonly #queues: Queues;
  readonly #queue: string;
  #attended = 0;

  /** `home`: its machine has the trees of the runs. */
  static async open(
    store: Store,
    server: QueueServer,
    { home, onTrouble }: { readonly home: string; readonly onTrouble: (why: string) => void },
  ): Promise<PgBossDispatch> {
    const dispatch = new PgBossDispatch(store, server, new Queues(server, onTrouble), `home.${home}`);
    await dispatch.#queues.open([dispatch.#queue]);
    await dispatch.#sendMissing();
    return dispatch;
  }

  private constructor(store: Store, server: QueueServer, queues: Queues, queue: string) {
    this.#store = store;
    this.#server = server;
    this.#rows = new EmbeddedDispatch(store);
    this.#queues = queues;
    this.#queue = queue;
  }

  async follow(tx: Transaction, changes: Changes): Promise<void> {
    await this.#rows.follow(tx, changes);
    const { header } = changes.run;
    const stops = header.end !== null || changes.paused === true;
    // They do not depend on each other, so none waits for the answer of the one before.
    await Promise.all([
      ...changes.unreadied.map(async (step) => await this.#queues.remove(tx, await dropReadyJob(tx, header.id, step))),
      this.#complete(tx, changes.ended),
      ...(stops || header.paused || changes.paused === false
        ? []
        : changes.readied.map(async (step) => await this.#send(tx, header.id, step, step.pauseMs ?? 0))),
    ]);
    if (stops) await this.#queues.remove(tx, await dropReadyJobs(tx, header.id));
    else if (changes.paused === false) await this.#sendReady(tx, header.id);
  }

  async offers(within: Transaction | Store, filter: OfferFilter): Promise<readonly Offer[]> {
    return await this.#rows.offers(within, filter);
  }

  async lease(tx: Transaction, lease: Lease, offer?: Offer): Promise<void> {
    await this.#rows.lease(tx, lease);
    if (offer === undefined) return;
    const job = await takeJob(tx, offer.run, offer, lease.attempt);
    // A queue that was emptied or restored from an old copy: the step is ready all the same.
    if (job !== null && !(await this.#queues.fetch(tx, job))) await giveBackJob(tx, job);
  }

  /** Without the lock of writers: a store that is busy lets no worker seem dead. */
  async renew(worker: string, attempts: readonly AttemptId[], until: Deadline): Promise<readonly AttemptId[]> {
    const jobs = await jobsOfWorker(this.#server, worker, attempts);
    const living = await this.#queues.touch(jobs);
    const withJob = new Map(jobs.map(({ attempt, number }) => [attempt, living.has(number)]));
    const others = attempts.filter((attempt) => !withJob.has(attempt));
    const renewed = others.length === 0 ? [] : await this.#rows.renew(worker, others, until);
    return attempts.filter((attempt) => withJob.get(attempt) === true || renewed.includes(attempt));
  }

  /** The new holder is on the machine of the old one, and renews by the lease. */
  async takeOver(lease: Lease, worker: string, until: Deadline): Promise<boolean> {
    return await this.#store.transaction(async (tx) => {
      const jobs = await dropAttemptJobs(tx, [lease.attempt]);
      const [stored] = (await this.#rows.leases({ endedBefore: null })).filter(
        ({ attempt }) => attempt === lease.attempt,
      );
      const seen = jobs.length > 0 && stored !== undefined ? { ...lease, until: stored.until } : lease;
      if (!(await tx.takeOverLease(seen, worker, until))) return false;
      await this.#queues.remove(tx, jobs);
      return true;
    });
  }

  async drivers(): Promise<readonly DriverLease[]> {
    return await this.#rows.drivers();
  }

  async drive(wanted: DriverLease, mayReplace: (driver: DriverLease) => boolean): Promise<DriverLease> {
    return await this.#rows.drive(wanted, mayReplace);
  }

  async leave(run: RunId, worker: string): Promise<void> {
    await this.#rows.leave(run, worker);
  }

  async leases({ endedBefore }: { readonly endedBefore: number | null }): Promise<readonly Lease[]> {
    if (this.#attended > 0) await this.#queues.takeLost(async (numbers) => await markLost(this.#server, numbers));
    const jobs = await attemptsOfJobs(this.#server);
    const leases = (await this.#rows.leases({ endedBefore: null })).map((lease) => {
      const lost = jobs.get(lease.attempt);
      return lost === undefined ? lease : { ...lease, until: lost ? over : held };
    });
    return endedBefore === null ? leases : leases.filter(({ until }) => until.at <= endedBefore);
  }

  async nextTime(run: RunId | null, after: number): Promise<number | null> {
    return await this.#rows.nextTime(run, after);
  }

  async attend(): Promise<Attendance> {
    this.#attended += 1;
    await this.#queues.supervise();
    return {
      close: () => {
        this.#attended -= 1;
      },
    };
  }

  async close(): Promise<void> {
    await this.#queues.close();
  }

  /** The queue of the home, and each other one that has work of this store. */
  async overview(now: number): Promise<Overview> {
    const schema = queueSchema(this.#server.schema);
    const steps = await stepsByQueue(this.#server, now);
    const attempts = await attemptsByQueue(this.#server, schema, now);
    const nameOf = ({ queue }: { readonly queue: string | null }) => queue ?? this.#queue;
    const names = new Set([this.#queue, ...steps.map(nameOf), ...attempts.map(nameOf)]);
    const queues: QueueFigures[] = [];
    for (const queue of names) {
      const ready = steps.filter((each) => nameOf(each) === queue);
      const since = ready.flatMap((each) => each.since ?? []);
      const performed = (isLost: boolean) =>
        attempts.filter((each) => nameOf(each) === queue && each.lost === isLost).map(({ attempt }) => attempt);
      queues.push({
        queue,
        waiting: ready.reduce((sum, { due }) => sum + due, 0),
        deferred: ready.reduce((sum, { later }) => sum + later, 0),
        active: performed(false),
        lost: performed(true),
        ended: await endedOf(this.#server, schema, queue, mostEnded),
        waitingSince: since.length === 0 ? null : Math.min(...since),
      });
    }
    const heard = attempts.flatMap(({ attempt, quietMs }) =>
      quietMs === null ? [] : [[attempt, Math.round(now - quietMs)] as const],
    );
    return { queues, heardAt: new Map(heard) };
  }

  async #complete(tx: Transaction, ended: readonly AttemptId[]): Promise<void> {
    await this.#queues.complete(tx, await dropAttemptJobs(tx, ended));
  }

  /** Ready steps without a job: those of a store that was copied, restored, or written before there were jobs. */
  async #sendMissing(): Promise<void> {
    if ((await stepsWithoutJob(this.#server, null)).length === 0) return;
    await this.#store.transaction((tx) => this.#sendReady(tx, null));
  }

  async #sendReady(tx: Transaction, run: RunId | null): Promise<void> {
    for (const { run: id, step, waitMs } of await stepsWithoutJob(tx, run)) await this.#send(tx, id, step, waitMs);
  }

  async #send(tx: Transaction, run: RunId, step: OfferedStep, waitMs: number): Promise<void> {
    const job = await addJob(tx, this.#queue, run, step);
    const data = { number: job.number, run, story: step.story, step: step.step, part: step.part };
    await this.#queues.send(tx, job, data, Math.ceil(waitMs / 1000));
  }
}
