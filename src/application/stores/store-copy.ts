// Copying a store to another one. Owns: that nothing works on either of them, and what to do so that this home uses the copy. Neither is
// opened as the store of an application, whose chores would change it.

import { dirname, join } from "node:path";
import { openStore, runsAway } from "../../app.ts";
import type { StoreCopyDocument } from "../../contracts/machine-documents.ts";
import { AppError } from "../../domain/error.ts";
import { isPulled, lifeOfWorker, noWorker, processInWords } from "../../runtime/worker.ts";
import type { Store, StoreProgress, StoreWorkers } from "../../store/store.ts";
import { type Clock, isPast, systemClock } from "../../system/clock.ts";
import { makePrivateHome } from "../../system/private-home.ts";
import { readService } from "../../system/service-file.ts";
import type { Application } from "../application.ts";
import { type StorePlace, storePlace, usedPlace } from "./store-places.ts";

export interface StoreCopyRequest {
  readonly from: string;
  readonly to: string;
  readonly onProgress: (progress: StoreProgress) => void;
}

export async function copyStore(app: Application, request: StoreCopyRequest): Promise<StoreCopyDocument> {
  const [from, to] = [storePlace(app, request.from), storePlace(app, request.to)];
  if (from.label === to.label) {
    throw new AppError("USAGE", `both addresses name the same store: ${from.label}`, {
      hint: "name the store to read, then a new one to write",
    });
  }
  for (const place of [from, to]) assertNoService(app, place);
  await assertAllHome(app, from);
  const use = howToUse(app, to);
  const narrowed = makePrivateHome(app.home.dir);
  if (narrowed !== null) app.warn(narrowed);
  return await withStore(
    () => openStore(from.address, app.home, systemClock, true),
    async (source) => {
      // Also here, before the other one is made.
      assertIdle(systemClock, from, {
        drivers: await source.drivers(),
        leases: await source.leases({ endedBefore: null }),
        holders: await source.effectHolders(systemClock.now()),
      });
      return await withStore(
        () => openStore(to.address, app.home, systemClock),
        async (target) => ({ ...(await copyBetween({ source, target, from, to }, request)), use }),
      );
    },
  );
}

interface Stores {
  readonly source: Store;
  readonly target: Store;
  readonly from: StorePlace;
  readonly to: StorePlace;
}

async function copyBetween(
  { source, target, from, to }: Stores,
  { onProgress }: Pick<StoreCopyRequest, "onProgress">,
): Promise<Omit<StoreCopyDocument, "use">> {
  const copied = await source.copyTo(target, {
    from: from.label,
    to: to.label,
    now: systemClock.now(),
    assertIdle: (workers) => assertIdle(systemClock, from, workers),
    onProgress,
  });
  const counts = await target.runCounts();
  const open = (["running", "held", "paused"] as const).reduce((sum, status) => sum + (counts.get(status) ?? 0), 0);
  return { from: from.label, to: to.label, ...copied, open };
}

async function withStore<T>(open: () => Promise<Store>, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await open();
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** The service of this home, or of the home in which the file is. */
function assertNoService(app: Application, { label, file }: StorePlace): void {
  const beside = file === null ? [] : [join(dirname(file), "service.json")];
  for (const record of new Set([app.home.serviceFile, ...beside])) {
    const service = readService(record);
    if (service === null) continue;
    const own = `sqlite:${join(dirname(record), "pawl.db")}`;
    if (storePlace(app, service.store ?? own).label !== label) continue;
    throw new AppError("REFUSED", `the service (process ${service.pid}) works on ${label}`, {
      hint: "`pawl down` stops it; its runs can be resumed from the copy",
    });
  }
}

/** A copy has the state of trees only as this machine knows it. */
async function assertAllHome(app: Application, { address, label }: StorePlace): Promise<void> {
  const away = await runsAway(address, app.home, systemClock);
  if (away.length === 0) return;
  throw new AppError("REFUSED", `workers of other machines have trees of ${away.join(", ")} in ${label}`, {
    hint: "stop those workers, and let `pawl worker` run here until these runs are over, or have taken a step here",
  });
}

/** A worker on another machine may be alive as long as its lease is not over. */
function assertIdle(clock: Clock, { label }: StorePlace, { drivers, leases, holders }: StoreWorkers): void {
  const isAtWork = (worker: string, isOver: boolean) => {
    const life = lifeOfWorker(worker);
    return life === "alive" || (life === "unknown" && !isOver);
  };
  // What an agent pulled is with nobody but that agent, which reports when it has finished.
  const performed = leases.filter(({ worker }) => !isPulled({ worker }) && worker !== noWorker);
  const working =
    [...drivers, ...performed].find(({ worker, until }) => isAtWork(worker, isPast(clock, until)))?.worker ??
    holders.find((worker) => isAtWork(worker, false));
  if (working === undefined) return;
  throw new AppError("REFUSED", `${label} is in use: ${processInWords(working)} works on a run of it`, {
    hint: "pause the run and wait until its attempts have ended, or end that process; what it did not finish is resumed from the copy",
  });
}

/** null: the commands of this home use it already. */
function howToUse(app: Application, { label }: StorePlace): string | null {
  if (usedPlace(app).label === label) return null;
  const isOwn = label === storePlace(app, `sqlite:${app.home.storeFile}`).label;
  return isOwn ? "unset PAWL_STORE" : `export PAWL_STORE='${label}'`;
}
