// Keeps offers and leases in the store, in the same commits as the run's own rows. There is no daemon and no broker.

import type { AttemptId, RunId } from "../../domain/ids.ts";
import { scopeOf } from "../../domain/run.ts";
import { performedBy } from "../../engine/definitions.ts";
import type {
  Changes,
  DriverLease,
  Lease,
  NewOffer,
  Offer,
  OfferFilter,
  ReadyStep,
  Store,
  Transaction,
} from "../../store/store.ts";
import type { Deadline } from "../../system/clock.ts";
import type { Attendance, Dispatch, Overview } from "../dispatch.ts";

export class EmbeddedDispatch implements Dispatch {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  async follow(tx: Transaction, changes: Changes): Promise<void> {
    const { header } = changes.run;
    for (const step of changes.unreadied) await tx.withdraw(header.id, step);
    if (header.end !== null) await tx.withdrawAll(header.id);
    else for (const step of changes.readied) await tx.offer(offerOf(changes, step));
    if (changes.paused !== null) await tx.pauseOffers(header.id, changes.paused);
    for (const attempt of changes.ended) await tx.endLease(attempt);
    await tx.releasePermits(changes.ended);
  }

  async offers(within: Transaction | Store, filter: OfferFilter): Promise<readonly Offer[]> {
    return await within.offers(filter);
  }

  async lease(tx: Transaction, lease: Lease): Promise<void> {
    await tx.lease(lease);
  }

  async renew(worker: string, attempts: readonly AttemptId[], until: Deadline): Promise<readonly AttemptId[]> {
    return await this.#store.transaction(async (tx) => {
      const held: AttemptId[] = [];
      for (const attempt of attempts) {
        if (await tx.renewLease(attempt, worker, until)) held.push(attempt);
      }
      return held;
    });
  }

  async takeOver(lease: Lease, worker: string, until: Deadline): Promise<boolean> {
    return await this.#store.transaction((tx) => tx.takeOverLease(lease, worker, until));
  }

  async drivers(): Promise<readonly DriverLease[]> {
    return await this.#store.drivers();
  }

  async drive(wanted: DriverLease, mayReplace: (driver: DriverLease) => boolean): Promise<DriverLease> {
    return await this.#store.transaction(async (tx) => {
      const driver = await tx.driver(wanted.run);
      if (driver !== null && driver.worker !== wanted.worker && !mayReplace(driver)) return driver;
      await tx.setDriver(wanted);
      return wanted;
    });
  }

  async leave(run: RunId, worker: string): Promise<void> {
    await this.#store.transaction((tx) => tx.removeDriver(run, worker));
  }

  async leases(filter: { readonly endedBefore: number | null }): Promise<readonly Lease[]> {
    return await this.#store.leases(filter);
  }

  async nextTime(run: RunId | null, after: number): Promise<number | null> {
    return await this.#store.nextOfferTime(run, after);
  }

  /** Every process that drives looks at the leases. */
  async attend(): Promise<Attendance> {
    return { close: () => undefined };
  }

  async close(): Promise<void> {}

  async overview(now: number): Promise<Overview> {
    const { due, later, dueSince } = await this.#store.waiting(now);
    const leases = await this.#store.leases({ endedBefore: null });
    const attempts = (isOver: boolean) =>
      leases.filter(({ until }) => until.at <= now === isOver).map(({ attempt }) => attempt);
    const figures = { waiting: due, deferred: later, active: attempts(false), lost: attempts(true) };
    return { queues: [{ queue: null, ...figures, ended: null, waitingSince: dueSince }], heardAt: new Map() };
  }
}

function offerOf({ run, number }: Changes, ready: ReadyStep): NewOffer {
  const { header } = run;
  const { story, step, part } = ready;
  const name = scopeOf(run, story)?.chain.find(({ id }) => id === step)?.name;
  const definition = name === undefined ? null : performedBy(run, story, { name, ...(part === null ? {} : { part }) });
  return {
    run: header.id,
    story,
    step,
    part,
    agent: definition?.kind === "agent" ? `${header.definition.id}/${definition.agent}` : "",
    runNumber: number,
    notBefore: ready.notBefore,
    pauseMs: ready.pauseMs,
    paused: header.paused,
  };
}
